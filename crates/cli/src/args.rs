//! The argument tree: what can be said on the command line, as data. Parsing is not running.

use bothways_client::Endpoint;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

mod assign;
mod counters;
mod files;
mod items;
mod jobs;
mod places;
mod requests;
mod shards;
mod walks;
mod writes;

pub(crate) use assign::Assignment;
pub(crate) use counters::{Counters, CountingArg, RunCounters};
pub(crate) use files::{Export, Format, Import, RelationArgs, Separator, YesNo};
pub(crate) use items::{
    By, ChangesArgs, Count, Edge, EdgeRead, Entity, Get, List, Node, Page, Put, Seconds, Side,
};
pub(crate) use jobs::{JobArgs, Jobs, Migrate, OrphansArg, Pace, Rm, Verify};
pub(crate) use places::{AddProfile, Copy, Patterns, Profile};
pub(crate) use requests::{Codegen, Expr, RequestText, Run, Table};
pub(crate) use shards::Shards;
pub(crate) use walks::{Combine, Known, Mutual, Near, Path, SetPageArgs, Suggest, Way};
pub(crate) use writes::{Batch, Link, Move, Set, Unlink, Upsert};

/// Rows of one page where `--limit` says nothing: a screenful, and cheap to read.
pub(crate) const DEFAULT_LIMIT: u32 = 100;

/// The command groups as the top-level help shows them; `every_command_is_in_the_help` keeps them complete.
const TEMPLATE: &str = "\
{about}

Usage: bothways <COMMAND> [ARGUMENTS] [OPTIONS]

Start
  serve                               Serve the DynamoDB API on this machine
  demo                                A guided minute in this terminal, nothing kept

Places
  profile add | list | remove         Places by name, for --profile

Models
  model new | check | apply | show    Write, prove, create and print a model
  model doctor | migrate              Find a table's traps, and get it out of them
  patterns        MODEL               Its access patterns on the table as it is, by requests and capacity

Entities
  get             MODEL ENTITY ID…    Read one entity, or several
  put | rm        MODEL ENTITY ID     Write or remove one entity (rm --cascade: with its edges)
  archive | unarchive  MODEL ENTITY ID  Hide an entity from reads, and take it back
  show            MODEL ENTITY ID     An entity with its edges, in one Query

Edges
  link | unlink   MODEL RELATION SRC DST              Add or remove an edge, and count it
  upsert          MODEL RELATION SRC DST NAME=VALUE…  Add an edge, or change the one that is there
  edge            MODEL RELATION SRC DST…             Read one edge, or several of a source
  set             MODEL RELATION SRC DST NAME=VALUE…  Change an edge's attributes
  move            MODEL RELATION OTHER SRC DST        Move an edge to another relation: accept a request
  batch           MODEL RELATION FILE                 Add and remove many edges, an answer for each
  out | in        MODEL RELATION ID                   List edges from a node, or to it
  count           MODEL RELATION ID                   Counted edges, both ways

Sets and walks
  mutual          MODEL RELATION ID          Those whom a node points at and who point back
  known           MODEL RELATION VIEWER ID   Of those who point at a node, whom the viewer points at
  intersect | union | difference  MODEL LIST…  Lists of peers combined; a LIST is RELATION:out|in:ID
  suggest         MODEL RELATION ID          Friends of friends, most in common first
  near            MODEL RELATION ID          Who is within a few hops
  path            MODEL RELATION FROM TO     A shortest path

Jobs
  verify          MODEL                Compare every counter and key with the edges; --repair mends them
  jobs            list | show | run | pause | resume | cancel   Work of many steps, kept in the table

Requests
  expr            REQUEST                  Check a request, explain it, print its normal form
  codegen         REQUEST --to LANGUAGE    Print it as a program, in any SDK's language
  run             REQUEST                  Send it, and say what it used
  table           NAME [--to FORM]         A table as JSON, Terraform, CDK or CloudFormation
  recovery                                 What point-in-time recovery keeps of a directory's tables

Hot targets
  shards          show | grow | shrink  MODEL RELATION ID   Keys that a target's edges are spread over
  counters        show | switch | run   MODEL …             How its edges are counted; count from the stream

Files
  import          MODEL RELATION FILE  Load edges from CSV or TSV; safe to run again
  copy            MODEL --to PLACE     Move a table to another place, compared item by item
  export          MODEL RELATION FILE  Write a relation's edges as CSV, TSV or JSON lines
  completions     SHELL                Completions for a shell

MODEL is a model that ships (follow, school, social, memberships, likes, friendships)
or the path of a TOML file.

Everywhere (the place is --data, --endpoint or --profile, else BOTHWAYS_PROFILE, else BOTHWAYS_TARGET,
else http://127.0.0.1:8000)
{options}{after-help}";

const AFTER: &str = "\
Try it
  bothways demo
  bothways serve --memory --sample      then, in another terminal:
  bothways in follow follows bob";

/// Write each edge once, read it both ways: a DynamoDB-compatible database and a graph layer over it.
#[derive(Debug, Parser)]
#[command(
    name = "bothways",
    version,
    help_template = TEMPLATE,
    after_help = AFTER,
    disable_help_subcommand = true,
    subcommand_required = true,
    arg_required_else_help = true,
    max_term_width = 100
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options that every command takes.
#[derive(Debug, Clone, Args)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own, given or not"
)]
pub(crate) struct Global {
    /// Open the database in this directory, in this process
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        conflicts_with = "endpoint",
        help_heading = "Where [else BOTHWAYS_TARGET, else http://127.0.0.1:8000]"
    )]
    pub(crate) data: Option<PathBuf>,
    /// Talk to a DynamoDB endpoint
    #[arg(
        long,
        global = true,
        value_name = "URL",
        help_heading = "Where [else BOTHWAYS_TARGET, else http://127.0.0.1:8000]"
    )]
    pub(crate) endpoint: Option<Endpoint>,
    /// Use a place that has a name; aws is there without a file
    #[arg(
        long,
        global = true,
        value_name = "NAME",
        conflicts_with_all = ["data", "endpoint"],
        help_heading = "Where [else BOTHWAYS_TARGET, else http://127.0.0.1:8000]"
    )]
    pub(crate) profile: Option<String>,
    /// Print JSON, one document
    #[arg(long, global = true, help_heading = "Output")]
    pub(crate) json: bool,
    /// Print the requests that would be sent and their cost, and send nothing
    #[arg(long, global = true, help_heading = "Output")]
    pub(crate) explain: bool,
    /// Print no receipts, progress or advice
    #[arg(short, long, global = true, help_heading = "Output")]
    pub(crate) quiet: bool,
    /// Use no colour
    #[arg(long, global = true, help_heading = "Output")]
    pub(crate) no_color: bool,
}

/// Everything that can be asked for.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve the DynamoDB API over HTTP, from a directory or from memory
    Serve(Serve),
    /// A guided minute in this terminal, on a throw-away database in memory
    Demo(Demo),
    /// Name places, and list and forget their names
    #[command(subcommand, subcommand_required = true, arg_required_else_help = true)]
    Profile(Profile),
    /// Write, prove, create and print models
    #[command(subcommand, subcommand_required = true, arg_required_else_help = true)]
    Model(Model),
    /// Read one entity, or several
    Get(Get),
    /// Write one entity's attributes, keeping its counters
    Put(Put),
    /// Remove one entity that has no edges, or with all of them
    Rm(Rm),
    /// Hide an entity from reads; its edges and counters stay
    Archive(Entity),
    /// Take an archived entity back
    Unarchive(Entity),
    /// Show an entity with its edges, in one Query
    Show(Entity),
    /// Add an edge, once: again is Unchanged
    Link(Link),
    /// Remove an edge; where there is none, Unchanged
    Unlink(Unlink),
    /// Add an edge, or change the one that is there
    ///
    /// With --at, the edge is replaced as a whole unless what is there is later.
    Upsert(Upsert),
    /// Read one edge, or several of a source
    Edge(EdgeRead),
    /// Change an edge's attributes
    Set(Set),
    /// Move an edge to another relation, with the counters of both, in one transaction
    Move(Move),
    /// Add and remove many edges, with an answer for each
    Batch(Batch),
    /// List the edges from a node
    Out(List),
    /// List the edges to a node
    In(List),
    /// Show how many edges a node has, from its counters
    Count(Count),
    /// List those whom a node points at and who point back
    Mutual(Mutual),
    /// List those who point at a node and whom the viewer points at
    Known(Known),
    /// List the peers that are in every list
    Intersect(Combine),
    /// List the peers that are in any list
    Union(Combine),
    /// List the peers that are in the first list and in no other
    Difference(Combine),
    /// Suggest friends of friends
    Suggest(Suggest),
    /// List who is within a few hops
    Near(Near),
    /// Find a shortest path
    Path(Path),
    /// Compare counters, keys and index attributes with the edges, also while they change
    ///
    /// Ends with 0 where nothing is wrong (any more), 1 where something is, 2 where it could not be done.
    Verify(Verify),
    /// Look at jobs, work on them, steer them
    #[command(subcommand, subcommand_required = true, arg_required_else_help = true)]
    Jobs(Jobs),
    /// Check a request, explain it in a sentence, and print its normal form
    Expr(Expr),
    /// Print a request as a program in an SDK's language
    Codegen(Codegen),
    /// Send a request, and say what it used
    Run(Run),
    /// Print a table's definition, also for infrastructure tools
    Table(Table),
    /// Say what point-in-time recovery keeps of a directory's tables
    Recovery,
    /// Spread the edges of a hot target over shards
    #[command(subcommand, subcommand_required = true, arg_required_else_help = true)]
    Shards(Shards),
    /// Count a target's edges in another way, and from the stream
    #[command(subcommand, subcommand_required = true, arg_required_else_help = true)]
    Counters(Counters),
    /// Load edges from a CSV or TSV file; safe to run again
    Import(Import),
    /// Write a relation's edges to a CSV, TSV or JSON lines file
    Export(Export),
    /// Run a model's access patterns on its table, and hold each against its proof
    Patterns(Patterns),
    /// Copy a model's table, or any table, to another place; safe to run again
    Copy(Copy),
    /// Print completions for a shell
    Completions(Completions),
}

/// `serve`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Serve {
    /// Keep everything in memory; nothing is left when it stops
    #[arg(long, conflicts_with_all = ["data", "endpoint", "profile"])]
    pub(crate) memory: bool,
    /// Export tables to the directories in here and import from them, as from buckets by their names
    #[arg(long, value_name = "DIR")]
    pub(crate) bucket_dir: Option<PathBuf>,
    /// Address to listen on
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDRESS")]
    pub(crate) host: std::net::IpAddr,
    /// Port to listen on; 0 takes a free one
    #[arg(long, default_value_t = 8000)]
    pub(crate) port: u16,
    /// Answer to this host name too, beside localhost and addresses
    #[arg(long, value_name = "NAME")]
    pub(crate) allow_host: Vec<String>,
    /// Answer requests without a signature too, as plain curl sends them
    #[arg(long)]
    pub(crate) unsigned: bool,
    /// Create the tables of the models that ship, with their sample data
    #[arg(long)]
    pub(crate) sample: bool,
    /// Create this model's table if it is missing; may be given more than once
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Vec<String>,
    /// Show this profile's place in the workbench too; may be given more than once
    #[arg(long, value_name = "PROFILE")]
    pub(crate) connect: Vec<String>,
}

/// `demo`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Demo {
    /// Do not pause between the steps
    #[arg(long)]
    pub(crate) fast: bool,
}

/// `model …`.
#[derive(Debug, Subcommand)]
pub(crate) enum Model {
    /// Write a model file to start from
    New {
        /// The new model's name; it also names its table
        name: String,
        /// The model to start from
        #[arg(long, default_value = "follow", value_name = "MODEL")]
        from: String,
        /// Propose a model of a table that is there, from a sample of its items
        #[arg(long, value_name = "TABLE", conflicts_with = "from")]
        from_table: Option<String>,
        /// Items to look at; at most 20000
        #[arg(long, value_name = "N", requires = "from_table")]
        sample: Option<u32>,
        /// Where to write it; models/NAME.toml unless given
        #[arg(long, value_name = "FILE")]
        to: Option<PathBuf>,
    },
    /// Prove every read of a model: operation, key, consistency and cost
    Check {
        /// A model that ships, or a TOML file
        model: String,
    },
    /// Create the model's table and indexes where they are missing
    Apply {
        /// A model that ships, or a TOML file
        model: String,
    },
    /// Look for the traps of the pattern in a model and its table, with a repair for each
    ///
    /// Ends with 1 where it found any. It reads, and never writes.
    Doctor {
        /// A model that ships, or a TOML file
        model: String,
        /// Items of the table to look at
        #[arg(
            long,
            value_name = "N",
            default_value_t = 10_000,
            conflicts_with = "all"
        )]
        sample: u64,
        /// Look at every item
        #[arg(long)]
        all: bool,
    },
    /// Make a table that something else wrote fit the model, as a job; --dry-run first
    Migrate {
        /// A model that ships, or a TOML file
        model: String,
        #[command(subcommand)]
        what: Migrate,
    },
    /// Print a model: entities, relations, keys
    Show {
        /// A model that ships, or a TOML file
        model: String,
        /// Print the model file itself
        #[arg(long)]
        toml: bool,
    },
}

/// `completions`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Completions {
    /// bash, elvish, fish, powershell or zsh
    #[arg(hide_possible_values = true)]
    pub(crate) shell: clap_complete::Shell,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_tree_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_is_in_the_help() {
        let named: Vec<&str> = TEMPLATE
            .lines()
            .filter(|line| line.starts_with("  "))
            .flat_map(|line| line.split([' ', '|']).filter(|word| !word.is_empty()))
            .collect();
        for command in Cli::command().get_subcommands() {
            assert!(
                named.contains(&command.get_name()),
                "{}",
                command.get_name()
            );
        }
    }

    #[test]
    fn every_shipped_model_is_in_the_help() {
        for model in bothways_graph::model::shipped_models() {
            assert!(TEMPLATE.contains(model.name), "{}", model.name);
        }
    }

    #[test]
    fn a_place_is_one_place() {
        let both = Cli::try_parse_from([
            "bothways",
            "out",
            "follow",
            "follows",
            "bob",
            "--data",
            "d",
            "--endpoint",
            "http://h:1",
        ]);
        assert!(both.is_err());
    }
}
