//! What lsm-tree's manifest names, looked at before lsm-tree opens it: lsm-tree writes checksums that it does not check
//! there, and does not say which file is missing or damaged.
//!
//! A file's existence, its end and its list of parts are cheap, and are looked at always. Its other bytes are only
//! read through once the opening has failed, to say which file it was: blocks have checksums of their own, which
//! every read of them checks.

use crate::{Error, Result};
use lsm_tree::checksum::ChecksummedWriter;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// The file that names the manifest, in the tree's directory.
pub(super) const CURRENT: &str = "current";
/// Directory of the tables, in the tree's.
const TABLES: &str = "tables";
/// Names that file managers leave, and that lsm-tree passes over.
const STRAYS: [&str; 2] = [".DS_Store", "._"];

/// A table that the manifest names, with the checksum of its whole file.
pub(super) struct Named {
    path: PathBuf,
    sum: u128,
}

/// Checks the manifest of a tree and that what it names is there, whole at its end. No tables where no tree is.
pub(super) fn check(tree: &Path) -> Result<Vec<Named>> {
    let Some(manifest) = manifest(tree)? else {
        return Ok(Vec::new());
    };
    let tables = named(tree, &manifest).map_err(|e| {
        corrupt(
            &manifest,
            &format!("its list of tables cannot be read: {e}"),
        )
    })?;
    for table in &tables {
        check_table(&table.path)?;
    }
    check_strangers(&tree.join(TABLES))?;
    Ok(tables)
}

/// The first of the tables whose bytes are not what was written.
pub(super) fn damaged(tables: &[Named]) -> Option<Error> {
    tables.iter().find_map(|table| match sum(&table.path) {
        Ok(sum) if sum == table.sum => None,
        Ok(_) => Some(corrupt(&table.path, "the table's checksum does not match")),
        Err(e) => Some(Error::io("reading", &table.path, &e)),
    })
}

/// The manifest that `current` names, when its checksum is the one noted there; `None` without `current`.
fn manifest(tree: &Path) -> Result<Option<PathBuf>> {
    let current = tree.join(CURRENT);
    let bytes = match std::fs::read(&current) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(Error::io("reading", &current, &e)),
    };
    let (Some(id), Some(noted)) = (bytes.first_chunk::<8>(), bytes.get(8..24)) else {
        return Err(corrupt(&current, "the manifest's pointer is cut short"));
    };
    let manifest = tree.join(format!("v{}", u64::from_le_bytes(*id)));
    match sum(&manifest) {
        Ok(sum) if sum.to_le_bytes() == noted => Ok(Some(manifest)),
        Ok(_) => Err(corrupt(
            &manifest,
            "its checksum is not the one that current has for it: one of the two is damaged",
        )),
        Err(e) if e.kind() == ErrorKind::NotFound => {
            Err(corrupt(&manifest, "it is missing, though current names it"))
        }
        Err(e) => Err(Error::io("reading", &manifest, &e)),
    }
}

/// The tables of a manifest: levels of runs of tables, each an id, a kind of checksum, the checksum and a number.
fn named(tree: &Path, manifest: &Path) -> std::io::Result<Vec<Named>> {
    let bad = |what: &str| std::io::Error::new(ErrorKind::InvalidData, what);
    let reader = sfa::Reader::new(manifest).map_err(|e| bad(&e.to_string()))?;
    let section = reader.toc().section(b"tables");
    let section = section.ok_or_else(|| bad("it has none"))?;
    let mut bytes = section.buf_reader(manifest)?;
    let mut tables = Vec::new();
    for _ in 0..number::<1>(&mut bytes)?[0] {
        for _ in 0..number::<1>(&mut bytes)?[0] {
            for _ in 0..u32::from_le_bytes(number(&mut bytes)?) {
                let id = u64::from_le_bytes(number(&mut bytes)?);
                number::<1>(&mut bytes)?;
                let sum = u128::from_le_bytes(number(&mut bytes)?);
                number::<8>(&mut bytes)?;
                let path = tree.join(TABLES).join(id.to_string());
                tables.push(Named { path, sum });
            }
        }
    }
    Ok(tables)
}

fn number<const N: usize>(from: &mut impl Read) -> std::io::Result<[u8; N]> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// A table's end says where its parts are, with a checksum.
fn check_table(path: &Path) -> Result<()> {
    let len = match std::fs::metadata(path) {
        Ok(found) => found.len(),
        Err(e) if e.kind() == ErrorKind::NotFound => {
            return Err(corrupt(path, "it is missing, though the manifest names it"));
        }
        Err(e) => return Err(Error::io("reading", path, &e)),
    };
    if len == 0 {
        return Err(corrupt(path, "it is empty"));
    }
    match sfa::Reader::new(path) {
        Ok(_) => Ok(()),
        Err(sfa::Error::Io(e)) if e.raw_os_error().is_some() => Err(Error::io("reading", path, &e)),
        Err(e) => Err(corrupt(path, &format!("its end cannot be read ({e})"))),
    }
}

/// lsm-tree ends the process at a directory among the tables, and refuses names that are no number.
fn check_strangers(tables: &Path) -> Result<()> {
    let entries = match std::fs::read_dir(tables) {
        Ok(entries) => entries,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(Error::io("reading", tables, &e)),
    };
    for entry in entries {
        let entry = entry.map_err(|e| Error::io("reading", tables, &e))?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if STRAYS.iter().any(|stray| name.starts_with(stray)) {
            continue;
        }
        if entry.path().is_dir() || name.parse::<u64>().is_err() {
            return Err(Error::Format {
                path: tables.display().to_string(),
                detail: format!("{name} in it is no table of this store; move it away"),
            });
        }
    }
    Ok(())
}

/// The checksum of a whole file.
fn sum(path: &Path) -> std::io::Result<u128> {
    let mut file = BufReader::with_capacity(256 << 10, File::open(path)?);
    let mut writer = ChecksummedWriter::new(std::io::sink());
    std::io::copy(&mut file, &mut writer)?;
    writer.flush()?;
    Ok(writer.checksum().into_u128())
}

fn corrupt(path: &Path, detail: &str) -> Error {
    Error::Corrupt {
        file: path.display().to_string(),
        offset: 0,
        detail: detail.into(),
    }
}
