//! What went wrong, where, and what to do: the one error type of the binary, and its exit codes.

use std::fmt;

/// How the process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Done, or nothing had to be done.
    Done = 0,
    /// The answer is no: no such edge, rejected rows, a model that fails its check.
    No = 1,
    /// The command makes no sense as written.
    Usage = 2,
    /// The database refused.
    Refused = 3,
    /// The database cannot be reached or opened.
    Unreachable = 4,
    /// Stopped by Ctrl-C (128 + SIGINT).
    Stopped = 130,
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// The line of a file that is wrong, and which bytes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// Line number, from 1.
    pub(crate) line: usize,
    /// The line.
    pub(crate) text: String,
    /// First wrong character of it, and how many.
    pub(crate) span: (usize, usize),
}

/// A failure as the user reads it.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    /// How the process ends.
    pub(crate) exit: Exit,
    /// What and where.
    pub(crate) message: String,
    /// The line in question.
    pub(crate) excerpt: Option<Box<Excerpt>>,
    /// What to do; may be empty.
    pub(crate) hints: Vec<String>,
}

impl Failure {
    fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self {
            exit,
            message: message.into(),
            excerpt: None,
            hints: Vec::new(),
        }
    }
    /// The answer is no.
    pub(crate) fn no(message: impl Into<String>) -> Self {
        Self::new(Exit::No, message)
    }
    /// The command makes no sense as written.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }
    /// The database refused.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self::new(Exit::Refused, message)
    }
    /// The database cannot be reached or opened.
    pub(crate) fn unreachable(message: impl Into<String>) -> Self {
        Self::new(Exit::Unreachable, message)
    }
    /// Stopped by Ctrl-C.
    pub(crate) fn stopped(message: impl Into<String>) -> Self {
        Self::new(Exit::Stopped, message)
    }
    /// The reader of an export has read enough and went away, as `head` does: it ends, and nothing went wrong.
    pub(crate) fn unheard() -> Self {
        Self::new(Exit::Done, "")
    }
    /// Whether there is nothing to say.
    pub(crate) fn is_silent(&self) -> bool {
        self.message.is_empty()
    }
    /// Adds a line of advice.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
    /// Shows the line in question.
    #[must_use]
    pub(crate) fn excerpt(mut self, excerpt: Excerpt) -> Self {
        self.excerpt = Some(Box::new(excerpt));
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

impl From<std::io::Error> for Failure {
    /// Standard output cannot be written.
    fn from(error: std::io::Error) -> Self {
        Self::no(format!("cannot write: {error}"))
    }
}
