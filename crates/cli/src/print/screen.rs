//! The two streams and what they are allowed to look like.

use super::{Paint, Tint, shell_word, visible};
use crate::args::Global;
use crate::failure::Failure;
use bothways_store::Error as StoreError;
use serde_json::{Value as Json, json};
use std::io::{self, IsTerminal, Write};

/// Where answers and talk go. Everything that the binary prints passes here.
#[derive(Debug, Clone)]
pub(crate) struct Screen {
    out: Paint,
    err: Paint,
    err_is_terminal: bool,
    json: bool,
    quiet: bool,
    /// The options that name the place, to be repeated in advice.
    place: String,
}

#[allow(
    clippy::unused_self,
    reason = "all printing goes through the screen, also where no setting of it matters"
)]
impl Screen {
    /// As the options, `NO_COLOR` and the streams themselves ask for.
    pub(crate) fn new(global: &Global) -> Self {
        let no_colour = global.no_color
            || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        let err_is_terminal = io::stderr().is_terminal();
        Self {
            out: Paint(!no_colour && io::stdout().is_terminal()),
            err: Paint(!no_colour && err_is_terminal),
            err_is_terminal,
            json: global.json,
            quiet: global.quiet,
            place: place(global),
        }
    }

    /// ` --data DIR`, ` --endpoint URL` or ` --profile NAME` where the command names its place so: advised commands do too.
    pub(crate) fn place(&self) -> &str {
        &self.place
    }

    /// Whether answers are JSON.
    pub(crate) const fn json(&self) -> bool {
        self.json
    }

    /// Whether a progress bar has somebody to look at it.
    pub(crate) const fn wants_progress(&self) -> bool {
        self.err_is_terminal && !self.quiet
    }

    /// The paint of standard output.
    pub(crate) const fn paint(&self) -> Paint {
        self.out
    }

    /// One line of data. A reader that has gone, such as `head`, has had what it wanted: no error.
    ///
    /// # Errors
    /// When standard output fails.
    pub(crate) fn line(&self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let written = out
            .write_all(text.as_bytes())
            .and_then(|()| out.write_all(b"\n"));
        match written {
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            other => other,
        }
    }

    /// Lines of data.
    ///
    /// # Errors
    /// As [`Self::line`].
    pub(crate) fn lines<T: AsRef<str>>(&self, lines: &[T]) -> io::Result<()> {
        lines.iter().try_for_each(|line| self.line(line.as_ref()))
    }

    /// One JSON document on one line.
    ///
    /// # Errors
    /// As [`Self::line`].
    pub(crate) fn document(&self, json: &Json) -> io::Result<()> {
        self.line(&json.to_string())
    }

    /// Talk: receipts and advice. Silent with `--quiet` and `--json`.
    pub(crate) fn say(&self, text: &str) {
        if !self.quiet && !self.json {
            self.talk(text);
        }
    }

    /// A receipt: what was sent and what it cost, dimmed.
    pub(crate) fn receipt(&self, text: &str) {
        self.say(&self.err.paint(Tint::Quiet, &format!("  {text}")));
    }

    /// A failure: what, where, what to do.
    pub(crate) fn failure(&self, failure: &Failure) {
        if self.json {
            let error = json!({"error": {
                "message": failure.message,
                "line": failure.excerpt.as_ref().map(|at| at.line),
                "hints": failure.hints,
                "exit": failure.exit as u8,
            }});
            self.talk(&error.to_string());
            return;
        }
        self.notice(Tint::Bad, "error:", failure);
    }

    /// A problem or a warning as one reads it, with its line and its hints. Silent with `--json`: the document
    /// holds it.
    pub(crate) fn notice(&self, tint: Tint, word: &str, failure: &Failure) {
        if self.json {
            return;
        }
        self.talk(&format!(
            "{} {}",
            self.err.paint(tint, word),
            visible(&failure.message)
        ));
        if let Some(at) = &failure.excerpt {
            let number = at.line.to_string();
            self.talk(&format!("  {number} | {}", at.text));
            let blank = " ".repeat(at.span.0);
            let mark = self.err.paint(tint, &"^".repeat(at.span.1.max(1)));
            self.talk(&format!("  {} | {blank}{mark}", " ".repeat(number.len())));
        }
        for hint in &failure.hints {
            self.talk(&format!("  {} {hint}", self.err.paint(Tint::Good, "hint:")));
        }
    }

    fn talk(&self, text: &str) {
        talk(text);
    }
}

/// Writes to standard error; that nobody listens there is no reason to stop.
fn talk(text: &str) {
    let mut err = io::stderr().lock();
    let _ = err
        .write_all(text.as_bytes())
        .and_then(|()| err.write_all(b"\n"));
}

/// A fault of the database's files, whatever is being printed: answers to clients do not name files.
pub(crate) fn fault(error: &StoreError) {
    talk(&format!("fault: {error}"));
    match error {
        StoreError::Poisoned(_) => talk(
            "  hint: what was answered is kept and can be read; make room or mend the disk, then start again",
        ),
        StoreError::Corrupt { .. } => talk(
            "  hint: what is elsewhere can be read; stop the server and restore the directory from a copy",
        ),
        _ => {}
    }
}

fn place(global: &Global) -> String {
    match (&global.data, &global.endpoint) {
        (Some(dir), _) => format!(" --data {}", shell_word(&dir.to_string_lossy())),
        (None, Some(endpoint)) => format!(" --endpoint {endpoint}"),
        (None, None) => match &global.profile {
            Some(name) => format!(" --profile {}", shell_word(name)),
            None => String::new(),
        },
    }
}
