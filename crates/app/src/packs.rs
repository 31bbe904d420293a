//! Packs on a disk: reads a folder of files people wrote, keeps the sources of every pack that decided something.
//!
//! Invariant: a pack is read whole or not at all, and the amount read is bounded before it is read. Sources are kept
//! under the hash of the policy they compile to, so `replay` finds exactly what decided.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use countersign_pack::source::{FILE_MAX, FILES_MAX, Source};

/// The packs built into the program: name, then path and text of each file.
pub(crate) const BUILT_IN: &[(&str, &[(&str, &str)])] = include!(concat!(env!("OUT_DIR"), "/packs.rs"));

/// Folders below a pack that are looked into; the format has one level, a second one is told about as unknown files.
const DEPTH_MAX: usize = 2;

/// Reads the files of a pack's folder.
pub(crate) fn read(folder: &Path) -> Result<Source> {
    if !folder.exists() {
        bail!("there is no folder `{}`; give the folder that holds `pack.yaml`", folder.display());
    }
    if !folder.is_dir() {
        bail!("`{}` is a file; give the folder that holds `pack.yaml`", folder.display());
    }
    let mut files = BTreeMap::new();
    let mut folders = vec![(folder.to_owned(), 0)];
    while let Some((current, depth)) = folders.pop() {
        let entries = std::fs::read_dir(&current).with_context(|| format!("cannot list `{}`", current.display()))?;
        for entry in entries {
            let path = entry.with_context(|| format!("cannot list `{}`", current.display()))?.path();
            if is_hidden(&path) {
                continue;
            }
            if path.is_dir() {
                if depth < DEPTH_MAX {
                    folders.push((path, depth + 1));
                }
            } else if is_part(&path) {
                files.insert(inside(folder, &path)?, text(&path)?);
                if files.len() > FILES_MAX {
                    bail!("`{}` has more than {FILES_MAX} files; is it the folder of one pack?", folder.display());
                }
            }
        }
    }
    if !files.contains_key("pack.yaml") {
        bail!("`{}` is not a pack: it has no `pack.yaml`", folder.display());
    }
    Ok(Source::new(files))
}

/// A pack of the program itself.
pub(crate) fn built_in(name: &str) -> Option<Source> {
    let (_, files) = BUILT_IN.iter().find(|(known, _)| *known == name)?;
    Some(Source::new(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))))
}

/// Keeps the sources beside the data; does nothing if they are there already.
pub(crate) fn keep(data: &Path, hash: &str, source: &Source) -> Result<()> {
    let folder = kept(data, hash);
    if folder.join("pack.yaml").is_file() {
        return Ok(());
    }
    // `pack.yaml` is written last: a folder that has it is whole.
    let is_last = |path: &&String| path.as_str() == "pack.yaml";
    let order = source.files.keys().filter(|path| !is_last(path)).chain(source.files.keys().filter(is_last));
    for path in order {
        let target = folder.join(path);
        let parent = target.parent().unwrap_or(&folder);
        std::fs::create_dir_all(parent).with_context(|| format!("cannot make `{}`", parent.display()))?;
        std::fs::write(&target, source.get(path).unwrap_or_default())
            .with_context(|| format!("cannot keep the pack's `{path}` in `{}`", folder.display()))?;
    }
    Ok(())
}

/// Where the sources of a policy are kept.
pub(crate) fn kept(data: &Path, hash: &str) -> PathBuf {
    data.join("packs").join(hash)
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

/// Files of the format; anything else in the folder (pictures, notes of an editor) is nobody's business.
fn is_part(path: &Path) -> bool {
    let parts = ["yaml", "yml", "sql", "md"];
    path.extension().is_some_and(|end| parts.iter().any(|part| end.eq_ignore_ascii_case(part)))
}

fn inside(folder: &Path, path: &Path) -> Result<String> {
    let inside = path.strip_prefix(folder).unwrap_or(path);
    let name = inside.to_str().with_context(|| format!("the name of `{}` is not UTF-8", path.display()))?;
    Ok(name.replace('\\', "/"))
}

fn text(path: &Path) -> Result<String> {
    let shown = path.display();
    let size = std::fs::metadata(path).with_context(|| format!("cannot read `{shown}`"))?.len();
    if size > FILE_MAX as u64 {
        bail!("`{shown}` has {size} bytes; a file of a pack has at most {FILE_MAX}");
    }
    let bytes = std::fs::read(path).with_context(|| format!("cannot read `{shown}`"))?;
    String::from_utf8(bytes).map_err(|error| {
        let start = error.utf8_error().valid_up_to();
        let before = error.as_bytes().get(..start).unwrap_or_default();
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        anyhow::anyhow!("`{shown}` is not UTF-8: line {line}, byte {start}; save it as UTF-8")
    })
}

#[cfg(test)]
mod tests {
    use countersign_sim::folder::TempFolder;

    use super::*;

    fn check(files: &[(&str, &[u8])], expected: Result<&[&str], &str>) {
        let folder = TempFolder::new().unwrap();
        for (path, bytes) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        match (read(folder.path()), expected) {
            (Ok(source), Ok(paths)) => assert_eq!(source.files.keys().collect::<Vec<_>>(), paths),
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
            (read, _) => panic!("{read:?}"),
        }
    }

    #[test]
    fn a_folder_is_read_whole_or_refused() {
        check(
            &[("pack.yaml", b"x"), ("specs/a.md", b"y"), (".git/a.md", b"z"), ("logo.png", b"\xff")],
            Ok(&["pack.yaml", "specs/a.md"]),
        );
        check(&[("readme.md", b"x")], Err("no `pack.yaml`"));
        check(&[("pack.yaml", b"a: 1\nb: \xff\n")], Err("line 2, byte 8"));
        check(&[("pack.yaml", &[b' '; FILE_MAX])], Ok(&["pack.yaml"]));
        check(&[("pack.yaml", &[b' '; FILE_MAX + 1])], Err("at most 1048576"));
    }

    #[test]
    fn folders_that_are_none_are_told_apart() {
        let folder = TempFolder::new().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "x").unwrap();
        assert!(read(&file).unwrap_err().to_string().contains("is a file"));
        assert!(read(&folder.path().join("none")).unwrap_err().to_string().contains("there is no folder"));
    }

    #[test]
    fn kept_sources_are_read_back_as_they_were() {
        let folder = TempFolder::new().unwrap();
        let source = built_in("iris").unwrap();
        keep(folder.path(), "abc", &source).unwrap();
        keep(folder.path(), "abc", &source).unwrap();
        assert_eq!(read(&kept(folder.path(), "abc")).unwrap(), source);
    }
}
