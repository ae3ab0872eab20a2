//! Shapes as AWS's messages show them: Java's `toString`, `Name(member=value, other=null)`.

use super::Wire;

/// Members that AWS's own shapes have and its API model does not.
/// Source: paritysuite/dynamodb-conformance, captures/cross-region-latest.json, `c_bw_over25`.
const HIDDEN: [(&str, &str); 1] = [("PutRequest", "workloadProfileName")];

/// A shape being shown.
pub(crate) struct Shown<'a> {
    name: &'static str,
    out: &'a mut String,
    first: bool,
}

impl<'a> Shown<'a> {
    pub(crate) fn open(name: &'static str, out: &'a mut String) -> Self {
        out.push_str(name);
        out.push('(');
        Self {
            name,
            out,
            first: true,
        }
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
        for (_, hidden) in HIDDEN.iter().filter(|(shape, _)| *shape == self.name) {
            self.out.push_str(", ");
            self.out.push_str(hidden);
            self.out.push_str("=null");
        }
        self.out.push(')');
    }
}
