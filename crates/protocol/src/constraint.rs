//! The constraint stage: what can be said of each member alone, all of it at once.
//!
//! The rules stand beside the members, in `types`; here they are applied in the members' order, which is AWS's order.
//! A member whose rule is [`Rule::First`] is looked at before all others and its fault is reported alone, as AWS's
//! newer front end does (`paritysuite/dynamodb-conformance`, `registry/splits.json`,
//! `put-item-validation-error-aggregation`, pinned region eu-west-2).

use crate::Error;
use crate::messages::Message;
use crate::wire::{At, MOST_FAULTS, Unknown, UnknownWord, Wire};

/// What one member must satisfy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// It must be there.
    Required,
    /// It must be there; where it is not, the older front end answers for all members.
    RequiredByNewer,
    /// It must be there; AWS says so alone and before anything else.
    Named,
    /// At least so many characters, elements or entries.
    MinLength(usize),
    /// At most so many.
    MaxLength(usize),
    /// At least this value.
    MinValue(i64),
    /// At most this value.
    MaxValue(i64),
    /// Only these characters.
    Pattern(Pattern),
    /// At least so long; reported alone, before the others, and without the value.
    FirstMinLength(usize),
    /// At most so long; reported alone, before the others, and without the value.
    FirstMaxLength(usize),
    /// At least this value; reported alone, before the others, and without the value.
    FirstMinValue(i64),
    /// Its unknown word is reported alone, before the others.
    FirstWord,
    /// An unknown word is reported without the value and the place.
    BareWord,
    /// What is reported before the others is not counted either.
    Uncounted,
    /// Keys of a map: length and characters. The older front end shows the map in Java's words, and only where
    /// nothing else is wrong; the newer one shows it as JSON.
    MapKeys {
        min: usize,
        max: usize,
        pattern: Pattern,
        older: bool,
    },
    /// Values of a map: length.
    MapValues { min: usize, max: usize },
    /// Elements of a list: length.
    Elements { min: usize, max: usize },
}

/// A regular expression of AWS's model, as code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// `[a-zA-Z0-9_.-]+`: names of tables and indexes.
    Name,
    /// The same, of a table; its ARN, which AWS takes for a name, is let through with any length.
    Table,
    /// Names of buckets.
    Bucket,
    /// An account's id.
    Account,
    /// What separates the columns of CSV.
    Delimiter,
}

impl Pattern {
    /// The pattern as AWS writes it.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Name | Self::Table => "[a-zA-Z0-9_.-]+",
            Self::Bucket => r"^[a-z0-9A-Z]+[\.\-\w]*[a-z0-9A-Z]+$",
            Self::Account => "[0-9]{12}",
            Self::Delimiter => r"[,;:|\t ]",
        }
    }
    fn matches(self, text: &str) -> bool {
        let word = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-');
        match self {
            Self::Name => text.bytes().all(word),
            Self::Table => text.bytes().all(word) || text.starts_with("arn:"),
            Self::Bucket => {
                let ends = [text.bytes().next(), text.bytes().next_back()];
                let ends_well = |b: &Option<u8>| b.is_some_and(|b| b.is_ascii_alphanumeric());
                text.len() > 1 && text.bytes().all(word) && ends.iter().all(ends_well)
            }
            Self::Account => text.len() == 12 && text.bytes().all(|b| b.is_ascii_digit()),
            Self::Delimiter => {
                let one = |b: u8| matches!(b, b',' | b';' | b':' | b'|' | b'\t' | b' ');
                text.len() == 1 && text.bytes().all(one)
            }
        }
    }
}

/// A required member of no other rule.
pub(crate) const REQUIRED: &[Rule] = &[Rule::Required];
/// The key or item of a single-item write.
pub(crate) const WRITE_KEY: &[Rule] = &[Rule::RequiredByNewer];
/// A table's name in the control plane.
pub(crate) const CONTROL_TABLE: &[Rule] = &[
    Rule::Named,
    Rule::MinLength(3),
    Rule::MaxLength(255),
    Rule::Pattern(Pattern::Table),
];
/// A table's name in a write.
pub(crate) const WRITE_TABLE: &[Rule] = &[
    Rule::Required,
    Rule::FirstMinLength(1),
    Rule::MaxLength(255),
    Rule::Pattern(Pattern::Table),
];
/// A table's name in a read or a transaction.
pub(crate) const READ_TABLE: &[Rule] = &[
    Rule::Required,
    Rule::MinLength(1),
    Rule::MaxLength(255),
    Rule::Pattern(Pattern::Table),
];
/// Names of tables as keys of BatchGetItem's map.
pub(crate) const TABLE_KEYS: Rule = table_keys(false);
/// The same, of BatchWriteItem's.
pub(crate) const OLDER_TABLE_KEYS: Rule = table_keys(true);

/// Source: `paritysuite/dynamodb-conformance`, error-messages/batchGetItem and validation-ordering/batchOperations,
/// captured 2026-10-09.
const fn table_keys(older: bool) -> Rule {
    Rule::MapKeys {
        min: 3,
        max: 255,
        pattern: Pattern::Table,
        older,
    }
}
/// An index's name.
pub(crate) const INDEX: &[Rule] = &[
    Rule::Required,
    Rule::MinLength(3),
    Rule::MaxLength(255),
    Rule::Pattern(Pattern::Name),
];
/// A GSI's key: up to four attributes of each role.
pub(crate) const INDEX_KEY: &[Rule] = &[Rule::Required, Rule::MinLength(1), Rule::MaxLength(8)];
/// A resource's ARN.
pub(crate) const RESOURCE_ARN: &[Rule] =
    &[Rule::Required, Rule::MinLength(1), Rule::MaxLength(1283)];
/// A backup's ARN; what is too short is told apart with its table.
pub(crate) const BACKUP_ARN: &[Rule] = &[Rule::Required, Rule::MaxLength(1024)];
/// The name of a table to restore to.
pub(crate) const TARGET_TABLE: &[Rule] = &[
    Rule::Required,
    Rule::MinLength(3),
    Rule::MaxLength(255),
    Rule::Pattern(Pattern::Name),
];
/// A stream's ARN.
pub(crate) const STREAM: &[Rule] = &[Rule::Required, Rule::MinLength(37), Rule::MaxLength(1024)];
/// A shard's id.
pub(crate) const SHARD: &[Rule] = &[Rule::Required, Rule::MinLength(28), Rule::MaxLength(65)];
/// A PartiQL statement.
pub(crate) const STATEMENT: &[Rule] = &[Rule::Required, Rule::MinLength(1), Rule::MaxLength(8192)];
/// Provisioned units.
pub(crate) const UNITS: &[Rule] = &[Rule::Required, Rule::MinValue(1)];

/// What is wrong so far.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    first: Option<Message>,
    all: Vec<Message>,
    /// Everything in the older front end's words.
    older: Vec<Message>,
    /// Said where there is nothing else to say.
    last: Option<Message>,
    /// A single-item write, which the newer front end reads unless something stops it.
    falls_back: bool,
    /// What stops it: no key or item, or a value nested too deep for it.
    stopped: bool,
}

impl Faults {
    fn push(&mut self, fault: Message) {
        self.push_older(fault.clone());
        self.push_newer(fault);
    }
    fn push_newer(&mut self, fault: Message) {
        if self.all.len() < MOST_FAULTS {
            self.all.push(fault);
        }
    }
    fn push_older(&mut self, fault: Message) {
        if self.older.len() < MOST_FAULTS {
            self.older.push(fault);
        }
    }
    fn push_first(&mut self, fault: Message) {
        self.first.get_or_insert(fault);
    }
    /// Notes that a value is nested deeper than the newer front end reads.
    pub(crate) fn stop(&mut self) {
        self.stopped = true;
    }
    fn into_result(self) -> Result<(), Error> {
        let older = self.falls_back && self.stopped;
        if let Some(first) = self.first.filter(|_| !older) {
            return Err(first.into());
        }
        let mut all = if older { self.older } else { self.all };
        if all.is_empty() {
            all.extend(self.last);
        }
        if all.is_empty() {
            return Ok(());
        }
        let faults: Vec<String> = all.iter().map(Message::text).collect();
        Err(Message::constraints(&faults).into())
    }
}

/// Checks a whole input whose words are known.
pub(crate) fn check<T: Wire>(input: &T) -> Result<(), Error> {
    check_with(input, Vec::new())
}

/// Checks a whole input, with the unknown words that its body held.
pub(crate) fn check_with<T: Wire>(input: &T, words: Vec<UnknownWord>) -> Result<(), Error> {
    let unknown = Unknown::of(words);
    let mut faults = Faults::default();
    input.check_inside(&At::root(&unknown), &mut faults);
    faults.into_result()
}

/// Checks one member and what is inside it.
pub(crate) fn member<T: Wire>(value: Option<&T>, rules: &[Rule], at: &At<'_>, faults: &mut Faults) {
    match value {
        None => absent::<T>(rules, at, faults),
        Some(value) => {
            for &rule in rules {
                present(value, rule, at, faults);
            }
            value.check_inside(at, faults);
        }
    }
}

fn absent<T: Wire>(rules: &[Rule], at: &At<'_>, faults: &mut Faults) {
    if let Some(set) = T::WORDS
        && let Some(word) = at.word_here()
    {
        let older = Message::UnknownWord {
            value: word,
            at: at.to_string(),
            words: Message::words_of(set, false),
        };
        let fault = if rules.contains(&Rule::BareWord) {
            let words = Message::words_of(set, true);
            Message::BareWord { words }
        } else {
            older.clone()
        };
        faults.push_older(older);
        if rules.contains(&Rule::Uncounted) {
            faults.push_first(fault);
        } else if rules.contains(&Rule::FirstWord) {
            faults.push_first(Message::Counted {
                fault: fault.text(),
            });
        } else {
            faults.push_newer(fault);
        }
        return;
    }
    for rule in rules {
        match rule {
            Rule::Required => faults.push(Message::NotNull { at: at.to_string() }),
            Rule::RequiredByNewer => {
                (faults.falls_back, faults.stopped) = (true, true);
                faults.push(Message::NotNull { at: at.to_string() });
            }
            Rule::Named => faults.push_first(Message::ParameterRequired {
                name: at.capitals(),
            }),
            _ => {}
        }
    }
}

fn good_key(key: &str, min: usize, max: usize, pattern: Pattern) -> bool {
    let arn = pattern == Pattern::Table && key.starts_with("arn:");
    arn || ((min..=max).contains(&key.chars().count()) && pattern.matches(key))
}

fn shown<T: Wire>(value: &T) -> String {
    let mut out = String::new();
    value.show(&mut out);
    out
}

fn json<T: Wire>(value: &T) -> String {
    let mut out = Vec::new();
    value.write(&mut out);
    String::from_utf8_lossy(&out).into_owned()
}

fn present<T: Wire>(value: &T, rule: Rule, at: &At<'_>, faults: &mut Faults) {
    faults.falls_back |= rule == Rule::RequiredByNewer;
    if let Some(fault) = first_fault(value, rule, at) {
        if let Some(older) = older(value, rule, at) {
            faults.push_older(older);
        }
        faults.push_first(Message::Counted {
            fault: fault.text(),
        });
    } else if !satisfied(value, rule) {
        let fault = fault(value, rule, at.to_string());
        if matches!(rule, Rule::MapKeys { older: true, .. }) {
            faults.last = Some(fault);
        } else {
            faults.push(fault);
        }
    }
}

/// The fault of a rule that is looked at before the others.
fn first_fault<T: Wire>(value: &T, rule: Rule, at: &At<'_>) -> Option<Message> {
    let length = || value.length().unwrap_or_default();
    let magnitude = || value.magnitude().unwrap_or_default();
    let at = || at.capitals();
    match rule {
        Rule::FirstMinLength(limit) if length() < limit => {
            Some(Message::BareTooShort { at: at(), limit })
        }
        Rule::FirstMaxLength(limit) if length() > limit => {
            Some(Message::BareTooLong { at: at(), limit })
        }
        Rule::FirstMinValue(limit) if magnitude() < limit => {
            Some(Message::BareTooSmall { at: at(), limit })
        }
        _ => None,
    }
}

/// The same fault in the older front end's words.
fn older<T: Wire>(value: &T, rule: Rule, at: &At<'_>) -> Option<Message> {
    let rule = match rule {
        Rule::FirstMinLength(limit) => Rule::MinLength(limit),
        Rule::FirstMaxLength(limit) => Rule::MaxLength(limit),
        Rule::FirstMinValue(limit) => Rule::MinValue(limit),
        _ => return None,
    };
    Some(fault(value, rule, at.to_string()))
}

/// Whether a value satisfies a rule of the ordinary kind.
fn satisfied<T: Wire>(value: &T, rule: Rule) -> bool {
    let length = || value.length().unwrap_or_default();
    let magnitude = || value.magnitude().unwrap_or_default();
    match rule {
        Rule::MinLength(limit) => length() >= limit,
        Rule::MaxLength(limit) => length() <= limit || is_arn(value),
        Rule::MinValue(limit) => magnitude() >= limit,
        Rule::MaxValue(limit) => magnitude() <= limit,
        Rule::Pattern(pattern) => pattern.matches(value.as_text().unwrap_or_default()),
        Rule::MapKeys {
            min, max, pattern, ..
        } => value.keys_all(&|key| good_key(key, min, max, pattern)),
        Rule::MapValues { min, max } | Rule::Elements { min, max } => {
            value.lengths_all(&|length| (min..=max).contains(length))
        }
        Rule::Required
        | Rule::RequiredByNewer
        | Rule::Named
        | Rule::FirstMinLength(_)
        | Rule::FirstMaxLength(_)
        | Rule::FirstMinValue(_)
        | Rule::FirstWord
        | Rule::BareWord
        | Rule::Uncounted => true,
    }
}

/// An ARN may be longer than a name.
fn is_arn<T: Wire>(value: &T) -> bool {
    value.as_text().is_some_and(|text| text.starts_with("arn:"))
}

/// What is said of a value that breaks a rule of the ordinary kind.
fn fault<T: Wire>(value: &T, rule: Rule, at: String) -> Message {
    let newer_keys = matches!(rule, Rule::MapKeys { older: false, .. });
    let value = if newer_keys {
        json(value)
    } else {
        shown(value)
    };
    match rule {
        Rule::MinLength(limit) => Message::TooShort { value, at, limit },
        Rule::MaxLength(limit) => Message::TooLong { value, at, limit },
        Rule::MinValue(limit) => Message::TooSmall { value, at, limit },
        Rule::MaxValue(limit) => Message::TooLarge { value, at, limit },
        Rule::Pattern(pattern) => {
            let pattern = pattern.as_str();
            Message::OffPattern { value, at, pattern }
        }
        Rule::MapKeys {
            min, max, pattern, ..
        } => {
            let pattern = pattern.as_str();
            Message::BadMapKey {
                value,
                at,
                min,
                max,
                pattern,
            }
        }
        Rule::Elements { min, max } => Message::BadElement {
            value,
            at,
            min,
            max,
        },
        Rule::MapValues { min, max } => Message::BadMapValue {
            value,
            at,
            min,
            max,
        },
        _ => Message::NotNull { at },
    }
}
