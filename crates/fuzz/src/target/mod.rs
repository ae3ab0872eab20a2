//! What is fuzzed: each target with its laws.

mod expression;
mod item;
mod key;
mod number;
mod request;
mod statement;
mod words;

use crate::escape::unescape;
use crate::harvest;

/// Something that takes input, and the laws that it keeps for every input.
#[derive(Debug)]
pub struct Target {
    /// Its name, and that of its file in `corpus/`.
    pub name: &'static str,
    /// Tries an input, panics where a law is broken, and says what the outcome looked like.
    pub(crate) check: fn(&[u8]) -> u64,
    /// Words that its inputs are made of.
    pub(crate) dictionary: &'static [&'static str],
    /// The longest input worth trying: somewhat over the limit that applies.
    pub(crate) longest: usize,
    /// The file in `corpus/`.
    file: &'static str,
    /// More inputs, from the cases of other tests.
    harvest: fn() -> Vec<Vec<u8>>,
}

macro_rules! targets {
    ($($name:literal $check:path, $words:path, $longest:literal, $harvest:expr;)*) => {
        /// Every target.
        pub const ALL: &[Target] = &[$(Target {
            name: $name,
            check: $check,
            dictionary: $words,
            longest: $longest,
            file: include_str!(concat!("../../corpus/", $name, ".txt")),
            harvest: $harvest,
        },)*];
    };
}

// An expression has at most 4,096 bytes, a statement 8,192 characters (core's limits).
targets! {
    "condition" expression::condition, words::EXPRESSION, 4_500, || harvest::members(&["ConditionExpression", "FilterExpression"]);
    "key-condition" expression::key_condition, words::EXPRESSION, 4_500, || harvest::members(&["KeyConditionExpression"]);
    "update" expression::update, words::EXPRESSION, 4_500, || harvest::members(&["UpdateExpression"]);
    "projection" expression::projection, words::EXPRESSION, 4_500, || harvest::members(&["ProjectionExpression"]);
    "statement" statement::statement, words::STATEMENT, 9_000, || harvest::members(&["Statement"]);
    "request" request::request, words::REQUEST, 30_000, harvest::requests;
    "item" item::item, words::REQUEST, 10_000, || harvest::members(&["Item", "Key", "ExpressionAttributeValues"]);
    "number" number::number, words::NUMBER, 400, Vec::new;
    "key" key::key, words::NUMBER, 3_000, Vec::new;
}

impl Target {
    /// Every input that is known.
    pub(crate) fn corpus(&self) -> Vec<Vec<u8>> {
        let lines = self.file.lines().filter(|line| !line.is_empty());
        let mut inputs: Vec<Vec<u8>> = lines.map(unescape).collect();
        inputs.extend((self.harvest)());
        inputs.retain(|input| input.len() <= self.longest);
        inputs
    }
}

/// The input as the text that a request would hold: it has always been UTF-8 by then.
fn text(input: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(input)
}
