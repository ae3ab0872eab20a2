//! Trees back to text: one normal form, which parses to the same tree.
//!
//! Names that are reserved, or no identifiers, and values become placeholders; placeholders that a
//! parsed tree still holds stay as they are. Parentheses stand only where the tree needs them.

use super::ast::{Function, Node, Operand, Path, Segment, UpdateAction, ValueLeaf};
use super::reserved::is_reserved;
use super::{Names, Values};
use crate::Value;

/// Which names become placeholders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Aliases {
    /// Those that the grammar cannot take as they are: reserved words and names that are no identifiers.
    #[default]
    Needed,
    /// All of them.
    Always,
}

/// Prints the expressions of one request, which share their placeholders: a name has one, and so has a value.
#[derive(Debug, Default)]
pub struct Printer {
    out: Printed,
    aliases: Aliases,
}

/// An expression as text, with what its new placeholders stand for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Printed {
    /// The expression.
    pub text: String,
    /// `#n0`, `#n1` … with their names; empty where no name needed one.
    pub names: Names,
    /// `:v0`, `:v1` … with their values.
    pub values: Values,
}

impl Printed {
    /// Prints a condition.
    pub fn condition(node: &Node<'_>) -> Self {
        Printer::default().alone(|printer| printer.node(node))
    }

    /// Prints an update, one clause for each kind of action, in the order in which they first appear.
    pub fn update(actions: &[UpdateAction<'_>]) -> Self {
        Printer::default().alone(|printer| printer.actions(actions))
    }

    /// Prints a projection.
    #[must_use]
    pub fn projection(paths: &[Path<'_>]) -> Self {
        Printer::default().alone(|printer| printer.paths(paths))
    }
}

impl Printer {
    /// A printer without placeholders so far.
    #[must_use]
    pub fn new(aliases: Aliases) -> Self {
        let out = Printed::default();
        Self { out, aliases }
    }

    /// The text of a condition.
    pub fn condition(&mut self, node: &Node<'_>) -> String {
        self.text(|printer| printer.node(node))
    }

    /// The text of an update.
    pub fn update(&mut self, actions: &[UpdateAction<'_>]) -> String {
        self.text(|printer| printer.actions(actions))
    }

    /// The text of a projection.
    pub fn projection(&mut self, paths: &[Path<'_>]) -> String {
        self.text(|printer| printer.paths(paths))
    }

    /// What the placeholders of everything printed stand for.
    #[must_use]
    pub fn finish(self) -> (Names, Values) {
        (self.out.names, self.out.values)
    }

    fn text(&mut self, print: impl FnOnce(&mut Self)) -> String {
        print(self);
        std::mem::take(&mut self.out.text)
    }

    fn alone(mut self, print: impl FnOnce(&mut Self)) -> Printed {
        print(&mut self);
        self.out
    }

    fn actions(&mut self, actions: &[UpdateAction<'_>]) {
        let mut clauses = Vec::with_capacity(4);
        for action in actions {
            if !clauses.contains(&action.clause()) {
                clauses.push(action.clause());
            }
        }
        for (at, clause) in clauses.into_iter().enumerate() {
            self.push(if at > 0 { " " } else { "" });
            self.push(clause.keyword());
            let of_clause = actions.iter().filter(|action| action.clause() == clause);
            for (at, action) in of_clause.enumerate() {
                self.push(if at > 0 { ", " } else { " " });
                self.action(action);
            }
        }
    }

    fn paths(&mut self, paths: &[Path<'_>]) {
        for (at, path) in paths.iter().enumerate() {
            self.push(if at > 0 { ", " } else { "" });
            self.path(path);
        }
    }
}

/// Words that are no names in some grammar and are not on the list of reserved words.
const UNLISTED_KEYWORDS: [&str; 1] = ["REMOVE"];

fn is_plain(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic())
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && !is_reserved(name)
        && !UNLISTED_KEYWORDS
            .iter()
            .any(|word| word.eq_ignore_ascii_case(name))
}

impl Printer {
    fn push(&mut self, text: &str) {
        self.out.text.push_str(text);
    }

    fn node(&mut self, node: &Node<'_>) {
        match node {
            Node::And(nodes) => self.joined(nodes, " AND "),
            Node::Or(nodes) => self.joined(nodes, " OR "),
            Node::Not(node) => {
                self.push("NOT ");
                let group = matches!(**node, Node::And(_) | Node::Or(_) | Node::Not(_));
                self.grouped(node, group);
            }
            Node::Compare { op, left, right } => {
                self.operand(left);
                self.push(" ");
                self.push(op.symbol());
                self.push(" ");
                self.operand(right);
            }
            Node::Between { operand, low, high } => {
                self.operand(operand);
                self.push(" BETWEEN ");
                self.operand(low);
                self.push(" AND ");
                self.operand(high);
            }
            Node::In { operand, list } => {
                self.operand(operand);
                self.push(" IN (");
                self.list(list);
                self.push(")");
            }
            Node::Function(function) => self.function(function),
        }
    }

    fn joined(&mut self, nodes: &[Node<'_>], with: &str) {
        for (at, node) in nodes.iter().enumerate() {
            if at > 0 {
                self.push(with);
            }
            // AND binds closer than OR; a list inside its like is a list of its own.
            let group = match node {
                Node::Or(_) => true,
                Node::And(_) => with == " AND ",
                _ => false,
            };
            self.grouped(node, group);
        }
    }

    fn grouped(&mut self, node: &Node<'_>, group: bool) {
        self.push(if group { "(" } else { "" });
        self.node(node);
        self.push(if group { ")" } else { "" });
    }

    fn operand(&mut self, operand: &Operand<'_>) {
        match operand {
            Operand::Path(path) => self.path(path),
            Operand::Value(value) => self.value(value),
            Operand::Function(function) => self.function(function),
            Operand::Arithmetic(sum) => {
                self.operand(&sum.left);
                self.push(" ");
                self.push(sum.op.symbol());
                self.push(" ");
                self.operand(&sum.right);
            }
            // DynamoDB's expressions cannot say it; PartiQL can.
            Operand::Condition(node) => self.grouped(node, true),
        }
    }

    fn function(&mut self, function: &Function<'_>) {
        self.push(function.name.text());
        self.push("(");
        self.list(&function.args);
        self.push(")");
    }

    fn list(&mut self, operands: &[Operand<'_>]) {
        for (at, operand) in operands.iter().enumerate() {
            self.push(if at > 0 { ", " } else { "" });
            self.operand(operand);
        }
    }

    fn action(&mut self, action: &UpdateAction<'_>) {
        self.path(action.path());
        match action {
            UpdateAction::Set(_, operand) => {
                self.push(" = ");
                self.operand(operand);
            }
            UpdateAction::Remove(_) => {}
            UpdateAction::Add(_, value) | UpdateAction::Delete(_, value) => {
                self.push(" ");
                self.value(value);
            }
        }
    }

    fn path(&mut self, path: &Path<'_>) {
        for (at, segment) in path.segments().enumerate() {
            match segment {
                Segment::Index(index) => {
                    self.push("[");
                    self.push(&index.to_string());
                    self.push("]");
                }
                Segment::Name(name) => {
                    self.push(if at > 0 { "." } else { "" });
                    self.name(name);
                }
                Segment::Placeholder(text) => {
                    self.push(if at > 0 { "." } else { "" });
                    self.push(text);
                }
            }
        }
    }

    fn name(&mut self, name: &str) {
        if self.aliases == Aliases::Needed && is_plain(name) {
            return self.push(name);
        }
        let known = self.out.names.iter().find(|(_, known)| *known == name);
        let key = known.map_or_else(|| format!("#n{}", self.out.names.len()), |(k, _)| k.clone());
        self.push(&key);
        self.out.names.insert(key, name.to_owned());
    }

    fn value(&mut self, leaf: &ValueLeaf<'_>) {
        match leaf {
            ValueLeaf::Placeholder(text, _) => self.push(text),
            ValueLeaf::Literal(value) => self.literal(value),
        }
    }

    fn literal(&mut self, value: &Value) {
        let known = self.out.values.iter().find(|(_, known)| *known == value);
        let key = known.map_or_else(
            || format!(":v{}", self.out.values.len()),
            |(k, _)| k.clone(),
        );
        self.push(&key);
        self.out.values.insert(key, value.clone());
    }
}
