//! Gate 1, input: text is present after trimming, within the length limit; a voice note was transcribed.

use crate::bound;
use crate::decision::{Decision, Gate, Verdict};
use crate::event::Content;
use crate::hear::{Halt, Hearing, Stop};
use crate::reason::Reason;

/// Proof that there is something to read.
#[derive(Debug)]
pub(crate) struct Present<'w> {
    pub(crate) text: &'w str,
}

pub(crate) fn check<'w>(walk: &'w Hearing<'_>, log: &mut Vec<Decision>) -> Result<Present<'w>, Halt> {
    let text = walk.text();
    let problem = match &walk.heard.content {
        Content::Voice => Some((Reason::TranscriptionFailed, "voice_retry")),
        Content::Button(_) => None,
        Content::Text(_) if !has_words(text.trim()) => Some((Reason::EmptyMessage, "not_understood")),
        Content::Text(_) if is_too_long(text, walk.policy.limits.message_chars) => {
            Some((Reason::MessageTooLong, "too_long"))
        }
        Content::Text(_) => None,
    };
    if let Some((reason, say)) = problem {
        log.push(Decision::new(Gate::Input, Verdict::Ask, reason));
        return Err(Halt::Stop(Stop::new(reason, Some(say))));
    }
    log.push(Decision::new(Gate::Input, Verdict::Pass, Reason::Ok));
    Ok(Present { text })
}

/// More characters than the pack allows, or more bytes than the state may hold while the message is read.
pub(crate) fn is_too_long(text: &str, chars_max: u32) -> bool {
    bound::text(text) > bound::MESSAGE_MAX || text.chars().count() > chars_max as usize
}

/// Control and zero-width characters alone are no text.
fn has_words(text: &str) -> bool {
    text.chars().any(|c| !c.is_whitespace() && !c.is_control() && !is_invisible(c))
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}' | '\u{00AD}')
}

#[cfg(test)]
mod tests {
    use super::has_words;

    #[test]
    fn invisible_characters_are_no_text() {
        for empty in ["", " ", "\t\n", "\u{200B}", "\u{FEFF}\u{200D}", "\u{7}"] {
            assert!(!has_words(empty), "{empty:?}");
        }
        for text in ["a", "👍", " . ", "\u{200B}a"] {
            assert!(has_words(text), "{text:?}");
        }
    }
}
