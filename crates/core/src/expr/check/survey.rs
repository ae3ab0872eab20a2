//! One look over a whole expression, before its placeholders matter.

use crate::expr::ast::{Function, FunctionName, Operand, Path, Segment};
use crate::expr::error::Fault;
use crate::expr::reserved::is_reserved;

/// Where a function stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// As a condition of its own.
    Condition,
    /// As what a path is set to.
    Assigned,
    /// As an operand of an operator or another function.
    Operand,
}

/// What is found; of each kind the first, in the order written, inner functions before outer ones.
#[derive(Default)]
pub(super) struct Survey {
    in_update: bool,
    pub(super) wrong_function: Option<Fault>,
    pub(super) misused_function: Option<Fault>,
    pub(super) reserved_word: Option<Fault>,
}

impl Survey {
    pub(super) fn of_update() -> Self {
        Self {
            in_update: true,
            ..Self::default()
        }
    }

    pub(super) fn path(&mut self, path: &Path<'_>) {
        if self.reserved_word.is_some() {
            return;
        }
        let word = path.segments().find_map(|segment| match segment {
            Segment::Name(name) if is_reserved(name) => Some(name.to_string()),
            _ => None,
        });
        self.reserved_word = word.map(|word| Fault::ReservedWord { word });
    }

    pub(super) fn operand(&mut self, operand: &Operand<'_>, place: Place) {
        match operand {
            Operand::Path(path) => self.path(path),
            Operand::Value(_) | Operand::Condition(_) => {}
            Operand::Function(function) => self.function(function, place),
            Operand::Arithmetic(sum) => {
                self.operand(&sum.left, Place::Operand);
                self.operand(&sum.right, Place::Operand);
            }
        }
    }

    pub(super) fn function(&mut self, function: &Function<'_>, place: Place) {
        for arg in &function.args {
            self.operand(arg, Place::Operand);
        }
        let fits = match function.name {
            FunctionName::IfNotExists => place != Place::Condition,
            FunctionName::ListAppend => place == Place::Assigned,
            FunctionName::Size => place == Place::Operand,
            _ => place == Place::Condition,
        };
        let name = || function.name.text().to_owned();
        if let Some(fault) = self.wrong(function.name) {
            self.wrong_function.get_or_insert(fault);
        } else if !fits {
            let fault = || Fault::MisusedFunction { function: name() };
            self.misused_function.get_or_insert_with(fault);
        }
    }

    /// Functions that this kind of expression does not have.
    fn wrong(&self, name: FunctionName<'_>) -> Option<Fault> {
        let of_updates = match name {
            FunctionName::Unknown(function) => {
                let function = function.to_owned();
                return Some(Fault::UnknownFunction { function });
            }
            FunctionName::IfNotExists | FunctionName::ListAppend => true,
            _ => false,
        };
        (of_updates != self.in_update).then(|| Fault::FunctionNotAllowed {
            function: name.text().to_owned(),
            in_update: self.in_update,
        })
    }
}
