//! Shapes as AWS's messages show them: Java's `toString`, `Name(member=value, other=null)`.

use super::Wire;

/// A shape being shown.
pub(crate) struct Shown<'a> {
    out: &'a mut String,
    first: bool,
}

impl<'a> Shown<'a> {
    pub(crate) fn open(name: &str, out: &'a mut String) -> Self {
        out.push_str(name);
        out.push('(');
        Self { out, first: true }
    }
    /// One member; `null` where it is absent.
    pub(crate) fn member<T: Wire>(&mut self, name: &str, value: Option<&T>) {
        if !std::mem::replace(&mut self.first, false) {
            self.out.push_str(", ");
        }
        let mut chars = name.chars();
        self.out
            .extend(chars.next().map(|c| c.to_ascii_lowercase()));
        self.out.push_str(chars.as_str());
        self.out.push('=');
        match value {
            Some(value) => value.show(self.out),
            None => self.out.push_str("null"),
        }
    }
    pub(crate) fn close(self) {
        self.out.push(')');
    }
}
