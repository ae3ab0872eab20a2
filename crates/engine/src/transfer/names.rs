//! ARNs and pages of exports and imports.

use bothways_protocol::Message;

/// Most entries of one page, and how many there are by default. Source: API Reference.
pub(super) const PAGE: usize = 25;

/// What an ARN says of an export or import.
pub(super) struct TransferName<'a> {
    pub(super) account: &'a str,
    pub(super) table: &'a str,
    pub(super) id: &'a str,
}

impl<'a> TransferName<'a> {
    /// `kind` is the word before the id.
    pub(super) fn of(arn: &'a str, kind: &str) -> Option<Self> {
        let parts: Vec<&str> = arn.splitn(6, ':').collect();
        let ["arn", _, "dynamodb", _, account, resource] = parts[..] else {
            return None;
        };
        let path: Vec<&str> = resource.split('/').collect();
        match path[..] {
            ["table", table, word, id] if word == kind => Some(Self { account, table, id }),
            _ => None,
        }
    }
}

/// The id of an export or import: when it began, and a number.
pub(super) fn id(now: u64, number: u64) -> String {
    format!("{now:014}-{:08x}", number & 0xffff_ffff)
}

/// A page's token: the id of its last entry, in hexadecimal.
pub(super) fn token(id: &str) -> String {
    crate::digest::hex(id.as_bytes())
}

/// The id that a token names.
pub(super) fn of_token(token: &str) -> Result<String, Message> {
    let invalid = || Message::TransferTokenInvalid {
        token: token.to_owned(),
    };
    let pairs = token.as_bytes().chunks(2);
    let bytes = pairs.map(|pair| {
        let pair = std::str::from_utf8(pair).ok()?;
        u8::from_str_radix(pair, 16).ok()
    });
    let bytes = bytes.collect::<Option<Vec<u8>>>().ok_or_else(invalid)?;
    String::from_utf8(bytes).map_err(|_| invalid())
}
