//! Stable stand-ins: equal texts get the same one, and numbers follow the order of first sight.

use std::collections::HashMap;

/// Numbers for the things of one kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers {
    known: HashMap<String, usize>,
}

impl Numbers {
    /// Returns the number of this thing, from 1.
    pub(super) fn of(&mut self, thing: &str) -> usize {
        let next = self.known.len() + 1;
        *self.known.entry(thing.to_owned()).or_insert(next)
    }
}

/// Returns the stand-in for the UUID with this number.
pub(super) fn uuid(number: usize) -> String {
    format!("{STABLE_UUID}{number:012}")
}

/// Returns the stand-in for the short id with this number.
pub(super) fn made_up(number: usize) -> String {
    format!("id{number:07}")
}

/// Returns the stand-in for the time with this number, from 0.
pub(super) fn time(number: usize) -> String {
    let (hours, minutes, seconds) = (number / 3600 % 24, number / 60 % 60, number % 60);
    format!("{STABLE_DAY}T{hours:02}:{minutes:02}:{seconds:02}.000Z")
}

/// Returns the length of a UUID at the start of the text.
pub(super) fn uuid_at(text: &[u8]) -> Option<usize> {
    let shape = |at: usize, byte: u8| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    let fits = text.len() >= 36 && text[..36].iter().enumerate().all(|(at, byte)| shape(at, *byte));
    let ends = text.get(36).is_none_or(|byte| !byte.is_ascii_alphanumeric());
    (fits && ends).then_some(36)
}

/// Returns the length of a time at the start of the text, such as `2026-11-21T22:51:20.123Z` or with `+01:00` for the
/// `Z`; the fraction may be missing.
pub(super) fn time_at(text: &[u8]) -> Option<usize> {
    let shape = b"0000-00-00T00:00:00";
    let head = text.get(..shape.len())?;
    let fits = head.iter().zip(shape).all(|(byte, shape)| match shape {
        b'0' => byte.is_ascii_digit(),
        other => byte == other,
    });
    if !fits {
        return None;
    }
    let rest = &text[shape.len()..];
    let fraction = match rest.first() {
        Some(b'.') => 1 + rest[1..].iter().take_while(|byte| byte.is_ascii_digit()).count(),
        _ => 0,
    };
    let zone = match &rest[fraction..] {
        [b'Z', ..] => 1,
        [b'+' | b'-', a, b, b':', c, d, ..] if [a, b, c, d].iter().all(|digit| digit.is_ascii_digit()) => 6,
        _ => return None,
    };
    Some(shape.len() + fraction + zone)
}

/// All stand-ins for UUIDs begin like this.
pub(super) const STABLE_UUID: &str = "00000000-0000-4000-8000-";

/// All stand-ins for times are of this day.
pub(super) const STABLE_DAY: &str = "2026-01-01";
