//! Rows out of `PostgreSQL` and `SQLite`, as CSV from their own programs: no client library of theirs is part of this one.

use crate::args::Import;
use crate::failure::Failure;
use std::io::{self, Read};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread::JoinHandle;

/// Rows that psql fetches at a time, so that it does not hold all of them.
const FETCH: &str = "FETCH_COUNT=10000";
/// Bytes of a program's complaints that are kept.
const COMPLAINTS: u64 = 4096;

/// A program that writes rows, and what it complains about.
pub(super) struct Rows {
    child: Child,
    name: &'static str,
    complaints: Option<JoinHandle<String>>,
}

/// Starts the program that reads a database, where the argument names one.
pub(super) fn start(args: &Import) -> Result<Option<(Rows, ChildStdout)>, Failure> {
    let place = args.file.to_string_lossy();
    let postgres = place.starts_with("postgres://") || place.starts_with("postgresql://");
    let sqlite = place.strip_prefix("sqlite:");
    if !postgres && sqlite.is_none() {
        if args.table.is_some() || args.query.is_some() {
            return Err(Failure::usage(
                "a table or a query is read from postgres://… or sqlite:FILE",
            ));
        }
        return Ok(None);
    }
    let query = match (&args.query, &args.table) {
        // The programs' own commands, which can start others, are no SQL.
        (Some(query), _) if query.trim_start().starts_with(['.', '\\']) => {
            return Err(Failure::usage(
                "--query is SQL, not a command of the program that reads it",
            ));
        }
        (Some(query), _) => query.clone(),
        (None, Some(table)) => format!("SELECT * FROM {}", quoted(table)),
        (None, None) => {
            return Err(
                Failure::usage("which rows of the database?").hint("--table NAME, or --query SQL")
            );
        }
    };
    let (name, mut command) = program(&place, sqlite, &query);
    let spawned = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = spawned.map_err(|e| {
        Failure::usage(format!("cannot start {name}: {e}"))
            .hint("install it, or pipe CSV in: … | bothways import MODEL RELATION -")
    })?;
    let rows = child
        .stdout
        .take()
        .ok_or_else(|| Failure::no(format!("{name} writes nothing")))?;
    let complaints = child.stderr.take().map(|mut stderr| {
        std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = stderr.by_ref().take(COMPLAINTS).read_to_end(&mut text);
            // It must never wait for somebody to read the rest.
            let _ = io::copy(&mut stderr, &mut io::sink());
            String::from_utf8_lossy(&text).trim().to_owned()
        })
    });
    Ok(Some((
        Rows {
            child,
            name,
            complaints,
        },
        rows,
    )))
}

/// The program that runs a query, and its arguments.
fn program(place: &str, sqlite: Option<&str>, query: &str) -> (&'static str, Command) {
    let Some(file) = sqlite else {
        let mut command = Command::new("psql");
        command.args(["--no-psqlrc", "--csv", "--quiet"]);
        command.args(["--set", "ON_ERROR_STOP=1", "--set", FETCH]);
        let (place, password) = without_password(place);
        if let Some(password) = password {
            command.env("PGPASSWORD", password);
        }
        // A query reads, whatever it says.
        let mut options = std::env::var_os("PGOPTIONS").unwrap_or_default();
        options.push(" -c default_transaction_read_only=on");
        command.env("PGOPTIONS", options);
        command.args(["--command", query, "--dbname", &place]);
        return ("psql", command);
    };
    let mut command = Command::new("sqlite3");
    command.args(["-batch", "-readonly", "-csv", "-header"]);
    // Neither a name nor a query that begins like an option is one.
    if file.starts_with('-') {
        command.arg(format!("./{file}"));
    } else {
        command.arg(file);
    }
    command.arg(format!(" {query}"));
    ("sqlite3", command)
}

/// A URL without its password, and the password: arguments of a process can be read by everybody on the machine.
fn without_password(url: &str) -> (String, Option<String>) {
    let whole = || (url.to_owned(), None);
    let Some((scheme, rest)) = url.split_once("://") else {
        return whole();
    };
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let Some(at) = rest[..end].rfind('@') else {
        return whole();
    };
    let Some((user, password)) = rest[..at].split_once(':') else {
        return whole();
    };
    let url = format!("{scheme}://{user}{}", &rest[at..]);
    (url, decoded(password))
}

/// Undoes percent encoding; `None` where no text comes of it.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut parts = text.split('%');
    bytes.extend(parts.next().unwrap_or_default().bytes());
    for part in parts {
        let (hex, rest) = part.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(hex, 16).ok()?);
        bytes.extend(rest.bytes());
    }
    String::from_utf8(bytes).ok()
}

/// A table's name as an identifier; one with a schema in front stays two.
fn quoted(table: &str) -> String {
    let parts = table
        .split('.')
        .map(|part| format!("\"{}\"", part.replace('"', "\"\"")));
    parts.collect::<Vec<_>>().join(".")
}

impl Rows {
    /// Waits for the program; rows of one that failed were not all.
    pub(super) fn finish(mut self) -> Result<(), Failure> {
        let status = self.child.wait()?;
        let complaints = self
            .complaints
            .take()
            .and_then(|c| c.join().ok())
            .unwrap_or_default();
        if status.success() {
            return Ok(());
        }
        let name = self.name;
        let complaints: Vec<&str> = complaints
            .split_whitespace()
            .filter(|w| *w != "^")
            .collect();
        let complaints = complaints.join(" ");
        let message = format!("{name} failed ({status}), so these are not all rows: {complaints}");
        Err(Failure::no(message))
    }
}

impl Drop for Rows {
    /// An import that stops early leaves no program behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::{quoted, without_password};

    #[test]
    fn a_password_is_no_argument() {
        let split = |url| {
            let (url, password) = without_password(url);
            (url, password.unwrap_or_default())
        };
        for (url, bare, password) in [
            ("postgres://h/db", "postgres://h/db", ""),
            ("postgres://me@h/db", "postgres://me@h/db", ""),
            (
                "postgres://me:p%40%3a@h:1/db",
                "postgres://me@h:1/db",
                "p@:",
            ),
            (
                "postgres://h/db?options=a:b@c",
                "postgres://h/db?options=a:b@c",
                "",
            ),
        ] {
            assert_eq!(split(url), (bare.to_owned(), password.to_owned()), "{url}");
        }
    }

    #[test]
    fn names_of_tables_cannot_end_the_query() {
        assert_eq!(quoted("follows"), "\"follows\"");
        assert_eq!(quoted("public.follows"), "\"public\".\"follows\"");
        assert_eq!(
            quoted("x\"; DROP TABLE y; --"),
            "\"x\"\"; DROP TABLE y; --\""
        );
    }
}
