//! Rows that were not taken, in a file that can be mended and imported.

use bothways_graph::import::Reject;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Collects rejected rows beside the imported file; the file is made with the first one.
pub(super) struct Rejects {
    path: PathBuf,
    out: Option<BufWriter<File>>,
    count: u64,
    first: Option<(u64, String)>,
}

/// What was rejected.
pub(super) struct Rejected {
    /// Rows.
    pub(super) count: u64,
    /// The first one's line.
    pub(super) line: u64,
    /// What is wrong with it.
    pub(super) reason: String,
    /// The file that holds them.
    pub(super) path: PathBuf,
}

impl Rejects {
    /// `votes.tsv.rejects` for `votes.tsv`, `database.rejects` for rows of a database.
    pub(super) fn beside(path: &Path, database: bool) -> Self {
        let mut name = path.as_os_str().to_owned();
        if database {
            // It would name the place, and perhaps a password.
            name = "database".into();
        } else if name == "-" {
            name = "stdin".into();
        }
        name.push(".rejects");
        Self {
            path: PathBuf::from(name),
            out: None,
            count: 0,
            first: None,
        }
    }

    /// Adds a row, with its reason in a comment before it.
    pub(super) fn add(&mut self, reject: &Reject) -> io::Result<()> {
        let out = match &mut self.out {
            Some(out) => out,
            none => none.insert(BufWriter::new(File::create(&self.path)?)),
        };
        self.count += 1;
        self.first
            .get_or_insert_with(|| (reject.line, reject.reason.clone()));
        writeln!(out, "# line {}: {}", reject.line, reject.reason)?;
        writeln!(out, "{}", reject.row)
    }

    /// Everything written; `None` where nothing was rejected.
    pub(super) fn finish(mut self) -> io::Result<Option<Rejected>> {
        if let Some(out) = &mut self.out {
            out.flush()?;
        }
        let (count, path) = (self.count, self.path);
        Ok(self.first.map(|(line, reason)| Rejected {
            count,
            line,
            reason,
            path,
        }))
    }
}
