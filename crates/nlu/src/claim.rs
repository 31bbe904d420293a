//! Claims that an action was done: "criei", "foi cancelado", "booked", "I have paid".
//!
//! Invariant: a question, a condition, a negation or a plan is no claim; "não foi enviado" claims nothing was done.
//! Deliberately absent: whether the claim is true; evidence decides that.

use crate::language::Language;
use crate::lexicon::Cat;
use crate::page::Page;
use crate::value::Span;

/// "Boleto criado!" has at most this many words; in longer clauses a participle describes a thing.
const SHORT_CLAUSE_WORDS: usize = 3;

/// Where a text claims that an action was done, in order.
#[must_use]
pub fn actions(text: &str, language: Language) -> Vec<Span> {
    let page = Page::new(text, language);
    let mut out = Vec::new();
    let mut start = 0;
    while start < page.len() {
        let end = (start..page.len()).find(|at| is_break(&page, *at)).unwrap_or(page.len());
        if page.word(end) != "?" {
            in_clause(&page, start, end, &mut out);
        }
        start = end + 1;
    }
    out
}

fn is_break(page: &Page<'_>, at: usize) -> bool {
    matches!(page.word(at), "." | "," | ";" | "!" | "?" | ":" | "…" | "✅") && !page.touches_digits(at)
}

fn in_clause(page: &Page<'_>, start: usize, end: usize, out: &mut Vec<Span>) {
    let mut at = start;
    while at < end {
        if page.is(at, Cat::Condition) || page.is(at, Cat::Negation) || page.is(at, Cat::Question) {
            return;
        }
        match claim_at(page, at, start, end) {
            Some(after) => {
                out.push(page.span(at, after));
                at = after;
            }
            None => at += 1,
        }
    }
}

fn claim_at(page: &Page<'_>, at: usize, start: usize, end: usize) -> Option<usize> {
    if let Some(verb) = page.sense(at, Cat::Claim) {
        return Some(at + verb.len);
    }
    if let Some(be) = page.sense(at, Cat::ClaimBe) {
        let mut next = at + be.len;
        // "já foi criado", "has now been successfully booked": a few more of the same, then the participle.
        for _ in 0..3 {
            if let Some(done) = page.sense(next, Cat::ClaimParticiple) {
                return Some(next + done.len);
            }
            next = page
                .sense(next, Cat::ClaimBe)
                .or_else(|| page.sense(next, Cat::Filler))
                .map(|sense| next + sense.len)?;
        }
        return None;
    }
    let done = page.sense(at, Cat::ClaimParticiple)?;
    let is_short = end - start <= SHORT_CLAUSE_WORDS && at + done.len == end;
    (at == start || is_short).then_some(at + done.len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(language: Language, text: &str, wanted: &[&str]) {
        let found: Vec<&str> = actions(text, language).iter().map(|span| span.of(text)).collect();
        assert_eq!(found, wanted, "{text}");
    }

    #[test]
    fn claims_in_portuguese() {
        let pt = Language::Pt;
        check(pt, "Criei o boleto BOL-1001 para a Ana.", &["Criei"]);
        check(pt, "O boleto foi cancelado.", &["foi cancelado"]);
        check(pt, "Enviado!", &["Enviado"]);
        check(pt, "Pronto, boleto criado!", &["criado"]);
        check(pt, "Seu pagamento já foi confirmado e enviei o recibo", &["já foi confirmado", "enviei"]);
        check(pt, "Posso criar o boleto?", &[]);
        check(pt, "O boleto foi cancelado?", &[]);
        check(pt, "Quando for pago, aviso você.", &[]);
        check(pt, "Não foi enviado.", &[]);
        check(pt, "Se foi pago, ignore.", &[]);
        check(pt, "Vou enviar o boleto amanhã.", &[]);
        check(pt, "", &[]);
    }

    #[test]
    fn claims_in_english() {
        let en = Language::En;
        check(en, "I have paid the invoice.", &["I have paid"]);
        check(en, "Your table is booked for 8pm.", &["is booked"]);
        check(en, "Booked! See you then.", &["Booked"]);
        check(en, "I've now cancelled your order", &["I've now cancelled"]);
        check(en, "Your refund has been processed.", &["has been processed"]);
        check(en, "I can book that for you.", &[]);
        check(en, "It will be sent tomorrow.", &[]);
        check(en, "Has it been cancelled?", &[]);
        check(en, "Your order was not cancelled.", &[]);
        check(en, "Once it is paid, I will confirm.", &[]);
    }
}
