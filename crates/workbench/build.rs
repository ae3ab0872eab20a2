//! Lists the built pages (`pages/`, made by `apps/workbench`) so that they are embedded in the binary.
//! Without them the list is empty and the server shows how to build them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let pages = PathBuf::from("pages");
    println!("cargo:rerun-if-changed=pages");
    println!("cargo:rerun-if-changed=build.rs");
    let mut names = Vec::new();
    if pages.is_dir() {
        collect(&pages, &pages, &mut names)?;
    }
    names.sort();
    let root = env::current_dir()?;
    let mut list = String::from("&[\n");
    for name in names {
        let file = root.join("pages").join(&name);
        let _ = writeln!(
            list,
            "    ({:?}, include_bytes!({:?})),",
            format!("/{name}"),
            file.display().to_string()
        );
    }
    list.push(']');
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    fs::write(PathBuf::from(out).join("pages.rs"), list)
}

/// Every file below `dir`, by its path relative to `root`, slashes forward.
fn collect(root: &Path, dir: &Path, names: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(root, &path, names)?;
        } else if let Ok(relative) = path.strip_prefix(root) {
            let name = relative.to_string_lossy().replace('\\', "/");
            // A name with a dot in front is the build's own mark.
            if !name.starts_with('.') {
                names.push(name);
            }
        }
    }
    Ok(())
}
