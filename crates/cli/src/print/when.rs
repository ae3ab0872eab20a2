//! Times, always UTC.

const DAY: i64 = 86_400;

/// `2024-06-20 16:13:20` for seconds since 1970; `None` outside the years 1 to 9999.
pub(crate) fn utc(epoch_seconds: i64) -> Option<String> {
    let (day, second) = (epoch_seconds.div_euclid(DAY), epoch_seconds.rem_euclid(DAY));
    let (year, month, date) = civil(day)?;
    Some(format!(
        "{year:04}-{month:02}-{date:02} {:02}:{:02}:{:02}",
        second / 3600,
        second / 60 % 60,
        second % 60
    ))
}

/// Year, month and day of a day number counted from 1970-01-01, in the proleptic Gregorian calendar.
fn civil(day: i64) -> Option<(i64, i64, i64)> {
    // Counted in 400-year cycles from 0000-03-01, so that a leap day is the last day of its year.
    let shifted = day.checked_add(719_468)?;
    let (cycle, day_of_cycle) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_cycle = (day_of_cycle - day_of_cycle / 1_460 + day_of_cycle / 36_524
        - day_of_cycle / 146_096)
        / 365;
    let day_of_year =
        day_of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let date = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = year_of_cycle + cycle * 400 + i64::from(month <= 2);
    (1..=9999).contains(&year).then_some((year, month, date))
}

#[cfg(test)]
mod tests {
    use super::utc;

    #[test]
    fn seconds_become_utc() {
        for (seconds, text) in [
            (0, Some("1970-01-01 00:00:00")),
            (1_718_900_000, Some("2024-06-20 16:13:20")),
            (1_709_164_799, Some("2024-02-28 23:59:59")),
            (1_709_164_800, Some("2024-02-29 00:00:00")),
            (951_868_800, Some("2000-03-01 00:00:00")),
            (4_107_542_400, Some("2100-03-01 00:00:00")),
            (-1, Some("1969-12-31 23:59:59")),
            (253_402_300_799, Some("9999-12-31 23:59:59")),
            (253_402_300_800, None),
            (i64::MIN, None),
            (i64::MAX, None),
        ] {
            assert_eq!(utc(seconds).as_deref(), text, "{seconds}");
        }
    }
}
