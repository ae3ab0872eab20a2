//! PartiQL as DynamoDB speaks it: one statement to the same trees that expressions become.
//!
//! ```text
//! text ──lex──▶ tokens ──parse──▶ statement as written ──bind──▶ conditions, updates, items, columns
//!                                  (knows its table)    ▲                  │
//!                                              parameters       access ◀── key schema
//! ```
//!
//! [`Parsed::read`] needs nothing but the text, so that the table can be looked up; [`Parsed::bind`] takes the
//! parameters and gives [`Node`](crate::expr::Node)s, an [`Update`](crate::expr::Update) or an item, which are
//! evaluated like those of any other operation; [`Access::of`] and [`Keyed::of`] find which keys a WHERE clause
//! selects. A statement has at most 8,192 characters (API Reference, `ExecuteStatement`); time is linear in
//! its tokens and nothing recurses deeper than forty levels.
//!
//! ```
//! use bothways_core::Value;
//! use bothways_core::partiql::{Parsed, Statement};
//!
//! let parsed = Parsed::read(r#"SELECT title FROM "books" WHERE isbn = ? AND NOT lent"#);
//! assert!(parsed.is_ok());
//! let parsed = Parsed::read("DELETE FROM books WHERE isbn = ?")?;
//! assert_eq!(parsed.table(), "books");
//! let isbn = Value::from("0-201-03801-3");
//! assert!(matches!(parsed.bind(&[&isbn])?, Statement::Delete { .. }));
//! # Ok::<(), bothways_core::partiql::Fault>(())
//! ```

mod access;
mod ast;
mod bind;
mod column;
mod error;
mod key;
mod keywords;
mod lex;
mod order;
mod parse;

pub use access::{Access, Branch, MOST_READS};
pub use column::{Column, Columns};
pub use error::{At, Fault, Malformed};
pub use key::{KeyFault, Keyed};
pub use order::Direction;

use crate::expr::{Node, Update};
use crate::{Item, Value};
use ast::{Syntax, Target};

/// What an UPDATE or DELETE gives back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Returning {
    /// `ALL OLD *`: the item as it was.
    AllOld,
    /// `ALL NEW *`: the item as it is now.
    AllNew,
    /// `MODIFIED OLD *`: what the update's paths led to.
    ModifiedOld,
    /// `MODIFIED NEW *`: what they lead to now.
    ModifiedNew,
}

impl Returning {
    /// As written, without the star.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::AllOld => "ALL OLD",
            Self::AllNew => "ALL NEW",
            Self::ModifiedOld => "MODIFIED OLD",
            Self::ModifiedNew => "MODIFIED NEW",
        }
    }
}

/// What a statement does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Reads.
    Select,
    /// Checks a condition, in a transaction that writes.
    Exists,
    /// Puts a new item.
    Insert,
    /// Changes an item.
    Update,
    /// Removes an item.
    Delete,
}

/// A statement that is well formed.
#[derive(Debug)]
pub struct Parsed<'a> {
    text: &'a str,
    syntax: Syntax<'a>,
    parameters: usize,
}

/// A statement that can be carried out.
#[derive(Debug)]
pub enum Statement<'p> {
    /// `SELECT`
    Select(Select<'p>),
    /// `EXISTS(SELECT …)`
    Exists(Select<'p>),
    /// `INSERT INTO table VALUE {…}`
    Insert(Item),
    /// `UPDATE`
    Update {
        /// What changes.
        update: Update<'p>,
        /// The WHERE clause.
        condition: Option<Node<'p>>,
        /// What it gives back.
        returning: Option<Returning>,
    },
    /// `DELETE`
    Delete {
        /// The WHERE clause.
        condition: Option<Node<'p>>,
        /// What it gives back: the old item or nothing.
        returning: Option<Returning>,
    },
}

/// A SELECT.
#[derive(Debug)]
pub struct Select<'p> {
    /// What is made of each item.
    pub columns: Columns<'p>,
    /// The WHERE clause.
    pub condition: Option<Node<'p>>,
    /// The ORDER BY clause: attributes, each with whether it descends.
    pub order: Vec<(&'p str, bool)>,
}

impl<'a> Parsed<'a> {
    /// Reads a statement's text.
    ///
    /// # Errors
    /// [`Fault::Malformed`], and the clauses and forms that DynamoDB does not have.
    pub fn read(text: &'a str) -> Result<Self, Fault> {
        let (syntax, parameters) = parse::statement(text)?;
        Ok(Self {
            text,
            syntax,
            parameters,
        })
    }

    /// What it does.
    #[must_use]
    pub fn verb(&self) -> Verb {
        match &self.syntax {
            Syntax::Select(_) => Verb::Select,
            Syntax::Exists(_) => Verb::Exists,
            Syntax::Insert { .. } => Verb::Insert,
            Syntax::Update { .. } => Verb::Update,
            Syntax::Delete { .. } => Verb::Delete,
        }
    }

    fn target(&self) -> &Target<'a> {
        match &self.syntax {
            Syntax::Select(select) | Syntax::Exists(select) => &select.target,
            Syntax::Insert { target, .. }
            | Syntax::Update { target, .. }
            | Syntax::Delete { target, .. } => target,
        }
    }

    /// The table it names.
    #[must_use]
    pub fn table(&self) -> &str {
        &self.target().table
    }

    /// The index it names; only reads can.
    #[must_use]
    pub fn index(&self) -> Option<&str> {
        self.target().index.as_deref()
    }

    /// What it gives back.
    #[must_use]
    pub fn returning(&self) -> Option<Returning> {
        match &self.syntax {
            Syntax::Update { returning, .. } | Syntax::Delete { returning, .. } => *returning,
            _ => None,
        }
    }

    /// Puts the parameters in and checks everything that needs no table.
    ///
    /// # Errors
    /// The first [`Fault`], the WHERE clause's before the others.
    pub fn bind<'p>(&'p self, parameters: &[&'p Value]) -> Result<Statement<'p>, Fault> {
        if parameters.len() != self.parameters {
            return Err(Fault::ParameterCount);
        }
        bind::Binder::new(self.text, parameters).statement(&self.syntax)
    }
}
