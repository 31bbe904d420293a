//! What commands print: styles, safe text, tables.
//!
//! Invariant: nothing a stranger wrote reaches a terminal with its control characters, so no message can move the
//! cursor, change a title or forge a line. Colours vanish by themselves where there is no terminal (`anstream`).

use std::io::Write;

use anstyle::{AnsiColor, Effects, Style};

/// Something went wrong.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().effects(Effects::BOLD);
/// Something is right.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().effects(Effects::BOLD);
/// Somebody should look.
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
/// What the agent says.
pub(crate) const REPLY: Style = AnsiColor::Cyan.on_default();
/// What stands aside.
pub(crate) const ASIDE: Style = Style::new().effects(Effects::DIMMED);
/// Headings.
pub(crate) const TITLE: Style = Style::new().effects(Effects::BOLD);

/// Text in a style.
pub(crate) fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// Text with control characters made visible; line ends stay.
pub(crate) fn printable(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut shown, c| {
        // Beside control characters: the marks that turn the direction of a line around.
        let is_turning = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        match c {
            '\n' | '\t' => shown.push(c),
            c if c.is_control() || is_turning => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
        shown
    })
}

/// Longest text shown of one message; the rest is counted.
const SHOWN_MAX: usize = 400;

/// The beginning of a long text, on one line.
pub(crate) fn excerpt(text: &str) -> String {
    let shown: String = printable(text).chars().map(|c| if c == '\n' { ' ' } else { c }).take(SHOWN_MAX).collect();
    match text.chars().count().checked_sub(SHOWN_MAX) {
        None | Some(0) => shown,
        Some(more) => format!("{shown}... ({more} more characters)"),
    }
}

/// Rows in columns as wide as their widest cell; the last one is left as it is.
pub(crate) fn table(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cell_width = |row: &Vec<String>, column: usize| row.get(column).map_or(0, |cell| cell.chars().count());
    let widths: Vec<usize> =
        (0..columns).map(|column| rows.iter().map(|row| cell_width(row, column)).max().unwrap_or(0)).collect();
    rows.iter()
        .map(|row| {
            let cells = row.iter().zip(&widths).map(|(cell, width)| {
                let gap = width.saturating_sub(cell.chars().count());
                format!("{cell}{}", " ".repeat(gap))
            });
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        })
        .collect()
}

/// Says on the standard error why something could not be done.
pub(crate) fn complain(what: &str) {
    // With the standard error gone too there is nobody left to tell; the exit code still says it.
    let _ = writeln!(anstream::stderr(), "{} {}", paint(BAD, "error:"), printable(what));
}

/// Notes something on the standard error.
pub(crate) fn note(what: &str) {
    let _ = writeln!(anstream::stderr(), "{} {}", paint(WARN, "note:"), printable(what));
}

/// `1 spec`, `2 specs`.
pub(crate) fn count(number: usize, one: &str) -> String {
    format!("{number} {one}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_and_line_ends_stay() {
        assert_eq!(printable("a\x1b[2Jb\r\nc\u{202e}d\te"), "a\\u{1b}[2Jb\\u{d}\nc\\u{202e}d\te");
        assert_eq!(printable("João 😀"), "João 😀");
    }

    #[test]
    fn long_texts_are_cut_and_counted() {
        assert_eq!(excerpt("a\nb"), "a b");
        assert_eq!(excerpt(&"x".repeat(SHOWN_MAX)), "x".repeat(SHOWN_MAX));
        assert_eq!(excerpt(&"x".repeat(SHOWN_MAX + 2)), format!("{}... (2 more characters)", "x".repeat(SHOWN_MAX)));
    }

    #[test]
    fn columns_are_aligned_by_characters() {
        let rows = vec![vec!["ção".to_owned(), "b".to_owned()], vec!["a".to_owned(), "longer".to_owned()]];
        assert_eq!(table(&rows), ["ção  b", "a    longer"]);
    }
}
