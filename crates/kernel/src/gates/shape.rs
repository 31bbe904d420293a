//! Gate 17, shape: what the channel can show.
//!
//! [`Speakable`] is the proof that one uninterrupted run of gates 15-17 allows exactly this text. Its fields are
//! private and it is neither `Clone` nor serialisable.
//!
//! ```compile_fail
//! // INVARIANT: nobody else can make one (more in `tests/compile_fail`).
//! let said = countersign_kernel::gates::shape::Speakable { text: String::new() };
//! ```

use serde_json::{Value as Json, json};

use crate::decision::{Decision, Gate, Verdict};
use crate::gates::enforce::Enforced;
use crate::reason::Reason;

/// Buttons a channel can show.
pub const BUTTONS_MAX: usize = 3;

/// A text that may be said, once. Only gate 17 makes one.
#[derive(Debug)]
pub struct Speakable {
    text: String,
    buttons: Vec<(String, String)>,
}

impl Speakable {
    /// The words.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Label and payload of each button.
    #[must_use]
    pub fn buttons(&self) -> &[(String, String)] {
        &self.buttons
    }

    /// The sentence as plain JSON, for hashing and for showing.
    #[must_use]
    pub fn describe(&self) -> Json {
        json!({"buttons": self.buttons, "text": self.text})
    }
}

pub(crate) fn check(enforced: Enforced<'_>, log: &mut Vec<Decision>) -> Speakable {
    let walk = enforced.walk;
    let max = walk.policy.limits.reply_chars as usize;
    let draft = walk.draft;
    let mut buttons = draft.buttons.clone();
    buttons.truncate(BUTTONS_MAX);
    let is_long = draft.text.chars().count() > max;
    let text = if is_long { cut(&draft.text, max) } else { draft.text.clone() };
    let reason = if is_long || buttons.len() < draft.buttons.len() { Reason::ReplyReshaped } else { Reason::Ok };
    let verdict = if reason == Reason::Ok { Verdict::Pass } else { Verdict::Note };
    log.push(Decision::new(Gate::Shape, verdict, reason));
    Speakable { text, buttons }
}

/// Cuts at a line or word, so that no number is cut in half.
fn cut(text: &str, max: usize) -> String {
    let end = text.char_indices().nth(max.saturating_sub(1)).map_or(text.len(), |(at, _)| at);
    let head = text.get(..end).unwrap_or_default();
    let at = head.rfind('\n').or_else(|| head.rfind(' ')).unwrap_or(head.len());
    format!("{}…", head.get(..at).unwrap_or(head).trim_end())
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn a_cut_never_splits_a_word() {
        assert_eq!(cut("um boleto de 150 reais", 17), "um boleto de…");
        assert_eq!(cut("linha um\nlinha dois", 12), "linha um…");
        assert!(cut("ação".repeat(10).as_str(), 7).chars().count() <= 7);
    }
}
