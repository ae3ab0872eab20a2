//! The bothways binary: parses arguments, wires the rest together, prints.
//!
//! Parsing is not running: arguments become a typed command, the command runs against anything that is a
//! `DynamoDb`, and what it answers is printed. Data goes to standard output, talk to standard error. Only this
//! crate prints and exits.

mod args;
mod command;
mod dynamo;
mod explain;
mod failure;
mod guard;
mod interrupt;
mod models;
mod pages;
mod place;
mod print;
mod profile;
mod refusal;
mod report;
mod session;
mod spool;
mod spread;
mod target;
mod terminal;

use args::Cli;
use clap::Parser;
use failure::{Exit, Failure};
use print::Screen;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let screen = Screen::new(&cli.global);
    let exit = run(&cli, &screen).unwrap_or_else(|failure| {
        if !failure.is_silent() {
            screen.failure(&failure);
        }
        failure.exit
    });
    exit.into()
}

fn run(cli: &Cli, screen: &Screen) -> Result<Exit, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|e| Failure::no(format!("cannot start threads: {e}")))?
        .block_on(command::run(cli, screen))
}
