//! Unknown words put right: one wrong letter away from a word of the examples, they are that word.

use super::mask;

/// Shorter words are too close to other words.
const LETTERS_MIN: usize = 6;
/// Words this long may have two wrong letters.
const TWO_ERRORS_LETTERS: usize = 9;

/// The longer words of a pack's examples.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Speller {
    /// Sorted, each once.
    words: Vec<String>,
}

impl Speller {
    pub(super) fn of<'t>(texts: impl Iterator<Item = &'t str>) -> Speller {
        let mut words: Vec<String> = texts.flat_map(mask::words).filter(|word| is_long(word)).collect();
        words.sort_unstable();
        words.dedup();
        Speller { words }
    }

    /// Replaces an unknown word by the first known one within reach that starts alike.
    pub(super) fn correct(&self, word: &mut String) {
        if word.len() + 1 < LETTERS_MIN || word.starts_with('<') || self.words.binary_search(word).is_ok() {
            return;
        }
        let Some(first) = word.chars().next() else { return };
        let errors_max = if word.len() >= TWO_ERRORS_LETTERS { 2 } else { 1 };
        let from = self.words.partition_point(|known| known.chars().next() < Some(first));
        let alike = self.words.iter().skip(from).take_while(|known| known.starts_with(first));
        let near = alike.filter(|known| known.len().abs_diff(word.len()) <= errors_max);
        let best = near
            .map(|known| (strsim::osa_distance(known, word), known))
            .filter(|(errors, _)| *errors <= errors_max)
            .min();
        if let Some((_, known)) = best {
            word.clone_from(known);
        }
    }
}

fn is_long(word: &str) -> bool {
    word.len() >= LETTERS_MIN && !word.starts_with('<')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_words_are_corrected() {
        let speller = Speller::of(["cancelar o boleto", "lista", "reagendamento"].into_iter());
        for (said, wanted) in [
            ("bolto", "boleto"),
            ("boletp", "boleto"),
            ("cancelr", "cancelar"),
            ("reagendamneot", "reagendamento"),
            ("lista", "lista"),
            ("pista", "pista"),
            ("list", "list"),
            ("lis", "lis"),
            ("bolacha", "bolacha"),
            ("<number>", "<number>"),
        ] {
            let mut word = said.to_owned();
            speller.correct(&mut word);
            assert_eq!(word, wanted, "{said}");
        }
    }
}
