//! Times as AWS writes them (ISO 8601), to the clock's.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Reads `2026-11-30T17:30:00Z`; also with fractions, with an offset, and with `UTC` for `Z`.
pub(crate) fn parse(text: &str) -> Option<SystemTime> {
    let number = |range: std::ops::Range<usize>| text.get(range)?.parse::<i64>().ok();
    let separators = text.as_bytes();
    if separators.get(4) != Some(&b'-') || !matches!(separators.get(10), Some(b'T' | b' ')) {
        return None;
    }
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 {
        return None;
    }
    let rest = text.get(19..)?;
    let zone = rest.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
    let offset = match zone {
        "Z" | "UTC" => 0,
        _ => offset(zone)?,
    };
    // Days since 1970, counting years from March so that leap days come last.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let days =
        year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 719_469;
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset;
    Some(UNIX_EPOCH + Duration::from_secs(u64::try_from(seconds).ok()?))
}

/// `+01:00` in seconds.
fn offset(zone: &str) -> Option<i64> {
    let sign = match zone.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits: String = zone.chars().skip(1).filter(char::is_ascii_digit).collect();
    let hours: i64 = digits.get(0..2)?.parse().ok()?;
    let minutes: i64 = digits.get(2..4)?.parse().ok()?;
    Some(sign * (hours * 3600 + minutes * 60))
}

/// A time as the token cache of single sign-on has it.
pub(crate) fn write(seconds: u64) -> String {
    let text = bothways_protocol::sigv4::amz_date(seconds);
    format!(
        "{}-{}-{}T{}:{}:{}Z",
        &text[0..4],
        &text[4..6],
        &text[6..8],
        &text[9..11],
        &text[11..13],
        &text[13..15]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_written() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2015-08-30T12:36:00Z", Some(1_440_938_160)),
            ("2000-02-29T00:00:00.123Z", Some(951_782_400)),
            ("2015-08-30T14:36:00+02:00", Some(1_440_938_160)),
            ("2015-08-30T12:36:00UTC", Some(1_440_938_160)),
            ("2100-03-01T00:00:00Z", Some(4_107_542_400)),
            ("2015-08-30", None),
            ("2015-13-30T12:36:00Z", None),
            ("soon", None),
            ("", None),
            ("2015-08-30T12:36:00", None),
        ] {
            let expected = seconds.map(|s| UNIX_EPOCH + Duration::from_secs(s));
            assert_eq!(parse(text), expected, "{text}");
            if let (Some(seconds), true) = (seconds, text.len() == 20) {
                assert_eq!(write(seconds), text);
            }
        }
    }
}
