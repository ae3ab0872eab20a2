//! Commands that documents show, and what they show below them.

use super::{Ran, blot, bothways, words};
use std::path::Path;

/// A command of a block and what the document shows below it.
pub struct Shown {
    /// The command's line, without its `$`.
    pub command: String,
    /// The lines below it.
    pub output: String,
}

/// Commands of the blocks fenced as `console`.
pub fn commands(text: &str) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if inside && let Some(command) = line.strip_prefix("$ ") {
            shown.push(Shown {
                command: command.to_owned(),
                output: String::new(),
            });
        } else if inside && let Some(last) = shown.last_mut() {
            last.output += line;
            last.output.push('\n');
        }
    }
    shown
}

/// The document with what its commands print in the place of what it shows below them.
pub fn rewritten(text: &str, outputs: &[String]) -> String {
    let mut outputs = outputs.iter();
    let mut out = String::new();
    let (mut inside, mut first) = (false, true);
    for line in text.lines() {
        if line.starts_with("```") {
            (inside, first) = (line == "```console", true);
        } else if inside && line.starts_with("$ ") {
            if !first {
                out.push('\n');
            }
            first = false;
            let output = outputs.next().map(String::as_str).unwrap_or_default();
            out.extend([line, "\n", output.trim_start_matches('\n')]);
            continue;
        } else if inside {
            continue;
        }
        out += line;
        out.push('\n');
    }
    out
}

/// Without what differs from run to run, and without the blank line between two commands.
pub fn plain(text: &str) -> String {
    blot(text).trim_end().to_owned()
}

/// What a command prints, all of it.
pub fn printed(dir: &Path, target: &str, arguments: &str) -> String {
    let mut run = bothways();
    run.current_dir(dir)
        .env("BOTHWAYS_TARGET", target)
        .args(words(arguments));
    let ran = Ran::from(run.output().unwrap());
    format!("{}{}", ran.out, ran.err)
}
