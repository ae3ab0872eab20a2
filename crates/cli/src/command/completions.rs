//! `completions`.

use crate::args::{Cli, Completions};
use crate::failure::{Exit, Failure};
use clap::CommandFactory;
use std::io::Write;

/// Prints a shell's completions, made from the argument tree itself.
pub(crate) fn completions(args: &Completions) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "bothways", &mut script);
    std::io::stdout().lock().write_all(&script)?;
    Ok(Exit::Done)
}
