//! The reference page names every function and every code.

use super::super::{CODES, DEPTH_MAX, NODES_MAX, SOURCE_MAX, TEXT_MAX, functions};

const PAGE: &str = include_str!("../../../../../docs/reference/expressions.md");

#[test]
fn the_page_is_complete() {
    for (name, usage) in functions() {
        assert!(PAGE.contains(&format!("`{usage}`")), "{name}: `{usage}` is not on the page");
    }
    for code in CODES {
        assert!(PAGE.contains(&format!("`{code}`")), "{code} is not on the page");
    }
    for (name, limit) in [("bytes", SOURCE_MAX), ("levels", DEPTH_MAX), ("parts", NODES_MAX), ("bytes", TEXT_MAX)] {
        assert!(PAGE.contains(&format!("{limit} {name}")), "{limit} {name} is not on the page");
    }
}
