//! The tree that every expression becomes, whatever it was written in.
//!
//! One tree serves parsed text (leaves are placeholders), checked expressions (leaves are names and
//! values) and trees built by code (legacy parameters, PartiQL, builders). `AND` and `OR` hold all
//! their operands in one list, so a long chain is flat. Parentheses leave no node.

use crate::{Item, Value, ValueRef};
use std::borrow::Cow;

/// Where a piece of an expression stood: byte offsets into its text, `0..0` for built trees.
///
/// Two spans are always equal: where a node stood does not make it another node.
#[derive(Debug, Clone, Copy, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl PartialEq for Span {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
impl Eq for Span {}

/// One step of a document path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment<'a> {
    /// An attribute name or map key, resolved.
    Name(Cow<'a, str>),
    /// `#name`, with its `#`, not yet resolved.
    Placeholder(&'a str),
    /// `[n]`.
    Index(u32),
}

/// A document path: a top-level attribute and the way down from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path<'a> {
    /// The top-level attribute (never an index).
    pub head: Segment<'a>,
    /// The steps below it; empty for a top-level attribute.
    pub tail: Vec<Segment<'a>>,
    /// Where it stood.
    pub span: Span,
}

impl<'a> Path<'a> {
    /// The path of a top-level attribute of exactly this name (dots and brackets included).
    pub fn attribute(name: impl Into<Cow<'a, str>>) -> Self {
        Self {
            head: Segment::Name(name.into()),
            tail: Vec::new(),
            span: Span::default(),
        }
    }
    /// One step further: into a map.
    #[must_use]
    pub fn key(mut self, name: impl Into<Cow<'a, str>>) -> Self {
        self.tail.push(Segment::Name(name.into()));
        self
    }
    /// One step further: into a list.
    #[must_use]
    pub fn index(mut self, index: u32) -> Self {
        self.tail.push(Segment::Index(index));
        self
    }
    /// The top-level attribute's name; a placeholder's own text while it is unresolved.
    #[must_use]
    pub fn top(&self) -> &str {
        match &self.head {
            Segment::Name(name) => name,
            Segment::Placeholder(text) => text,
            Segment::Index(_) => "",
        }
    }
    /// Whether the path goes below a top-level attribute.
    #[must_use]
    pub fn is_nested(&self) -> bool {
        !self.tail.is_empty()
    }
    /// What the path leads to in an item.
    #[must_use]
    pub fn find<'i>(&self, item: &'i Item) -> Option<ValueRef<'i>> {
        super::paths::find(item, self)
    }
    /// Every segment, the top-level one first.
    pub fn segments(&self) -> impl Iterator<Item = &Segment<'a>> {
        std::iter::once(&self.head).chain(&self.tail)
    }
    pub(crate) fn segments_mut(&mut self) -> impl Iterator<Item = &mut Segment<'a>> {
        std::iter::once(&mut self.head).chain(&mut self.tail)
    }
    /// The path as AWS's messages write it: `[a, [1], b]`.
    #[must_use]
    pub fn listed(&self) -> String {
        let mut out = String::from("[");
        for (i, segment) in self.segments().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            match segment {
                Segment::Name(name) => out.push_str(name),
                Segment::Placeholder(text) => out.push_str(text),
                Segment::Index(index) => {
                    out.push('[');
                    out.push_str(&index.to_string());
                    out.push(']');
                }
            }
        }
        out.push(']');
        out
    }
}

/// A value in an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueLeaf<'a> {
    /// `:value`, with its `:`, not yet resolved.
    Placeholder(&'a str, Span),
    /// The value itself.
    Literal(Cow<'a, Value>),
}

/// What a comparison, a function or an assignment works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand<'a> {
    /// A document path.
    Path(Path<'a>),
    /// A value.
    Value(ValueLeaf<'a>),
    /// A function's result.
    Function(Function<'a>),
    /// A sum or difference (update expressions only).
    Arithmetic(Box<Arithmetic<'a>>),
    /// A condition as a value, true or false (trees built by code only).
    Condition(Box<Node<'a>>),
}

impl<'a> Operand<'a> {
    /// The path of a top-level attribute.
    pub fn attribute(name: impl Into<Cow<'a, str>>) -> Self {
        Self::Path(Path::attribute(name))
    }
    /// A value given by reference.
    pub fn value(value: &'a Value) -> Self {
        Self::Value(ValueLeaf::Literal(Cow::Borrowed(value)))
    }
    /// A value given away.
    pub fn owned(value: Value) -> Self {
        Self::Value(ValueLeaf::Literal(Cow::Owned(value)))
    }
    /// A function call.
    #[must_use]
    pub fn call(name: FunctionName<'a>, args: Vec<Self>) -> Self {
        Self::Function(Function {
            name,
            args,
            span: Span::default(),
        })
    }
    /// Descriptor of the type that this operand has whatever the item is, where that is certain.
    #[must_use]
    pub fn made_type(&self) -> Option<&'static str> {
        match self {
            Self::Value(ValueLeaf::Literal(value)) => Some(value.as_ref().as_ref().type_name()),
            Self::Arithmetic(_) => Some("N"),
            Self::Function(call) if call.name == FunctionName::ListAppend => Some("L"),
            _ => None,
        }
    }
    /// The resolved value, if this operand is one.
    pub fn as_literal(&self) -> Option<&Value> {
        match self {
            Self::Value(ValueLeaf::Literal(value)) => Some(value),
            _ => None,
        }
    }
}

/// `left op right` in an update expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arithmetic<'a> {
    /// Sum or difference.
    pub op: ArithmeticOp,
    /// Left operand.
    pub left: Operand<'a>,
    /// Right operand.
    pub right: Operand<'a>,
}

/// `+` or `-`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArithmeticOp {
    /// `+`
    Add,
    /// `-`
    Subtract,
}

impl ArithmeticOp {
    /// As written.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
        }
    }
}

/// A function by name. Names are case-sensitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FunctionName<'a> {
    /// `attribute_exists(path)`
    AttributeExists,
    /// `attribute_not_exists(path)`
    AttributeNotExists,
    /// `attribute_type(path, type)`
    AttributeType,
    /// `begins_with(path, prefix)`
    BeginsWith,
    /// `contains(path, operand)`
    Contains,
    /// `size(path)`
    Size,
    /// `if_not_exists(path, operand)`, in updates
    IfNotExists,
    /// `list_append(list, list)`, in updates
    ListAppend,
    /// Anything else: parsed, then refused.
    Unknown(&'a str),
}

impl<'a> FunctionName<'a> {
    /// The function of this name.
    #[must_use]
    pub fn of(name: &'a str) -> Self {
        match name {
            "attribute_exists" => Self::AttributeExists,
            "attribute_not_exists" => Self::AttributeNotExists,
            "attribute_type" => Self::AttributeType,
            "begins_with" => Self::BeginsWith,
            "contains" => Self::Contains,
            "size" => Self::Size,
            "if_not_exists" => Self::IfNotExists,
            "list_append" => Self::ListAppend,
            _ => Self::Unknown(name),
        }
    }
    /// As written.
    #[must_use]
    pub fn text(self) -> &'a str {
        match self {
            Self::AttributeExists => "attribute_exists",
            Self::AttributeNotExists => "attribute_not_exists",
            Self::AttributeType => "attribute_type",
            Self::BeginsWith => "begins_with",
            Self::Contains => "contains",
            Self::Size => "size",
            Self::IfNotExists => "if_not_exists",
            Self::ListAppend => "list_append",
            Self::Unknown(name) => name,
        }
    }
}

/// A function call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function<'a> {
    /// Which.
    pub name: FunctionName<'a>,
    /// Its operands; at least one when parsed.
    pub args: Vec<Operand<'a>>,
    /// Where the call stood, from its name to its closing parenthesis.
    pub span: Span,
}

/// A comparison operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparator {
    /// `=`
    Eq,
    /// `<>`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

impl Comparator {
    /// As written.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Eq => "=",
            Self::Ne => "<>",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
        }
    }
    /// The operator that says the same with its operands exchanged.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            Self::Lt => Self::Gt,
            Self::Le => Self::Ge,
            Self::Gt => Self::Lt,
            Self::Ge => Self::Le,
            same => same,
        }
    }
}

/// A condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node<'a> {
    /// True when all are; two or more when parsed.
    And(Vec<Self>),
    /// True when one is; two or more when parsed.
    Or(Vec<Self>),
    /// True when it is not.
    Not(Box<Self>),
    /// `left op right`
    Compare {
        /// The operator.
        op: Comparator,
        /// Left operand.
        left: Operand<'a>,
        /// Right operand.
        right: Operand<'a>,
    },
    /// `operand BETWEEN low AND high`, both bounds included
    Between {
        /// What is tested.
        operand: Operand<'a>,
        /// Lower bound.
        low: Operand<'a>,
        /// Upper bound.
        high: Operand<'a>,
    },
    /// `operand IN (a, b, …)`
    In {
        /// What is tested.
        operand: Operand<'a>,
        /// What it may equal.
        list: Vec<Operand<'a>>,
    },
    /// A function that is true or false.
    Function(Function<'a>),
}

impl<'a> Node<'a> {
    /// `left op right`
    pub fn compare(op: Comparator, left: Operand<'a>, right: Operand<'a>) -> Self {
        Self::Compare { op, left, right }
    }
    /// A function as a condition.
    #[must_use]
    pub fn call(name: FunctionName<'a>, args: Vec<Operand<'a>>) -> Self {
        Self::Function(Function {
            name,
            args,
            span: Span::default(),
        })
    }
    /// The opposite.
    #[must_use]
    pub fn negated(self) -> Self {
        Self::Not(Box::new(self))
    }
    /// Whether the tree is at most `limit` nodes deep. Looks no deeper than that.
    pub fn is_within(&self, limit: usize) -> bool {
        let Some(below) = limit.checked_sub(1) else {
            return false;
        };
        match self {
            Self::And(nodes) | Self::Or(nodes) => nodes.iter().all(|n| n.is_within(below)),
            Self::Not(node) => node.is_within(below),
            Self::Compare { left, right, .. } => left.is_within(below) && right.is_within(below),
            Self::Between { operand, low, high } => {
                [operand, low, high].into_iter().all(|o| o.is_within(below))
            }
            Self::In { operand, list } => {
                operand.is_within(below) && list.iter().all(|o| o.is_within(below))
            }
            Self::Function(f) => f.args.iter().all(|o| o.is_within(below)),
        }
    }
}

impl Operand<'_> {
    pub(crate) fn is_within(&self, limit: usize) -> bool {
        let Some(below) = limit.checked_sub(1) else {
            return false;
        };
        match self {
            Self::Path(_) | Self::Value(_) => true,
            Self::Function(f) => f.args.iter().all(|o| o.is_within(below)),
            Self::Arithmetic(a) => a.left.is_within(below) && a.right.is_within(below),
            Self::Condition(node) => node.is_within(below),
        }
    }
}

/// A clause of an update expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Clause {
    /// `SET path = operand`
    Set,
    /// `REMOVE path`
    Remove,
    /// `ADD path value`
    Add,
    /// `DELETE path value`
    Delete,
}

impl Clause {
    /// The keyword.
    #[must_use]
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Set => "SET",
            Self::Remove => "REMOVE",
            Self::Add => "ADD",
            Self::Delete => "DELETE",
        }
    }
}

/// One action of an update.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UpdateAction<'a> {
    /// Assigns.
    Set(Path<'a>, Operand<'a>),
    /// Removes an attribute or element.
    Remove(Path<'a>),
    /// Adds to a number or a set.
    Add(Path<'a>, ValueLeaf<'a>),
    /// Takes elements out of a set.
    Delete(Path<'a>, ValueLeaf<'a>),
}

impl<'a> UpdateAction<'a> {
    /// What the action changes.
    pub fn path(&self) -> &Path<'a> {
        match self {
            Self::Set(path, _)
            | Self::Remove(path)
            | Self::Add(path, _)
            | Self::Delete(path, _) => path,
        }
    }
    /// The clause it stands in.
    pub fn clause(&self) -> Clause {
        match self {
            Self::Set(..) => Clause::Set,
            Self::Remove(..) => Clause::Remove,
            Self::Add(..) => Clause::Add,
            Self::Delete(..) => Clause::Delete,
        }
    }
}

/// A parsed update expression.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UpdateTree<'a> {
    /// The actions in the order written.
    pub actions: Vec<UpdateAction<'a>>,
    /// The first clause that was written a second time, if any: refused when bound.
    pub repeated: Option<Clause>,
}
