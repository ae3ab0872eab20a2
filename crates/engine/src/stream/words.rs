//! Times as text.

/// Year, month, day, and milliseconds of the day, of milliseconds since 1970 (civil calendar, UTC).
fn civil(millis: u64) -> (u64, u64, u64, u64) {
    const DAY: u64 = 86_400_000;
    // Days since 0000-03-01: years then end with the leap day.
    let days = millis / DAY + 719_468;
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day, millis % DAY)
}

/// A stream's label: `2026-10-08T23:07:31.275`.
pub(crate) fn label(millis: u64) -> String {
    let (year, month, day, rest) = civil(millis);
    let (seconds, thousandths) = (rest / 1_000, rest % 1_000);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{thousandths:03}")
}

/// A time in a message: `Wed Mar 04 01:02:40 UTC 2020`.
pub(crate) fn spelt(millis: u64) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let (year, month, day, rest) = civil(millis);
    let pick = |names: &[&'static str], n: u64| {
        let n = usize::try_from(n).unwrap_or(0) % names.len();
        names[n]
    };
    let (weekday, month) = (pick(&DAYS, millis / 86_400_000), pick(&MONTHS, month - 1));
    let seconds = rest / 1_000;
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{weekday} {month} {day:02} {hour:02}:{minute:02}:{second:02} UTC {year}")
}

#[cfg(test)]
mod tests {
    use super::{label, spelt};

    #[test]
    fn times_are_written_as_aws_writes_them() {
        for (millis, iso, words) in [
            (0, "1970-01-01T00:00:00.000", "Thu Jan 01 00:00:00 UTC 1970"),
            (
                951_782_400_123,
                "2000-02-29T00:00:00.123",
                "Tue Feb 29 00:00:00 UTC 2000",
            ),
            (
                1_583_283_760_000,
                "2020-03-04T01:02:40.000",
                "Wed Mar 04 01:02:40 UTC 2020",
            ),
            (
                4_107_542_399_999,
                "2100-02-28T23:59:59.999",
                "Sun Feb 28 23:59:59 UTC 2100",
            ),
        ] {
            assert_eq!(label(millis), iso);
            assert_eq!(spelt(millis), words);
        }
    }
}
