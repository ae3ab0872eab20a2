//! Operands and conditions, built step by step.

use bothways_core::expr::{
    Arithmetic, ArithmeticOp, Comparator, FunctionName, Node, Operand, Path,
};
use bothways_core::{Item, Value, ValueType};

/// Something with a value: an attribute, a value, a function's result.
///
/// ```
/// use bothways_codegen::{attr, value};
///
/// let size = attr("tags").size().gt(2);
/// let nested = attr("profile").field("city").eq("Lisbon").or(attr("lines").at(0).exists());
/// let stock = attr("reserved").le(attr("stock"));
/// let none_of_it = !(size.or(nested).or(stock));
/// # let _ = (none_of_it, value(1));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expr(pub(super) Operand<'static>);

/// A condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition(pub(super) Node<'static>);

/// A path that an update changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target(pub(super) Path<'static>);

/// The attribute of exactly this name; dots and brackets in it are part of the name.
#[must_use]
pub fn attr(name: impl Into<String>) -> Target {
    Target(Path::attribute(name.into()))
}

/// A value.
#[must_use]
pub fn value(value: impl Into<Value>) -> Expr {
    Expr(Operand::owned(value.into()))
}

/// A key or an item: its attributes.
pub fn key<N: AsRef<str>>(attributes: impl IntoIterator<Item = (N, Value)>) -> Item {
    Item::from_attributes(attributes)
}

impl<T: Into<Value>> From<T> for Expr {
    fn from(given: T) -> Self {
        value(given)
    }
}

impl From<Target> for Expr {
    fn from(target: Target) -> Self {
        Self(Operand::Path(target.0))
    }
}

macro_rules! comparisons {
    ($($(#[$doc:meta])* $method:ident $op:ident;)*) => {
        impl Expr {
            $($(#[$doc])*
            #[must_use]
            pub fn $method(self, other: impl Into<Expr>) -> Condition {
                Condition(Node::compare(Comparator::$op, self.0, other.into().0))
            })*
        }
        impl Target {
            $($(#[$doc])*
            #[must_use]
            pub fn $method(self, other: impl Into<Expr>) -> Condition {
                Expr::from(self).$method(other)
            })*
        }
    };
}

comparisons! {
    /// `=`
    eq Eq;
    /// `<>`
    ne Ne;
    /// `<`
    lt Lt;
    /// `<=`
    le Le;
    /// `>`
    gt Gt;
    /// `>=`
    ge Ge;
}

impl Expr {
    /// `BETWEEN low AND high`, both included.
    #[must_use]
    pub fn between(self, low: impl Into<Expr>, high: impl Into<Expr>) -> Condition {
        Condition(Node::Between {
            operand: self.0,
            low: low.into().0,
            high: high.into().0,
        })
    }

    /// `IN (…)`, at most 100.
    #[must_use]
    pub fn is_in<E: Into<Expr>>(self, list: impl IntoIterator<Item = E>) -> Condition {
        let list = list.into_iter().map(|one| one.into().0).collect();
        Condition(Node::In {
            operand: self.0,
            list,
        })
    }

    /// `a + b`, in updates.
    #[must_use]
    pub fn plus(self, other: impl Into<Expr>) -> Self {
        self.arithmetic(ArithmeticOp::Add, other)
    }

    /// `a - b`, in updates.
    #[must_use]
    pub fn minus(self, other: impl Into<Expr>) -> Self {
        self.arithmetic(ArithmeticOp::Subtract, other)
    }

    fn arithmetic(self, op: ArithmeticOp, other: impl Into<Expr>) -> Self {
        let right = other.into().0;
        Self(Operand::Arithmetic(Box::new(Arithmetic {
            op,
            left: self.0,
            right,
        })))
    }
}

impl Target {
    /// One step into a map.
    #[must_use]
    pub fn field(self, name: impl Into<String>) -> Self {
        Self(self.0.key(name.into()))
    }

    /// One step into a list.
    #[must_use]
    pub fn at(self, index: u32) -> Self {
        Self(self.0.index(index))
    }

    /// `BETWEEN low AND high`, both included.
    #[must_use]
    pub fn between(self, low: impl Into<Expr>, high: impl Into<Expr>) -> Condition {
        Expr::from(self).between(low, high)
    }

    /// `IN (…)`, at most 100.
    #[must_use]
    pub fn is_in<E: Into<Expr>>(self, list: impl IntoIterator<Item = E>) -> Condition {
        Expr::from(self).is_in(list)
    }

    /// `attribute_exists`
    #[must_use]
    pub fn exists(self) -> Condition {
        self.test(FunctionName::AttributeExists, [])
    }

    /// `attribute_not_exists`
    #[must_use]
    pub fn not_exists(self) -> Condition {
        self.test(FunctionName::AttributeNotExists, [])
    }

    /// `attribute_type`
    #[must_use]
    pub fn is_type(self, kind: ValueType) -> Condition {
        self.test(FunctionName::AttributeType, [value(kind.name())])
    }

    /// `begins_with`
    #[must_use]
    pub fn begins_with(self, prefix: impl Into<Expr>) -> Condition {
        self.test(FunctionName::BeginsWith, [prefix.into()])
    }

    /// `contains`
    #[must_use]
    pub fn contains(self, element: impl Into<Expr>) -> Condition {
        self.test(FunctionName::Contains, [element.into()])
    }

    /// `size`: a number, whatever the attribute's type.
    #[must_use]
    pub fn size(self) -> Expr {
        Expr(Operand::call(FunctionName::Size, vec![Expr::from(self).0]))
    }

    /// `if_not_exists(this, otherwise)`, in updates.
    #[must_use]
    pub fn or_if_absent(self, otherwise: impl Into<Expr>) -> Expr {
        Expr(Operand::call(
            FunctionName::IfNotExists,
            vec![Expr::from(self).0, otherwise.into().0],
        ))
    }

    /// `list_append(this, tail)`, in updates.
    #[must_use]
    pub fn append(self, tail: impl Into<Expr>) -> Expr {
        Expr(Operand::call(
            FunctionName::ListAppend,
            vec![Expr::from(self).0, tail.into().0],
        ))
    }

    /// `list_append(head, this)`, in updates.
    #[must_use]
    pub fn prepend(self, head: impl Into<Expr>) -> Expr {
        Expr(Operand::call(
            FunctionName::ListAppend,
            vec![head.into().0, Expr::from(self).0],
        ))
    }

    fn test<const N: usize>(self, function: FunctionName<'static>, more: [Expr; N]) -> Condition {
        let args = std::iter::once(Expr::from(self))
            .chain(more)
            .map(|expr| expr.0)
            .collect();
        Condition(Node::call(function, args))
    }
}

impl Condition {
    /// Both hold.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(match self.0 {
            Node::And(mut all) => {
                all.push(other.0);
                Node::And(all)
            }
            one => Node::And(vec![one, other.0]),
        })
    }

    /// One of them holds.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(match self.0 {
            Node::Or(mut all) => {
                all.push(other.0);
                Node::Or(all)
            }
            one => Node::Or(vec![one, other.0]),
        })
    }
}

impl std::ops::Not for Condition {
    type Output = Self;

    /// It does not hold.
    fn not(self) -> Self {
        Self(self.0.negated())
    }
}
