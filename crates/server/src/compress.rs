//! Content codings: `gzip` and `deflate`, of request bodies and of responses.
//!
//! Source of the rules, edge cases included: AWS's answers as recorded in Scylla's `test_compressed_request.py`
//! and `test_compressed_response.py`. One departure: AWS does not limit what a body unpacks to; here it is held
//! to the limit of plain bodies.

use crate::config::{BODY_BYTES, COMPRESS_ABOVE_BYTES};
use bytes::Bytes;
use flate2::Compression;
use flate2::bufread::{GzDecoder, ZlibDecoder};
use flate2::write::{GzEncoder, ZlibEncoder};
use std::io::{Read, Write};

/// A coding for responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    Gzip,
    Deflate,
}

impl Coding {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
        }
    }
}

/// Why a body could not be unpacked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unpack {
    #[error("the body is not in its coding")]
    Damaged,
    #[error("the body unpacks to more than {BODY_BYTES} bytes")]
    TooLarge,
}

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
/// Most members of one gzip body. A choice: each costs the setting up of a decoder, whatever little is in it, and who
/// joins files joins few.
const MEMBERS: usize = 1024;

/// Unpacks a gzip body of one or more members. What follows the last member and is not one is ignored.
pub(crate) fn gunzip(mut packed: &[u8]) -> Result<Bytes, Unpack> {
    let mut plain = Vec::with_capacity(packed.len().saturating_mul(2).min(BODY_BYTES));
    for _ in 0..MEMBERS {
        let mut member = GzDecoder::new(packed);
        let room = (BODY_BYTES - plain.len()) as u64;
        member
            .by_ref()
            .take(room + 1)
            .read_to_end(&mut plain)
            .map_err(|_| Unpack::Damaged)?;
        if plain.len() > BODY_BYTES {
            return Err(Unpack::TooLarge);
        }
        packed = member.into_inner();
        if !packed.starts_with(&GZIP_MAGIC) {
            return Ok(plain.into());
        }
    }
    Err(Unpack::Damaged)
}

/// Unpacks a `deflate` body, which is one zlib stream.
pub(crate) fn inflate(packed: &[u8]) -> Result<Bytes, Unpack> {
    let mut plain = Vec::with_capacity(packed.len().saturating_mul(2).min(BODY_BYTES));
    ZlibDecoder::new(packed)
        .take(BODY_BYTES as u64 + 1)
        .read_to_end(&mut plain)
        .map_err(|_| Unpack::Damaged)?;
    if plain.len() > BODY_BYTES {
        return Err(Unpack::TooLarge);
    }
    Ok(plain.into())
}

/// The coding of a response of this size for an `Accept-Encoding` value.
pub(crate) fn choose(accept: &str, size: usize) -> Option<Coding> {
    if size <= COMPRESS_ABOVE_BYTES {
        return None;
    }
    let offers = || {
        accept.split(',').enumerate().map(|(place, offer)| {
            let mut parts = offer.split(';');
            let name = parts.next().unwrap_or_default().trim();
            (place, name, parts.find_map(quality).unwrap_or(1.0))
        })
    };
    let best = |name: &str| {
        offers()
            .filter(|(_, offered, _)| offered.eq_ignore_ascii_case(name))
            .map(|(place, _, quality)| (quality, place))
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
    };
    let any = best("*").map(|(quality, _)| (quality, usize::MAX));
    let gzip = best("gzip").or(any).unwrap_or((0.0, usize::MAX));
    let deflate = best("deflate").or(any).unwrap_or((0.0, usize::MAX));
    let (coding, quality) = match deflate.0.total_cmp(&gzip.0).then(gzip.1.cmp(&deflate.1)) {
        std::cmp::Ordering::Greater => (Coding::Deflate, deflate.0),
        _ => (Coding::Gzip, gzip.0),
    };
    (quality > 0.0).then_some(coding)
}

/// `q=0.5`, held to 0–1. AWS takes the end of a longer name for it too, and no `q` with a space behind it; a value that
/// is no number counts as 1.
fn quality(parameter: &str) -> Option<f32> {
    let (name, value) = parameter.split_once('=')?;
    name.ends_with(['q', 'Q']).then(|| {
        value
            .trim()
            .parse::<f32>()
            .map_or(1.0, |q| q.clamp(0.0, 1.0))
    })
}

/// Packs a response body.
pub(crate) fn pack(coding: Coding, body: &[u8]) -> std::io::Result<Vec<u8>> {
    let out = Vec::with_capacity(body.len() / 4);
    match coding {
        Coding::Gzip => {
            let mut encoder = GzEncoder::new(out, Compression::fast());
            encoder.write_all(body)?;
            encoder.finish()
        }
        Coding::Deflate => {
            let mut encoder = ZlibEncoder::new(out, Compression::fast());
            encoder.write_all(body)?;
            encoder.finish()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gzip(text: &[u8]) -> Vec<u8> {
        pack(Coding::Gzip, text).unwrap()
    }

    #[test]
    fn accept_encoding_is_read_as_aws_reads_it() {
        use Coding::{Deflate, Gzip};
        let cases: &[(&str, Option<Coding>)] = &[
            ("gzip", Some(Gzip)),
            ("deflate", Some(Deflate)),
            ("identity", None),
            ("", None),
            ("br", None),
            ("x-gzip", None),
            ("gzip, deflate", Some(Gzip)),
            ("br, identity, deflate, gzip", Some(Deflate)),
            ("GZIP, identity", Some(Gzip)),
            ("dog, gzip ,, cat", Some(Gzip)),
            ("gzip;q=0.8, deflate;q=0.5", Some(Gzip)),
            (
                "br, gzip;q=0, deflate; q = 0.5 , identity;q=0",
                Some(Deflate),
            ),
            ("*", Some(Gzip)),
            ("*, deflate;q=0.5", Some(Gzip)),
            ("*, deflate", Some(Deflate)),
            ("*, identity", Some(Gzip)),
            ("*, gzip;q=0.5", Some(Deflate)),
            ("gzip ;q=0", None),
            ("identity;q=0", None),
            ("*;q=0", None),
            ("*;q=0.5,identity", Some(Gzip)),
            ("gzip;q=0.5,identity;q=0.8", Some(Gzip)),
            ("br;q=0.8,identity;q=0.5,*;q=0", None),
            ("\"gzip\"", None),
            ("gzip br", None),
            ("gzip:q=1", None),
            ("deflate;q=0.5, gzip;q=31", Some(Gzip)),
            ("gzip;q=31,deflate;q=51", Some(Gzip)),
            ("deflate;q=0.5, gzip;q=0.2", Some(Deflate)),
            ("deflate;q=0.5, gzip;q=1;q=0.2", Some(Gzip)),
            ("deflate;q=0.5,gzip;q=0.", Some(Deflate)),
            ("deflate;q=0.5,gzip;q=0.x", Some(Gzip)),
            ("deflate;q=-0.5,gzip;q=0.2", Some(Gzip)),
            ("gzip;q= 0;q=1", None),
            ("gzip;q =0;q=1", Some(Gzip)),
            ("gzip; q=0;q=1", None),
            ("gzip;nq=0;q=1", None),
            ("gzip;q=0, gzip;q=1, gzip;q=0", Some(Gzip)),
            ("br,identity;q=0.5,gzip;q=0.0001", Some(Gzip)),
        ];
        for (accept, coding) in cases {
            assert_eq!(
                choose(accept, COMPRESS_ABOVE_BYTES + 1),
                *coding,
                "{accept}"
            );
            assert_eq!(choose(accept, COMPRESS_ABOVE_BYTES), None, "{accept}");
        }
    }

    #[test]
    fn gzip_bodies_unpack_as_on_aws() {
        let text = b"{\"TableName\":\"t\"}".as_slice();
        assert_eq!(gunzip(&gzip(text)).unwrap(), text);
        let halves = [gzip(&text[..5]), gzip(&text[5..])].concat();
        assert_eq!(gunzip(&halves).unwrap(), text, "two members are one body");
        let junk = [gzip(text), b"junk".to_vec()].concat();
        assert_eq!(gunzip(&junk).unwrap(), text, "AWS ignores what follows");
        let short = gzip(text);
        for damaged in [&short[..short.len() - 1], b"", text] {
            assert_eq!(gunzip(damaged), Err(Unpack::Damaged));
        }
    }

    #[test]
    fn deflate_bodies_unpack_as_on_aws() {
        let text = b"{\"TableName\":\"t\"}".as_slice();
        let packed = pack(Coding::Deflate, text).unwrap();
        assert_eq!(inflate(&packed).unwrap(), text);
        for damaged in [&packed[..packed.len() - 1], b"", text] {
            assert_eq!(inflate(damaged), Err(Unpack::Damaged));
        }
        let bomb = pack(Coding::Deflate, &vec![b' '; BODY_BYTES + 1]).unwrap();
        assert_eq!(inflate(&bomb), Err(Unpack::TooLarge));
    }

    #[test]
    fn a_bomb_is_not_unpacked() {
        let at_limit = vec![b' '; BODY_BYTES];
        assert_eq!(gunzip(&gzip(&at_limit)).unwrap().len(), BODY_BYTES);
        let over = vec![b' '; BODY_BYTES + 1];
        assert_eq!(gunzip(&gzip(&over)), Err(Unpack::TooLarge));
        let halves = [gzip(&over[1..]), gzip(b"x")].concat();
        assert_eq!(gunzip(&halves), Err(Unpack::TooLarge));
        assert_eq!(gunzip(&gzip(b"").repeat(MEMBERS + 1)), Err(Unpack::Damaged));
    }
}
