//! The commands: each takes its arguments, works through the seam, and prints a report.

mod archive;
mod completions;
mod copy;
mod count;
mod counters;
mod demo;
mod edges;
mod entities;
mod export;
mod import;
pub(crate) mod jobs;
mod lists;
mod model;
mod patterns;
mod profile;
mod recovery;
mod requests;
mod serve;
mod sets;
mod shards;
mod show;
mod verify;
mod walks;

use crate::args::{Cli, Command};
use crate::failure::{Exit, Failure};
use crate::print::Screen;
use bothways_graph::{Direction, SetOperation};

/// Runs one command to its end.
pub(crate) async fn run(cli: &Cli, screen: &Screen) -> Result<Exit, Failure> {
    let global = &cli.global;
    match &cli.command {
        Command::Serve(args) => serve::serve(args, global, screen).await,
        Command::Demo(args) => demo::demo(args, screen).await,
        Command::Profile(args) => profile::profile(args, global, screen),
        Command::Model(args) => model::model(args, global, screen).await,
        Command::Get(args) => entities::get(args, global, screen).await,
        Command::Put(args) => entities::put(args, global, screen).await,
        Command::Rm(args) => entities::rm(args, global, screen).await,
        Command::Archive(args) => archive::archive(args, true, global, screen).await,
        Command::Unarchive(args) => archive::archive(args, false, global, screen).await,
        Command::Show(args) => show::show(args, global, screen).await,
        Command::Link(args) => edges::link(args, global, screen).await,
        Command::Unlink(args) => edges::unlink(args, global, screen).await,
        Command::Upsert(args) => edges::upsert(args, global, screen).await,
        Command::Edge(args) => edges::edge(args, global, screen).await,
        Command::Set(args) => edges::set(args, global, screen).await,
        Command::Move(args) => edges::move_edge(args, global, screen).await,
        Command::Batch(args) => edges::batch(args, global, screen).await,
        Command::Out(args) => lists::list(args, Direction::Out, global, screen).await,
        Command::In(args) => lists::list(args, Direction::In, global, screen).await,
        Command::Count(args) => count::count(args, global, screen).await,
        Command::Mutual(args) => sets::mutual(args, global, screen).await,
        Command::Known(args) => sets::known(args, global, screen).await,
        Command::Intersect(args) => {
            sets::combine(args, SetOperation::Intersect, global, screen).await
        }
        Command::Union(args) => sets::combine(args, SetOperation::Union, global, screen).await,
        Command::Difference(args) => {
            sets::combine(args, SetOperation::Difference, global, screen).await
        }
        Command::Suggest(args) => walks::suggest(args, global, screen).await,
        Command::Near(args) => walks::near(args, global, screen).await,
        Command::Path(args) => walks::path(args, global, screen).await,
        Command::Verify(args) => verify::verify(args, global, screen).await,
        Command::Counters(args) => counters::counters(args, global, screen).await,
        Command::Shards(args) => shards::shards(args, global, screen).await,
        Command::Jobs(args) => jobs::jobs(args, global, screen).await,
        Command::Expr(args) => requests::expr(args, global, screen).await,
        Command::Codegen(args) => requests::codegen(args, global, screen).await,
        Command::Run(args) => requests::run(args, global, screen).await,
        Command::Table(args) => requests::table(args, global, screen).await,
        Command::Recovery => recovery::recovery(global, screen),
        Command::Import(args) => import::import(args, global, screen).await,
        Command::Export(args) => export::export(args, global, screen).await,
        Command::Patterns(args) => patterns::patterns(args, global, screen).await,
        Command::Copy(args) => copy::copy(args, global, screen).await,
        Command::Completions(args) => completions::completions(args),
    }
}
