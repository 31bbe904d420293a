//! The files of a pack as text.
//!
//! Invariant: paths are relative with `/` between names, and iteration is in path order, so that the same files
//! always give the same hash and the same list of diagnostics.
//! Deliberately absent: reading a folder. The caller does that; this crate never touches a disk.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

/// Largest file in bytes: a pack is written by people, and no person writes a megabyte of YAML.
pub const FILE_MAX: usize = 1024 * 1024;
/// Most files of one pack.
pub const FILES_MAX: usize = 1024;

/// The files of a pack: relative path -> text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Source {
    /// Relative path, with `/` between names -> text.
    pub files: BTreeMap<String, String>,
}

impl Source {
    /// A source from (path, text) pairs; `\` in a path becomes `/`, a leading `./` goes.
    pub fn new(files: impl IntoIterator<Item = (String, String)>) -> Self {
        let tidy = |path: String| path.replace('\\', "/").trim_start_matches("./").to_owned();
        Self { files: files.into_iter().map(|(path, text)| (tidy(path), text)).collect() }
    }

    /// The text of a file.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// The hash over every file, in hex.
    #[must_use]
    pub fn hash(&self) -> String {
        hash_files(self.files.iter())
    }

    /// The hash over the files that shape the policy of one tenant: not the specs, not the prose, not the trial
    /// data, and of the overlays only this tenant's, so that one tenant's change does not rename another's policy.
    #[must_use]
    pub(crate) fn policy_hash(&self, tenant: Option<&str>, engine: &str) -> String {
        let overlay = tenant.map(|tenant| format!("tenants/{tenant}.yaml"));
        let files = self.files.iter().filter(|(path, _)| match path.split_once('/') {
            None => is_yaml(path),
            Some(("messages", _)) => is_yaml(path),
            Some(("tenants", _)) => overlay.as_deref() == Some(path.as_str()),
            Some((_, _)) => path.as_str() == "data/schema.sql",
        });
        hash_text(&[engine, tenant.unwrap_or_default(), &hash_files(files)])
    }
}

fn is_yaml(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, end)| end == "yaml")
}

fn hash_files<'f>(files: impl Iterator<Item = (&'f String, &'f String)>) -> String {
    let parts: Vec<&str> = files.flat_map(|(path, text)| [path.as_str(), text.as_str()]).collect();
    hash_text(&parts)
}

/// SHA-256 in hex over parts, each with its length in front, so that no two lists of parts look alike.
pub(crate) fn hash_text(parts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(files: &[(&str, &str)]) -> Source {
        Source::new(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())))
    }

    #[test]
    fn the_hash_names_paths_and_texts() {
        let one = source(&[("a.yaml", "x"), ("b.yaml", "y")]);
        assert_eq!(one.hash(), source(&[("./b.yaml", "y"), ("a.yaml", "x")]).hash());
        assert_ne!(one.hash(), source(&[("a.yaml", "xb.yaml"), ("", "y")]).hash());
        assert_eq!(one.hash().len(), 64);
    }

    #[test]
    fn a_policy_is_named_by_what_shapes_it() {
        let base = [("pack.yaml", "x"), ("messages/pt.yaml", "m"), ("tenants/a.yaml", "1"), ("specs/a.md", "s")];
        let hash = |files: &[(&str, &str)], tenant| source(files).policy_hash(tenant, "engine 1");
        let mut other_spec = base;
        other_spec[3].1 = "t";
        let mut other_overlay = base;
        other_overlay[2].1 = "2";
        assert_eq!(hash(&base, None), hash(&other_spec, None));
        assert_eq!(hash(&base, None), hash(&other_overlay, None));
        assert_ne!(hash(&base, Some("a")), hash(&other_overlay, Some("a")));
        assert_ne!(hash(&base, None), hash(&base, Some("a")));
        assert_ne!(hash(&base, None), source(&base).policy_hash(None, "engine 2"));
    }
}
