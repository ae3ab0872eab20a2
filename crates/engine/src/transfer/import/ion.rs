//! Items out of text Ion, as DynamoDB exports and imports them: structs with a member `Item`.
//! Sources: Developer Guide, "DynamoDB table export output format" and "DynamoDB data import formats"; Ion 1.0's text.

use super::input::is_name;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bothways_core::{Item, Number, Value};
use bytes::Bytes;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead};

/// Deepest nesting that is read. Items nest 32 levels; the record itself is one more.
const DEPTH: usize = 40;

/// Reads the text of the next struct at the top level; none at the end. What may stand before it are spaces, comments,
/// annotations and the version's mark.
pub(super) fn next_struct(from: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut text = Vec::new();
    let (mut depth, mut state) = (0_usize, State::Plain);
    loop {
        let buffer = from.fill_buf()?;
        if buffer.is_empty() {
            return match text.trim_ascii() {
                b"" | b"$ion_1_0" => Ok(None),
                _ => Err(damaged("the text ends within a value")),
            };
        }
        for (position, byte) in buffer.iter().copied().enumerate() {
            text.push(byte);
            state = state.after(byte);
            if state != State::Plain {
                continue;
            }
            match byte {
                b'{' | b'[' | b'(' => depth += 1,
                b'}' | b']' | b')' => {
                    depth = depth.checked_sub(1).ok_or(damaged("a bracket too many"))?;
                    if depth == 0 {
                        from.consume(position + 1);
                        return Ok(Some(text));
                    }
                }
                _ => {}
            }
        }
        let taken = buffer.len();
        from.consume(taken);
    }
}

/// Where a text is: brackets count only outside of strings and comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Plain,
    /// Within quotes of this kind; `true` behind a backslash.
    Quoted(u8, bool),
    /// Behind one single quote, and behind two.
    One,
    Two,
    /// Within three single quotes, behind so many that may end it; `true` behind a backslash.
    Long(u8, bool),
    Slash,
    Line,
    Block,
    Star,
}

impl State {
    #[allow(
        clippy::match_same_arms,
        reason = "one line for each rule, in the order in which they hold"
    )]
    fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::One, b'\'') => Self::Two,
            (Self::One, b'\\') => Self::Quoted(b'\'', true),
            (Self::One, _) => Self::Quoted(b'\'', false),
            (Self::Two, b'\'') => Self::Long(0, false),
            (Self::Long(_, true), _) => Self::Long(0, false),
            (Self::Long(2, _), b'\'') => Self::Plain,
            (Self::Long(quotes, _), b'\'') => Self::Long(quotes + 1, false),
            (Self::Long(..), b'\\') => Self::Long(0, true),
            (Self::Long(..), _) => Self::Long(0, false),
            (Self::Quoted(quote, false), byte) if byte == quote => Self::Plain,
            (Self::Quoted(quote, false), b'\\') => Self::Quoted(quote, true),
            (Self::Quoted(quote, _), _) => Self::Quoted(quote, false),
            (Self::Slash, b'/') => Self::Line,
            (Self::Slash, b'*') => Self::Block,
            (Self::Line, b'\n') | (Self::Star, b'/') => Self::Plain,
            (Self::Line, _) => Self::Line,
            (Self::Block | Self::Star, b'*') => Self::Star,
            (Self::Block | Self::Star, _) => Self::Block,
            (_, b'"') => Self::Quoted(byte, false),
            (_, b'\'') => Self::One,
            (Self::Plain | Self::Two, b'/') => Self::Slash,
            (Self::Plain | Self::Slash | Self::Two, _) => Self::Plain,
        }
    }
}

fn damaged(why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// The item of a record; none where its member `Item` is not one. An error is text that is not Ion.
pub(super) fn item(text: &[u8]) -> io::Result<Option<Item>> {
    let text = std::str::from_utf8(text).map_err(|_| damaged("not UTF-8"))?;
    let mut text = Text { rest: text };
    text.space()?;
    if let Some(rest) = text.rest.strip_prefix("$ion_1_0") {
        text.rest = rest;
    }
    let record = text.value(DEPTH)?;
    let Some(Value::M(mut members)) = record else {
        return Ok(None);
    };
    let Some(Value::M(attributes)) = members.remove("Item") else {
        return Ok(None);
    };
    Ok(Some(Item::from_attributes(attributes)))
}

struct Text<'t> {
    rest: &'t str,
}

impl<'t> Text<'t> {
    /// Passes over spaces and comments.
    fn space(&mut self) -> io::Result<()> {
        loop {
            self.rest = self.rest.trim_start();
            if let Some(comment) = self.rest.strip_prefix("//") {
                self.rest = comment.split_once('\n').map_or("", |(_, rest)| rest);
            } else if let Some(comment) = self.rest.strip_prefix("/*") {
                let (_, rest) = comment.split_once("*/").ok_or(damaged("an open comment"))?;
                self.rest = rest;
            } else {
                return Ok(());
            }
        }
    }

    fn take(&mut self, token: &str) -> io::Result<bool> {
        self.space()?;
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        Ok(rest.is_some())
    }

    /// A value; none for one that no attribute can have.
    fn value(&mut self, depth: usize) -> io::Result<Option<Value>> {
        let depth = depth.checked_sub(1).ok_or(damaged("too deep"))?;
        if self.take("{{")? {
            let (blob, rest) = self.rest.split_once("}}").ok_or(damaged("an open blob"))?;
            self.rest = rest;
            let letters: String = blob.split_whitespace().collect();
            let bytes = STANDARD.decode(letters).map_err(|_| damaged("a blob"))?;
            return Ok(Some(Value::B(bytes.into())));
        }
        if self.take("{")? {
            return self.members(depth);
        }
        if self.take("[")? {
            let list = self.elements(depth)?;
            return Ok(list
                .into_iter()
                .collect::<Option<Vec<Value>>>()
                .map(Value::L));
        }
        if self.rest.starts_with('"') || self.rest.starts_with("'''") {
            return Ok(Some(Value::S(self.string()?)));
        }
        if self.rest.starts_with('\'') {
            let symbol = self.string()?;
            return self.named(&symbol, depth);
        }
        let word = self.word();
        if word.is_empty() {
            return Err(damaged("no value"));
        }
        if self.take("::")? {
            return self.annotated(word, depth);
        }
        Ok(match word {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            null if null == "null" || null.starts_with("null.") => Some(Value::Null),
            number => number_of(number).map(Value::N),
        })
    }

    /// A quoted symbol: an annotation, or a value that no attribute can have.
    fn named(&mut self, symbol: &str, depth: usize) -> io::Result<Option<Value>> {
        if self.take("::")? {
            return self.annotated(symbol, depth);
        }
        Ok(None)
    }

    /// A list that is a set; other annotations say nothing.
    fn annotated(&mut self, name: &str, depth: usize) -> io::Result<Option<Value>> {
        let value = self.value(depth)?;
        let (Some("SS" | "NS" | "BS"), Some(Value::L(list))) =
            (name.strip_prefix("$dynamodb_"), &value)
        else {
            return Ok(value);
        };
        Ok(set_of(name, list))
    }

    fn members(&mut self, depth: usize) -> io::Result<Option<Value>> {
        let (mut members, mut fits) = (BTreeMap::new(), true);
        while !self.take("}")? {
            let name = if self.rest.starts_with(['"', '\'']) {
                self.string()?
            } else {
                self.word().to_owned()
            };
            if !self.take(":")? {
                return Err(damaged("a member without a value"));
            }
            match self.value(depth)? {
                Some(value) => {
                    fits &= is_name(&name) && members.insert(name, value).is_none();
                }
                None => fits = false,
            }
            if !self.take(",")? && !self.rest.starts_with('}') {
                return Err(damaged("members without a comma"));
            }
        }
        Ok(fits.then_some(Value::M(members)))
    }

    fn elements(&mut self, depth: usize) -> io::Result<Vec<Option<Value>>> {
        let mut out = Vec::new();
        while !self.take("]")? {
            out.push(self.value(depth)?);
            if !self.take(",")? && !self.rest.starts_with(']') {
                return Err(damaged("elements without a comma"));
            }
        }
        Ok(out)
    }

    /// Letters up to what ends a bare word.
    fn word(&mut self) -> &'t str {
        let end = |c: char| c.is_whitespace() || "{}[](),:\"'/".contains(c);
        let (word, rest) = self
            .rest
            .split_at(self.rest.find(end).unwrap_or(self.rest.len()));
        self.rest = rest;
        word
    }

    /// A string or symbol in quotes; long strings that follow each other are one.
    fn string(&mut self) -> io::Result<String> {
        let mut out = String::new();
        if !self.rest.starts_with("'''") {
            let quote = &self.rest[..1];
            self.rest = &self.rest[1..];
            self.quoted(quote, &mut out)?;
            return Ok(out);
        }
        while let Some(rest) = self.rest.strip_prefix("'''") {
            self.rest = rest;
            self.quoted("'''", &mut out)?;
            self.space()?;
        }
        Ok(out)
    }

    fn quoted(&mut self, quote: &str, out: &mut String) -> io::Result<()> {
        loop {
            if let Some(rest) = self.rest.strip_prefix(quote) {
                self.rest = rest;
                return Ok(());
            }
            let mut letters = self.rest.chars();
            let letter = letters.next().ok_or(damaged("an open string"))?;
            self.rest = letters.as_str();
            if letter == '\\' {
                self.escape(out)?;
            } else {
                out.push(letter);
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> io::Result<()> {
        let mut letters = self.rest.chars();
        let letter = letters.next().ok_or(damaged("an open string"))?;
        self.rest = letters.as_str();
        let digits = match letter {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        if digits > 0 {
            let mut code = self.code(digits)?;
            // A letter beyond 16 bits may be written as a pair.
            if (0xd800..0xdc00).contains(&code) && self.rest.starts_with("\\u") {
                self.rest = &self.rest[2..];
                let low = self.code(4)?;
                code = 0x1_0000 + ((code - 0xd800) << 10) + (low.wrapping_sub(0xdc00) & 0x3ff);
            }
            out.push(char::from_u32(code).ok_or(damaged("no letter"))?);
            return Ok(());
        }
        match letter {
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            '0' => out.push('\0'),
            'a' => out.push('\u{7}'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'v' => out.push('\u{b}'),
            // A line that goes on.
            '\n' => {}
            '"' | '\'' | '\\' | '/' | '?' => out.push(letter),
            _ => return Err(damaged("an escape that there is not")),
        }
        Ok(())
    }

    fn code(&mut self, digits: usize) -> io::Result<u32> {
        let digits = self.rest.get(..digits).ok_or(damaged("a short escape"))?;
        self.rest = &self.rest[digits.len()..];
        u32::from_str_radix(digits, 16).map_err(|_| damaged("a wrong escape"))
    }
}

/// A number of Ion; none for one that DynamoDB does not hold.
fn number_of(word: &str) -> Option<Number> {
    let plain = word.replace('_', "");
    let whole = |digits: &str| digits.strip_suffix('.').unwrap_or(digits).to_owned();
    let text = match plain.split_once(['d', 'D', 'e', 'E']) {
        Some((digits, exponent)) => format!("{}E{exponent}", whole(digits)),
        None => whole(&plain),
    };
    text.parse().ok()
}

/// The set of a list; none where it is empty, has a member twice, or one of another type.
fn set_of(name: &str, list: &[Value]) -> Option<Value> {
    let fits = |members: usize| !list.is_empty() && members == list.len();
    match name {
        "$dynamodb_SS" => {
            let of = |value: &Value| match value {
                Value::S(text) => Some(text.clone()),
                _ => None,
            };
            let set: BTreeSet<String> = list.iter().map(of).collect::<Option<_>>()?;
            fits(set.len()).then_some(Value::Ss(set))
        }
        "$dynamodb_NS" => {
            let of = |value: &Value| match value {
                Value::N(number) => Some(*number),
                _ => None,
            };
            let set: BTreeSet<Number> = list.iter().map(of).collect::<Option<_>>()?;
            fits(set.len()).then_some(Value::Ns(set))
        }
        _ => {
            let of = |value: &Value| match value {
                Value::B(bytes) => Some(bytes.clone()),
                _ => None,
            };
            let set: BTreeSet<Bytes> = list.iter().map(of).collect::<Option<_>>()?;
            fits(set.len()).then_some(Value::Bs(set))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bothways_core::json::item_from_slice;

    fn read(text: &str) -> io::Result<Vec<Option<Item>>> {
        let mut from = text.as_bytes();
        let mut out = Vec::new();
        while let Some(record) = next_struct(&mut from)? {
            out.push(item(&record)?);
        }
        Ok(out)
    }

    #[test]
    fn every_type_is_read() {
        let json = r#"{"s":{"S":"a\"\n{'é"},"n":{"N":"-1.5"},"i":{"N":"12"},"big":{"N":"1E+20"},"b":{"B":"aGk="},
            "t":{"BOOL":true},"z":{"NULL":true},"l":{"L":[{"S":""},{"M":{"true":{"N":"0"}}}]},
            "ss":{"SS":["a","it's } b"]},"ns":{"NS":["1","2"]},"bs":{"BS":["aGk="]}}"#;
        let want = item_from_slice(json.as_bytes()).unwrap().value;
        let ion = r#"$ion_1_0 {Item:{s:"a\"\n{'\u00e9",n:-1.5,i:1_2,big:1d20,b:{{aG k=}},t:true,z:null.string,
            l:["",{'true':0.}], // a comment with a } in it
            ss:$dynamodb_SS::["a",'''it's } ''' '''b'''],"ns":'$dynamodb_NS'::[1.,2],bs:$dynamodb_BS::[{{aGk=}}] /* } */ }}"#;
        assert_eq!(read(ion).unwrap(), [Some(want)]);
    }

    #[test]
    fn records_follow_each_other_in_any_layout() {
        let one = "$ion_1_0 {Item:{a:\"1\"}}\n$ion_1_0{Item:{a:\"2\"}}{Item:\n{a:\"3\"\n}\n}\n\n";
        let items = read(one).unwrap();
        let values: Vec<_> = items.iter().flatten().map(Item::size).collect();
        assert_eq!(values, [2, 2, 2]);
        assert_eq!(read("").unwrap(), []);
        assert_eq!(read(" $ion_1_0 \n").unwrap(), []);
    }

    #[test]
    fn what_is_no_item_is_none() {
        for text in [
            "{Other:{a:1}}",
            "{Item:[1]}",
            "{Item:{a:symbol}}",
            "{Item:{a:$dynamodb_SS::[]}}",
            "{Item:{a:$dynamodb_NS::[1,1.0]}}",
            "{Item:{a:2000-01-01T}}",
            "{Item:{a:1d}}",
        ] {
            assert_eq!(read(text).unwrap(), [None], "{text}");
        }
    }

    #[test]
    fn what_is_no_ion_is_an_error() {
        let deep = format!("{{Item:{{a:{}{}}}}}", "[".repeat(100), "]".repeat(100));
        for text in [
            "{Item:{a:1}",
            "}",
            "{Item:{a}}",
            "{Item:{a:1 b:2}}",
            "{Item:{a:\"\\q\"}}",
            "{Item:{a:{{?}}}}",
            "\u{e0}\u{1}{",
            &deep,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
