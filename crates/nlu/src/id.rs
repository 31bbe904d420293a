//! Codes such as `BOL-1001`: one spelling for what people type in many.
//!
//! Invariant: [`canonical`] is idempotent, and [`same`] is an equivalence that never looks at separators or case.
//! Deliberately absent: any knowledge of a pack's patterns; whether `BOL-1001` exists is a question for a table.

use crate::text;

/// Upper case, no spaces, `_` and every dash as `-`, a leading `#` dropped: `bol_1001` becomes `BOL-1001`.
#[must_use]
pub fn canonical(id: &str) -> String {
    let folded = text::fold(id);
    let body = folded.trim_start_matches('#');
    body.chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| if c == '_' { '-' } else { c })
        .flat_map(char::to_uppercase)
        .collect()
}

/// True if two ids differ only in case, spaces and separators: `BOL-1001`, `bol 1001` and `BOL1001` are the same.
///
/// Two texts without a single letter or digit are never the same id.
#[must_use]
pub fn same(left: &str, right: &str) -> bool {
    let (left, right) = (bare(left), bare(right));
    !left.is_empty() && left == right
}

fn bare(id: &str) -> String {
    text::fold(id).chars().filter(|c| c.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_spelling() {
        for (said, wanted) in [
            ("BOL-1001", "BOL-1001"),
            ("bol 1001", "BOL1001"),
            ("BOL1001", "BOL1001"),
            ("rest_123", "REST-123"),
            ("res–000001", "RES-000001"),
            ("#w12", "W12"),
            ("ＢＯＬ１", "BOL1"),
        ] {
            assert_eq!(canonical(said), wanted, "{said}");
            assert_eq!(canonical(&canonical(said)), wanted, "twice {said}");
        }
    }

    #[test]
    fn sameness_ignores_separators_only() {
        for (left, right, wanted) in [
            ("BOL-1001", "bol 1001", true),
            ("BOL1001", "bol_1001", true),
            ("BOL-1001", "BOL-1002", false),
            ("BOL-1001", "BOL-01001", false),
            ("RES-000001", "RES-1", false),
            ("", "", false),
            ("--", "-", false),
        ] {
            assert_eq!(same(left, right), wanted, "{left} {right}");
        }
    }
}
