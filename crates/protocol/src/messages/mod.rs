//! What DynamoDB says: a typed message with its fields here, its text in `aws.txt`, so that another year's wording is
//! a data file.

mod table;

use crate::Error;

macro_rules! messages {
    ($($(#[$doc:meta])* $name:ident $({ $($field:ident: $ty:ty),* $(,)? })? $(=> $kind:ident)?;)*) => {
        /// One message, typed; [`Message::text`] has AWS's words for it.
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[allow(missing_docs, reason = "fields are named for what AWS's text holds there")]
        pub enum Message { $($(#[$doc])* $name $({ $($field: $ty),* })?,)* }

        impl Message {
            /// Every variant's name and its fields' names, in order.
            pub(crate) const ALL: &'static [(&'static str, &'static [&'static str])] =
                &[$((stringify!($name), &[$($(stringify!($field)),*)?]),)*];

            /// The exception that carries this message.
            #[must_use]
            pub fn kind(&self) -> ErrorKind {
                match self { $(Self::$name $({ $($field: _),* })? => kind_of!($($kind)?),)* }
            }
            pub(super) fn index(&self) -> usize {
                enum Position { $($name,)* }
                match self { $(Self::$name $({ $($field: _),* })? => Position::$name as usize,)* }
            }
            /// Appends the field of that name.
            pub(super) fn push_field(&self, name: &str, out: &mut String) {
                match self {
                    $(Self::$name $({ $($field),* })? => {
                        let _ = name;
                        $($(if name == stringify!($field) {
                            // Writing into a String cannot fail.
                            let _ = write!(out, "{}", $field);
                        })*)?
                    })*
                }
            }
        }
    };
}
macro_rules! kind_of {
    () => {
        ErrorKind::Validation
    };
    ($kind:ident) => {
        ErrorKind::$kind
    };
}

#[macro_use]
mod plane;
#[macro_use]
mod statement;
mod list;
pub use list::Message;

impl Message {
    /// AWS's words.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        for piece in table::template(self.index()) {
            match piece {
                table::Piece::Text(text) => out.push_str(text),
                // The plural of the constraint stage's frame.
                table::Piece::Field("s") => {
                    if matches!(self, Self::Constraints { count, .. } if *count != 1) {
                        out.push('s');
                    }
                }
                table::Piece::Field(name) => self.push_field(name, &mut out),
            }
        }
        out
    }

    /// Faults of the constraint stage as one message.
    pub(crate) fn constraints(faults: &[String]) -> Self {
        Self::Constraints {
            count: faults.len(),
            faults: faults.join("; "),
        }
    }

    /// A closed set of words as AWS lists it, brackets included; `bare` where it is said without value and place.
    pub(crate) fn words_of(set: &str, bare: bool) -> &'static str {
        table::words(set, bare)
    }
}

impl From<Message> for Error {
    fn from(message: Message) -> Self {
        Self::new(message.kind(), message.text())
    }
}

#[cfg(test)]
mod tests;
