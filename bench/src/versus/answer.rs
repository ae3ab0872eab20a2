//! The end of an answer found in what came over a connection, as cheaply as it goes.

use memchr::memmem;

/// An answer that has come whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// Where its body begins.
    pub body: usize,
    /// Where it ends.
    pub end: usize,
    /// Whether the server closes the connection behind it.
    pub closes: bool,
}

impl Answer {
    /// The answer at the start of `bytes`; none where it is not all there.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let body = memmem::find(bytes, b"\r\n\r\n")? + 4;
        let head = std::str::from_utf8(bytes.get(..body)?).ok()?;
        let status = head.get(9..12)?.parse().ok()?;
        let (mut length, mut chunked, mut closes) = (0, false, head.starts_with("HTTP/1.0"));
        for (name, value) in head.lines().skip(1).filter_map(|line| line.split_once(':')) {
            let value = value.trim();
            if name.eq_ignore_ascii_case("content-length") {
                length = value.parse().ok()?;
            } else if name.eq_ignore_ascii_case("transfer-encoding") {
                chunked = value.eq_ignore_ascii_case("chunked");
            } else if name.eq_ignore_ascii_case("connection") {
                closes = value.eq_ignore_ascii_case("close");
            }
        }
        let end = if chunked {
            last_chunk(bytes, body)?
        } else {
            body + length
        };
        (end <= bytes.len()).then_some(Self {
            status,
            body,
            end,
            closes,
        })
    }
}

/// Where a chunked body ends.
fn last_chunk(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let line = memmem::find(bytes.get(at..)?, b"\r\n")? + at;
        let size = std::str::from_utf8(bytes.get(at..line)?).ok()?;
        let size = usize::from_str_radix(size.split(';').next()?.trim(), 16).ok()?;
        at = line + 2 + size + 2;
        if bytes.len() < at {
            return None;
        }
        if size == 0 {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_ends_where_its_length_or_its_last_chunk_says() {
        let whole = [
            "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}",
            "HTTP/1.1 400 Bad\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
            "HTTP/1.1 204 No\r\nconnection: close\r\n\r\n",
        ];
        for answer in whole {
            let read = Answer::read(format!("{answer}HTTP").as_bytes()).unwrap();
            assert_eq!(read.end, answer.len(), "{answer}");
            assert_eq!(read.closes, answer.contains("close"));
            assert_eq!(Answer::read(&answer.as_bytes()[..answer.len() - 1]), None);
        }
    }
}
