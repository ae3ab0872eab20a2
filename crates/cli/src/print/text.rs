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

/// Text with nothing in it that could move the cursor, colour, hide or turn around what stands beside it: control
/// characters and the marks of writing direction are escaped.
pub(crate) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// One word of a command that is advised: as it is, or in quotes where a shell would read something else into it.
pub(crate) fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    if !word.chars().any(is_hidden) {
        return format!("'{}'", word.replace('\'', r"'\''"));
    }
    let mut out = String::from("$'");
    for c in word.chars() {
        match c {
            '\'' | '\\' => out.extend(['\\', c]),
            c if is_hidden(c) => out.extend(["\\u", &format!("{:04x}", u32::from(c))]),
            c => out.push(c),
        }
    }
    out.push('\'');
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
    fn nothing_hides_in_text_or_runs_in_advised_commands() {
        for (text, seen, word) in [
            ("alice", "alice", "alice"),
            ("日本", "日本", "日本"),
            ("CRS#1", "CRS#1", "'CRS#1'"),
            ("a b", "a b", "'a b'"),
            ("", "", "''"),
            ("it's $(x)", "it's $(x)", r"'it'\''s $(x)'"),
            ("\x1b[31ma'\\", "\\u{1b}[31ma'\\", r"$'\u001b[31ma\'\\'"),
            ("\u{202e}b", "\\u{202e}b", r"$'\u202eb'"),
        ] {
            assert_eq!(visible(text), seen);
            assert_eq!(shell_word(text), word);
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
