//! Deserializers for fields that accept odd or missing values, so that the whole message stays readable.
//!
//! JavaScript has only one number type. Measured or estimated values may have a fraction (`retry_delay_ms` of
//! 2.1.197 does), be negative after a clock was set back, or be `null` for a value that is not a number.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error, Unexpected, Visitor},
};
use serde_json::Number;

/// Reads a count or a time: rounds fractions, and reads negative numbers and `null` as 0.
pub(crate) fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    optional_count(deserializer).map(Option::unwrap_or_default)
}

/// Reads an optional count or time like [`count`], and `null` as `None`.
pub(crate) fn optional_count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    // `Number` reads every finite number also with serde_json's `arbitrary_precision`, which another crate may enable.
    Ok(Option::<Number>::deserialize(deserializer)?.map(|number| whole(&number)))
}

/// Reads a number that may have a fraction, and `null` as 0.
pub(crate) fn amount<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// Reads a flag as JavaScript does: 0, `null` and the empty string are false, other numbers are true.
///
/// Other texts, lists and objects are an error, so that the field's default applies.
pub(crate) fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    deserializer.deserialize_any(FlagVisitor)
}

/// Returns the default of a missing field: the empty text.
pub(crate) fn empty<T: for<'a> From<&'a str>>() -> T {
    T::from("")
}

struct FlagVisitor;

impl<'de> Visitor<'de> for FlagVisitor {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a boolean")
    }

    fn visit_bool<E>(self, flag: bool) -> Result<bool, E> {
        Ok(flag)
    }

    fn visit_u64<E>(self, number: u64) -> Result<bool, E> {
        Ok(number != 0)
    }

    fn visit_i64<E>(self, number: i64) -> Result<bool, E> {
        Ok(number != 0)
    }

    fn visit_f64<E>(self, number: f64) -> Result<bool, E> {
        Ok(number != 0.0)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<bool, E> {
        if text.is_empty() { Ok(false) } else { Err(E::invalid_type(Unexpected::Str(text), &self)) }
    }

    fn visit_unit<E>(self) -> Result<bool, E> {
        Ok(false)
    }
}

/// Returns the nearest count.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast stops at both ends of the range, which is what is wanted"
)]
fn whole(number: &Number) -> u64 {
    number.as_u64().unwrap_or_else(|| number.as_f64().unwrap_or_default().round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Numbers {
        #[serde(default, deserialize_with = "count")]
        count: u64,
        #[serde(default, deserialize_with = "optional_count")]
        optional: Option<u64>,
        #[serde(default, deserialize_with = "amount")]
        amount: f64,
    }

    #[test]
    fn odd_numbers_become_the_nearest_valid_ones() {
        for (number, count, optional, amount) in [
            ("7", 7, Some(7), 7.0),
            ("1077.7757", 1078, Some(1078), 1077.7757),
            ("-3", 0, Some(0), -3.0),
            ("1e30", u64::MAX, Some(u64::MAX), 1e30),
            ("null", 0, None, 0.0),
        ] {
            let text = format!(r#"{{"count":{number},"optional":{number},"amount":{number}}}"#);
            let numbers = Numbers { count, optional, amount };
            assert_eq!(serde_json::from_str::<Numbers>(&text).unwrap(), numbers, "{text}");
            let value: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(serde_json::from_value::<Numbers>(value).unwrap(), numbers, "{text}");
        }
        let none = Numbers { count: 0, optional: None, amount: 0.0 };
        assert_eq!(serde_json::from_str::<Numbers>("{}").unwrap(), none);
    }

    #[test]
    fn value_that_is_not_a_number_is_an_error() {
        for field in ["count", "optional", "amount"] {
            let text = format!(r#"{{"{field}":"7"}}"#);
            assert!(serde_json::from_str::<Numbers>(&text).is_err(), "{text}");
        }
    }
}
