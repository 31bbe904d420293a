//! Phone numbers as E.164: `(11) 98765-4321` in Brazil is `+5511987654321`.
//!
//! Invariant: a result is `+` and 8 to 15 digits, with a length and a prefix the country's plan has.
//! Deliberately absent: numbers without an area code (they cannot be called from elsewhere) and short codes.

use crate::page::Page;
use crate::region::Region;

/// E.164 allows fifteen digits.
const DIGITS_MAX: usize = 15;
/// Written numbers fall into at most this many groups.
const GROUPS_MAX: usize = 7;

/// How a country writes its numbers.
struct Plan {
    region: Region,
    code: &'static str,
    /// Dialled before the number inside the country; `required` where local habit always writes it.
    trunk: &'static str,
    is_trunk_required: bool,
    is_national: fn(&str) -> bool,
}

const PLANS: [Plan; 5] = [
    Plan { region: Region::BR, code: "55", trunk: "0", is_trunk_required: false, is_national: is_brazilian },
    Plan { region: Region::US, code: "1", trunk: "1", is_trunk_required: false, is_national: is_american },
    Plan { region: Region::KE, code: "254", trunk: "0", is_trunk_required: true, is_national: is_kenyan },
    Plan { region: Region::TR, code: "90", trunk: "0", is_trunk_required: false, is_national: is_turkish },
    Plan { region: Region::GB, code: "44", trunk: "0", is_trunk_required: true, is_national: is_british },
];

/// The phone number that starts here in E.164, and one past its last token.
pub(crate) fn read(page: &Page<'_>, at: usize, region: Region) -> Option<(String, usize)> {
    let is_start = page.is_digits(at) || matches!(page.word(at), "+" | "(");
    let hangs_on = at > 0
        && page.touches_previous(at)
        && (page.is_word(at - 1) || matches!(page.word(at - 1), "-" | "_" | "/" | "." | "$"));
    if !is_start || hangs_on {
        return None;
    }
    let mut digits = String::new();
    let mut best = None;
    let mut groups = 0;
    let mut next = at;
    let is_international = page.word(at) == "+";
    while groups < GROUPS_MAX && digits.len() <= DIGITS_MAX && is_near(page, at, next) {
        if page.is_digits(next) {
            digits.push_str(page.word(next));
            groups += 1;
            let is_cut =
                page.touches_next(next) && (page.is_word(next + 1) || matches!(page.word(next + 1), "_" | "/" | "%"));
            if !is_cut && let Some(number) = e164(&digits, is_international, region) {
                best = Some((number, next + 1));
            }
        } else if !matches!(page.word(next), "+" | "(" | ")" | "-" | ".") || (page.word(next) == "+" && next != at) {
            break;
        }
        next += 1;
    }
    best
}

/// True if at most one space stands between this token and the one before.
fn is_near(page: &Page<'_>, at: usize, next: usize) -> bool {
    match (next.checked_sub(1).and_then(|before| page.token(before)), page.token(next)) {
        (_, None) => false,
        (Some(before), Some(token)) if next > at => token.span.start <= before.span.end + 1,
        (Some(_) | None, Some(_)) => true,
    }
}

/// The number in E.164, if these digits are one.
fn e164(digits: &str, is_international: bool, region: Region) -> Option<String> {
    let stripped = digits.strip_prefix("00").filter(|rest| rest.len() >= 10);
    if is_international || stripped.is_some() {
        return international(stripped.unwrap_or(digits));
    }
    let plan = PLANS.iter().find(|plan| plan.region == region)?;
    let with_trunk = digits.strip_prefix(plan.trunk).filter(|rest| (plan.is_national)(rest));
    let bare = Some(digits).filter(|rest| !plan.is_trunk_required && (plan.is_national)(rest));
    let with_code = digits.strip_prefix(plan.code).filter(|rest| (plan.is_national)(rest));
    let national = bare.or(with_trunk).or(with_code)?;
    Some(format!("+{}{national}", plan.code))
}

fn international(digits: &str) -> Option<String> {
    if let Some(plan) = PLANS.iter().find(|plan| digits.starts_with(plan.code)) {
        let rest = digits.strip_prefix(plan.code)?;
        // "+44 (0)20..." keeps a trunk zero that must not be dialled.
        let national = if (plan.is_national)(rest) { rest } else { rest.strip_prefix(plan.trunk)? };
        return (plan.is_national)(national).then(|| format!("+{}{national}", plan.code));
    }
    let fits = (8..=DIGITS_MAX).contains(&digits.len()) && !digits.starts_with('0');
    fits.then(|| format!("+{digits}"))
}

fn digit(number: &str, at: usize) -> u8 {
    number.as_bytes().get(at).map_or(0, |b| b.saturating_sub(b'0'))
}

/// Two digits of area, then nine starting with 9 (mobile) or eight starting with 2 to 5 (landline).
fn is_brazilian(number: &str) -> bool {
    let is_area = matches!(
        (digit(number, 0), digit(number, 1)),
        (1 | 4 | 6 | 8 | 9, 1..=9)
            | (2, 1 | 2 | 4 | 7 | 8)
            | (3, 1..=5 | 7 | 8)
            | (5, 1 | 3..=5)
            | (7, 1 | 3..=5 | 7 | 9)
    );
    let first = digit(number, 2);
    is_area && ((number.len() == 11 && first == 9) || (number.len() == 10 && (2..=5).contains(&first)))
}

fn is_american(number: &str) -> bool {
    number.len() == 10 && digit(number, 0) >= 2 && digit(number, 3) >= 2 && digit(number, 1) != 9
}

fn is_kenyan(number: &str) -> bool {
    number.len() == 9 && matches!(digit(number, 0), 1 | 7 | 2 | 4 | 5 | 6)
}

fn is_turkish(number: &str) -> bool {
    number.len() == 10 && matches!(digit(number, 0), 2..=5 | 8)
}

fn is_british(number: &str) -> bool {
    match digit(number, 0) {
        7 | 2 | 3 => number.len() == 10,
        1 | 8 => number.len() == 9 || number.len() == 10,
        _ => false,
    }
}
