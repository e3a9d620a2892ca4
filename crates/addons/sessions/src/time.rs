//! Timestamps as the CLI writes them.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

/// Parses a time such as `2026-01-31T12:00:00.123Z` into milliseconds since the Unix epoch.
///
/// A time without an offset is in UTC, and a date alone (`2026-01-31`) is the start of that day.
/// Returns `None` for other text, and for times before 1970.
pub(crate) fn parse_ms(text: &str) -> Option<u64> {
    let in_utc = || Offset::UTC.to_timestamp(text.parse::<DateTime>().ok()?).ok();
    let timestamp = text.parse::<Timestamp>().ok().or_else(in_utc)?;
    u64::try_from(timestamp.as_millisecond()).ok()
}

/// Returns the current time as the CLI writes it, such as `2026-01-31T12:00:00.123Z`.
pub(crate) fn now() -> String {
    format!("{:.3}", Timestamp::now())
}

#[cfg(test)]
mod tests {
    use super::{now, parse_ms};

    #[test]
    fn times_are_parsed() {
        for (text, ms) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2026-11-22T17:00:22.123Z", Some(1_795_366_822_123)),
            ("2024-02-29T12:00:00.5+02:00", Some(1_709_200_800_500)),
            ("2024-02-29T12:00:00", Some(1_709_208_000_000)),
            ("2024-02-29", Some(1_709_164_800_000)),
            ("2024-02", None),
            ("2024-02-29T", None),
            ("2024-13-01T12:00:00Z", None),
            ("1969-12-31T23:59:59Z", None),
            ("today", None),
        ] {
            assert_eq!(parse_ms(text), ms, "{text}");
        }
    }

    #[test]
    fn now_has_milliseconds_and_is_parsed() {
        let now = now();
        assert_eq!((now.len(), now.ends_with('Z')), ("2026-01-31T12:00:00.123Z".len(), true), "{now}");
        assert!(parse_ms(&now).unwrap() > 1_700_000_000_000, "{now}");
    }
}
