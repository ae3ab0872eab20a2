//! Words and numbers.

/// `1 edge`, `2 edges`, `1,024 edges`.
pub(crate) fn plural(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(n), if n == 1 { one } else { many })
}

/// A number with a comma every three digits.
pub(crate) fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.char_indices() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// An attribute's name as a column title: `createdAt` is `CREATED AT`.
pub(crate) fn title(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut before = ' ';
    for c in name.chars() {
        if c == '_' || c == '-' {
            out.push(' ');
        } else {
            if c.is_uppercase() && before.is_lowercase() {
                out.push(' ');
            }
            out.extend(c.to_uppercase());
        }
        before = c;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_counted() {
        for (n, text) in [
            (0, "0 edges"),
            (1, "1 edge"),
            (999, "999 edges"),
            (1_000, "1,000 edges"),
            (103_689, "103,689 edges"),
            (1_234_567, "1,234,567 edges"),
        ] {
            assert_eq!(plural(n, "edge", "edges"), text);
        }
    }

    #[test]
    fn names_become_titles() {
        for (name, text) in [
            ("createdAt", "CREATED AT"),
            ("studied_credits", "STUDIED CREDITS"),
            ("grade", "GRADE"),
            ("PK", "PK"),
            ("GSI1PK", "GSI1PK"),
        ] {
            assert_eq!(title(name), text);
        }
    }
}
