//! What the tests share: reading a folder, which the crate itself never does.
#![allow(clippy::disallowed_methods, reason = "tests read the packs they check; the crate never does")]
#![allow(dead_code, reason = "each test binary uses its own part")]
#![allow(clippy::expect_used, clippy::panic, reason = "a missing file is a broken test")]

pub(crate) mod case;

use std::path::Path;

use countersign_pack::Source;

/// Every file below a folder, as a source.
pub(crate) fn folder(root: &Path) -> Source {
    let mut files = Vec::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(at) = open.pop() {
        for entry in std::fs::read_dir(&at).expect("the folder exists") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                let name = path.strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
                files.push((name, text));
            }
        }
    }
    Source::new(files)
}

/// The text of a file below this crate.
pub(crate) fn text(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
