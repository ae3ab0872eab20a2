//! Arguments of set operations and walks.

use super::items::Node;
use bothways_graph::{Along, Direction, Limits, Operand, Part};
use bothways_protocol::types::Units;
use clap::{Args, ValueEnum};
use std::str::FromStr;
use std::time::Duration;

/// The most that one command takes.
#[derive(Debug, Clone, Args)]
pub(crate) struct LimitArgs {
    /// Most nodes to reach [default: 10000]
    #[arg(long = "max-nodes", value_name = "N", help_heading = "Limits")]
    pub(crate) nodes: Option<u64>,
    /// Most edges to read [default: 100000]
    #[arg(long = "max-edges", value_name = "N", help_heading = "Limits")]
    pub(crate) edges: Option<u64>,
    /// Most read units to spend [default: 5000]
    #[arg(long = "max-units", value_name = "N", help_heading = "Limits")]
    pub(crate) units: Option<u64>,
    /// Most seconds to take [default: 10]
    #[arg(long = "max-seconds", value_name = "N", help_heading = "Limits")]
    pub(crate) seconds: Option<u64>,
}

impl LimitArgs {
    /// As given, else as the layer's defaults.
    pub(crate) fn limits(&self) -> Limits {
        let default = Limits::default();
        Limits {
            nodes: self.nodes.unwrap_or(default.nodes),
            edges: self.edges.unwrap_or(default.edges),
            read: self.units.map_or(default.read, Units::whole),
            time: self.seconds.map_or(default.time, Duration::from_secs),
        }
    }
}

/// A list of peers: `follows:in:bob`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListName(pub(crate) Operand);

impl FromStr for ListName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.splitn(3, ':');
        let (Some(relation), Some(direction), Some(id)) =
            (parts.next(), parts.next(), parts.next())
        else {
            return Err("write RELATION:out:ID or RELATION:in:ID".into());
        };
        let direction = match direction {
            "out" => Direction::Out,
            "in" => Direction::In,
            other => return Err(format!("{other:?} is neither out nor in")),
        };
        Ok(Self(Operand::new(relation, direction, id)))
    }
}

/// How the lists behind the first take part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Way {
    /// Read in order.
    Merge,
    /// Looked into by key.
    Probe,
}

impl Way {
    /// As the layer says it.
    pub(crate) const fn part(self) -> Part {
        match self {
            Self::Merge => Part::Merged,
            Self::Probe => Part::Probed,
        }
    }
}

/// Which page of a set, and how.
#[derive(Debug, Clone, Args)]
pub(crate) struct SetPageArgs {
    /// Ids to list [default: 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: Option<u32>,
    /// Continue after this cursor, as the page before printed it
    #[arg(long, value_name = "CURSOR")]
    pub(crate) after: Option<String>,
    /// Say how many it can be, from the lists' counters alone
    #[arg(long, conflicts_with_all = ["limit", "after", "by"])]
    pub(crate) count: bool,
    /// Read the other lists in order, or look into them by key [default: as counters say is cheaper]
    #[arg(long, value_name = "merge|probe", hide_possible_values = true)]
    pub(crate) by: Option<Way>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// `intersect`, `union` and `difference`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  bothways intersect follow follows:in:bob follows:out:alice     bob's followers whom alice follows
  bothways difference follow follows:out:alice follows:in:alice  whom alice follows and who does not follow back")]
pub(crate) struct Combine {
    /// A model that ships, or a TOML file
    pub(crate) model: String,
    /// Lists of peers, as RELATION:out:ID or RELATION:in:ID
    #[arg(value_name = "LIST", required = true)]
    pub(crate) lists: Vec<ListName>,
    #[command(flatten)]
    pub(crate) page: SetPageArgs,
}

/// `mutual`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  bothways mutual follow follows alice     whom alice follows and who follow back")]
pub(crate) struct Mutual {
    #[command(flatten)]
    pub(crate) node: Node,
    #[command(flatten)]
    pub(crate) page: SetPageArgs,
}

/// `known`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  bothways known follow follows alice star     who follows star and is followed by alice")]
pub(crate) struct Known {
    /// A model that ships, or a TOML file
    pub(crate) model: String,
    /// The relation, such as follows
    pub(crate) relation: String,
    /// Who looks
    pub(crate) viewer: String,
    /// The node that is looked at
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) page: SetPageArgs,
}

/// Which way along edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AlongArg {
    /// From source to target.
    Out,
    /// From target to source.
    In,
    /// Either way.
    Both,
}

impl AlongArg {
    /// As the layer says it.
    pub(crate) const fn along(self) -> Along {
        match self {
            Self::Out => Along::Out,
            Self::In => Along::In,
            Self::Both => Along::Both,
        }
    }
}

/// `near`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  bothways near follow follows alice --depth 2
  bothways near friendships friends zoe --depth 3 --max-units 50")]
pub(crate) struct Near {
    #[command(flatten)]
    pub(crate) node: Node,
    /// Hops, 1 to 3
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=3))]
    pub(crate) depth: u32,
    /// Go along edges out, in, or both ways
    #[arg(
        long,
        value_name = "out|in|both",
        default_value = "out",
        hide_possible_values = true
    )]
    pub(crate) along: AlongArg,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// `path`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  bothways path follow follows alice star
  bothways path follow follows alice star --along both --longest 4")]
pub(crate) struct Path {
    /// A model that ships, or a TOML file
    pub(crate) model: String,
    /// The relation, such as follows
    pub(crate) relation: String,
    /// Where it begins
    pub(crate) from: String,
    /// Where it ends
    pub(crate) to: String,
    /// Most hops, 1 to 12
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=12))]
    pub(crate) longest: u32,
    /// Go along edges out, in, or both ways
    #[arg(
        long,
        value_name = "out|in|both",
        default_value = "out",
        hide_possible_values = true
    )]
    pub(crate) along: AlongArg,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// `suggest`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  bothways suggest follow follows alice --limit 5")]
pub(crate) struct Suggest {
    #[command(flatten)]
    pub(crate) node: Node,
    /// Suggestions to list, at most 100
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) limit: u32,
    /// Friends to ask
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) friends: u32,
    /// Edges to read of each
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) each: u32,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}
