//! Declared attributes: their types, what stands in them by itself, and texts to values.

use bothways_core::{Number, NumberError, Value};

/// Type of a declared attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttributeType {
    /// Text.
    String,
    /// A number.
    Number,
    /// A moment: epoch seconds as a number, shown as a time.
    Time,
    /// A day as text, `2026-09-01`.
    Date,
    /// True or false.
    Bool,
}

impl AttributeType {
    pub(crate) const ALL: [Self; 5] = [
        Self::String,
        Self::Number,
        Self::Time,
        Self::Date,
        Self::Bool,
    ];
    /// Its name in a model file.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Number => "number",
            Self::Time => "time",
            Self::Date => "date",
            Self::Bool => "bool",
        }
    }
}

/// What stands in an attribute that was not given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preset {
    /// The moment of linking, for [`AttributeType::Time`].
    Now,
    /// Always this; nothing else may be given.
    Value(String),
}

/// A declared attribute of an edge or an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// Name.
    pub name: String,
    /// Type.
    pub kind: AttributeType,
    /// What stands there by itself.
    pub preset: Option<Preset>,
}

/// Seconds since 1970 of a moment as databases write it: `2026-09-01 10:00:00.5+02`, `2026-09-01T10:00:00Z`, `2026-09-01`.
/// Without an offset it is UTC; parts of a second are left out.
fn moment(text: &str) -> Option<i64> {
    let (date, time) = text.split_at_checked(10)?;
    if !is_date(date) {
        return None;
    }
    let number = |text: &str| text.parse::<i64>().ok();
    let (year, month, day) = (
        number(&date[..4])?,
        number(&date[5..7])?,
        number(&date[8..])?,
    );
    // Days from 1970: years begin in March, so that the day that comes and goes is the last one.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let days = 365 * year + year.div_euclid(4) - year.div_euclid(100)
        + year.div_euclid(400)
        + (153 * month + 2) / 5
        + day
        - 719_469;
    if time.is_empty() {
        return Some(days * 86_400);
    }
    let time = time.strip_prefix(['T', 't', ' '])?;
    let end = time.find(['Z', 'z', '+', '-']).unwrap_or(time.len());
    let (clock, offset) = (time[..end].trim_end(), &time[end..]);
    let whole = clock.split_once('.').map_or(clock, |(whole, _)| whole);
    let seconds = clock_seconds(whole, 24)?;
    let east = match offset.split_at_checked(1) {
        None | Some(("Z" | "z", "")) => 0,
        Some((sign, offset)) if sign == "+" || sign == "-" => {
            let seconds = clock_seconds(offset, 16)?;
            if sign == "-" { -seconds } else { seconds }
        }
        Some(_) => return None,
    };
    Some(days * 86_400 + seconds - east)
}

/// `10:00:00`, `10:00`, `10` or `1000` as seconds, of so many hours at most.
fn clock_seconds(text: &str, hours: i64) -> Option<i64> {
    let digits = text.bytes().all(|b| b.is_ascii_digit() || b == b':');
    let parts: Vec<&str> = match text.split_at_checked(2) {
        Some((hour, minute)) if text.len() == 4 && !text.contains(':') => vec![hour, minute],
        _ => text.split(':').collect(),
    };
    if !digits || parts.len() > 3 || parts.iter().any(|part| part.len() != 2) {
        return None;
    }
    let mut seconds = 0;
    for (part, (unit, most)) in parts.iter().zip([(3600, hours), (60, 59), (1, 60)]) {
        let value: i64 = part.parse().ok().filter(|value| *value <= most)?;
        seconds += value * unit;
    }
    Some(seconds)
}

/// A text that is not of the attribute's type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AttributeError {
    /// Not a number, or not one that DynamoDB holds.
    #[error("{name} is a number, and {text:?} is {source}")]
    Number {
        /// Attribute.
        name: String,
        /// What was given.
        text: String,
        /// Why not.
        source: NumberError,
    },
    /// Not a day.
    #[error("{name} is a date like 2026-09-01, and {text:?} is not")]
    Date {
        /// Attribute.
        name: String,
        /// What was given.
        text: String,
    },
    /// Neither true nor false.
    #[error("{name} is true or false, and {text:?} is neither")]
    Bool {
        /// Attribute.
        name: String,
        /// What was given.
        text: String,
    },
    /// The model fixes this attribute.
    #[error("{name} is always {value} in this model")]
    Fixed {
        /// Attribute.
        name: String,
        /// Its value.
        value: String,
    },
}

impl Attribute {
    /// A text as this attribute's value.
    ///
    /// # Errors
    /// A text that is not of the type.
    pub fn parse(&self, text: &str) -> Result<Value, AttributeError> {
        let name = || self.name.clone();
        let given = || text.to_owned();
        if let Some(Preset::Value(value)) = &self.preset
            && value != text
        {
            return Err(AttributeError::Fixed {
                name: name(),
                value: value.clone(),
            });
        }
        match self.kind {
            AttributeType::String => Ok(Value::S(given())),
            AttributeType::Time if moment(text).is_some() => {
                Ok(Value::N(Number::from(moment(text).unwrap_or_default())))
            }
            AttributeType::Number | AttributeType::Time => Number::parse(text)
                .map(Value::N)
                .map_err(|source| AttributeError::Number {
                    name: name(),
                    text: given(),
                    source,
                }),
            AttributeType::Date if is_date(text) => Ok(Value::S(given())),
            AttributeType::Date => Err(AttributeError::Date {
                name: name(),
                text: given(),
            }),
            AttributeType::Bool => match text {
                "true" => Ok(Value::Bool(true)),
                "false" => Ok(Value::Bool(false)),
                _ => Err(AttributeError::Bool {
                    name: name(),
                    text: given(),
                }),
            },
        }
    }
}

fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut part = |width: usize, low: u32, high: u32| {
        parts.next().is_some_and(|p| {
            p.len() == width
                && p.bytes().all(|b| b.is_ascii_digit())
                && p.parse().is_ok_and(|n| (low..=high).contains(&n))
        })
    };
    part(4, 0, 9999) && part(2, 1, 12) && part(2, 1, 31) && parts.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_databases_write_them() {
        for (text, seconds) in [
            ("1970-01-01", Some(0)),
            ("2000-02-29T00:00:00Z", Some(951_782_400)),
            ("2024-06-20 16:13:20+00", Some(1_718_900_000)),
            ("2024-06-20 18:13:20.123456+02:00", Some(1_718_900_000)),
            ("2024-06-20T08:13:20-0800", Some(1_718_900_000)),
            ("2024-06-20 16:13", Some(1_718_899_980)),
            ("1969-12-31 23:59:59", Some(-1)),
            ("2024-06-20 25:00:00", None),
            ("2024-06-20 10:00:00 Europe/Paris", None),
            ("2024-06-20x10:00", None),
            ("2024-13-01", None),
            ("yesterday", None),
            ("", None),
        ] {
            assert_eq!(moment(text), seconds, "{text}");
        }
    }

    #[test]
    fn dates_are_days() {
        for (text, good) in [
            ("2026-09-01", true),
            ("2026-13-01", false),
            ("2026-9-1", false),
            ("2026-09-01x", false),
            ("", false),
        ] {
            assert_eq!(is_date(text), good, "{text}");
        }
    }
}
