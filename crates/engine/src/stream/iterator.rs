//! Shard iterators: a place in a shard, readable by nobody else, good for fifteen minutes.

use super::record::Place;
use super::words::spelt;
use crate::error::Fault;
use crate::layout::stable_hash;
use bothways_protocol::Message;
use bytes::{Buf, BufMut};
use std::fmt::Write as _;

/// How long an iterator is good for, milliseconds. Source: API Reference, GetShardIterator.
const ITERATOR_MILLIS: u64 = 15 * 60 * 1_000;
/// Bytes of an iterator before its check sum.
const BODY: usize = 8 + 4 + 2 + 1 + 8 + 4;

/// Where in a shard reading goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) generation: u32,
    pub(crate) range: u16,
    /// `None` for the oldest record there is, whichever that is by then.
    pub(crate) place: Option<Place>,
}

/// The iterator's text: the stream's ARN, then the rest in hexadecimal digits with a check sum.
pub(crate) fn write(arn: &str, position: &Position, now: u64) -> String {
    let mut body = Vec::with_capacity(BODY + 8);
    body.put_u64(now);
    body.put_u32(position.generation);
    body.put_u16(position.range);
    body.put_u8(u8::from(position.place.is_some()));
    let place = position.place.unwrap_or(Place::START);
    body.put_u64(place.seq);
    body.put_u32(place.position);
    body.put_u64(check_sum(arn, &body));
    let mut out = format!("{arn}|1|");
    for byte in body {
        // Writing into a String cannot fail.
        let _ = write!(out, "{byte:02x}");
    }
    out
}

/// The stream's ARN and the position of an iterator, if it is one and still good.
pub(crate) fn read(text: &str, now: u64) -> Result<(&str, Position), Fault> {
    let (created, arn, position) = parse(text).ok_or(Message::IteratorInvalid)?;
    if now.saturating_sub(created) > ITERATOR_MILLIS {
        return Err(Message::IteratorExpired {
            created: spelt(created),
            now: spelt(now),
            millis: ITERATOR_MILLIS,
        }
        .into());
    }
    Ok((arn, position))
}

fn parse(text: &str) -> Option<(u64, &str, Position)> {
    let (arn, digits) = text.split_once("|1|")?;
    if digits.len() != 2 * (BODY + 8) || !digits.is_ascii() {
        return None;
    }
    let bytes = (0..digits.len()).step_by(2);
    let bytes = bytes.map(|at| u8::from_str_radix(&digits[at..at + 2], 16).ok());
    let bytes = bytes.collect::<Option<Vec<u8>>>()?;
    let (mut body, mut sum) = bytes.split_at(BODY);
    if sum.get_u64() != check_sum(arn, body) {
        return None;
    }
    let created = body.get_u64();
    let (generation, range) = (body.get_u32(), body.get_u16());
    let placed = body.get_u8() == 1;
    let place = Place {
        seq: body.get_u64(),
        position: body.get_u32(),
    };
    let place = placed.then_some(place);
    let position = Position {
        generation,
        range,
        place,
    };
    Some((created, arn, position))
}

/// Tells an iterator from text that only looks like one. Nothing secret hangs on it.
fn check_sum(arn: &str, body: &[u8]) -> u64 {
    let mut all = arn.as_bytes().to_vec();
    all.extend_from_slice(body);
    stable_hash(&all)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test stops where it fails")]
    use super::*;

    const ARN: &str =
        "arn:aws:dynamodb:eu-west-2:000000000000:table/t/stream/2026-10-08T23:07:31.275";

    #[test]
    fn an_iterator_is_read_back_until_it_expires_or_is_touched() {
        for place in [
            None,
            Some(Place {
                seq: u64::MAX,
                position: 7,
            }),
        ] {
            let position = Position {
                generation: 3,
                range: 9,
                place,
            };
            let text = write(ARN, &position, 1_000);
            assert_eq!(
                read(&text, 1_000 + ITERATOR_MILLIS).unwrap(),
                (ARN, position)
            );
            let late = read(&text, 1_001 + ITERATOR_MILLIS).unwrap_err();
            let words = "Iterator expired. The iterator was created at time Thu Jan 01 00:00:01 UTC 1970 \
                         while right now it is Thu Jan 01 00:15:01 UTC 1970 which is further in the future \
                         than the tolerated delay of 900000 milliseconds.";
            assert!(late.to_string().contains(words), "{late}");
            for at in 0..text.len() {
                let mut touched = text.clone().into_bytes();
                touched[at] = if touched[at] == b'0' { b'1' } else { b'0' };
                let touched = String::from_utf8(touched).unwrap();
                assert!(read(&touched, 1_000).is_err(), "{touched}");
            }
        }
        for text in ["", "|1|", "x|1|00", "é|1|é"] {
            assert!(read(text, 0).is_err(), "{text}");
        }
    }
}
