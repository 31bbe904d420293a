//! Lists the reference packs for the binary, so that `countersign demo` works from any folder.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Folders inside a pack are one level deep; deeper ones are not part of the format.
const DEPTH_MAX: usize = 2;

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../../packs");
    let mut list = String::from("&[\n");
    for pack in sorted(&root)?.into_iter().filter(|pack| pack.join("pack.yaml").is_file()) {
        let name = pack.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let _ = writeln!(list, "({name:?}, &[");
        files(&pack, &pack, 0, &mut list)?;
        list.push_str("]),\n");
    }
    list.push(']');
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("packs.rs");
    fs::write(out, list)?;
    println!("cargo::rerun-if-changed={}", root.display());
    Ok(())
}

fn files(pack: &Path, folder: &Path, depth: usize, list: &mut String) -> io::Result<()> {
    for path in sorted(folder)? {
        if path.is_dir() {
            if depth < DEPTH_MAX {
                files(pack, &path, depth + 1, list)?;
            }
            continue;
        }
        let is_text = path.extension().is_some_and(|end| end == "yaml" || end == "sql" || end == "md");
        if let (true, Ok(inside)) = (is_text, path.strip_prefix(pack)) {
            let inside = inside.to_string_lossy().replace('\\', "/");
            let _ = writeln!(list, "({inside:?}, include_str!({:?})),", path.display().to_string());
        }
    }
    Ok(())
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}
