//! A day of the calendar.

use std::fmt;

use jiff::Span;
use jiff::civil::Date;

/// A day of the Gregorian calendar, written as `2026-01-31`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Day {
    /// The year.
    pub year: u16,
    /// The month, from 1.
    pub month: u8,
    /// The day of the month, from 1.
    pub day: u8,
}

impl Day {
    /// Returns the day of a time in milliseconds since the Unix epoch, at an offset from UTC.
    ///
    /// Returns `None` before 1970 and after the year 9999.
    pub(super) fn of(ms: u64, offset_minutes: i32) -> Option<Self> {
        let ms = i64::try_from(ms).ok()?.checked_add(i64::from(offset_minutes) * 60_000)?;
        let days = i64::try_from(u64::try_from(ms).ok()? / DAY_MS).ok()?;
        let date = Date::constant(1970, 1, 1).checked_add(Span::new().try_days(days).ok()?).ok()?;
        Some(Self {
            year: date.year().unsigned_abs(),
            month: date.month().unsigned_abs(),
            day: date.day().unsigned_abs(),
        })
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

#[cfg(test)]
mod tests {
    use super::{DAY_MS, Day};
    use crate::time::parse_ms;

    /// The last day of the year 9999, in days since 1970.
    const LAST: u64 = 2_932_896;

    #[test]
    fn days_are_those_of_the_calendar() {
        let mut before = Day::of(0, 0).unwrap();
        assert_eq!(before.to_string(), "1970-01-01");
        for day in (LAST % 13..=LAST).step_by(13) {
            let ms = day * DAY_MS;
            let now = Day::of(ms + DAY_MS - 1, 0).unwrap();
            assert!(now > before);
            if day % 97 == 0 {
                assert_eq!(parse_ms(&format!("{now}T00:00:00Z")), Some(ms), "{now}");
            }
            before = now;
        }
        assert_eq!(before.to_string(), "9999-12-31");
        assert_eq!(
            (Day::of((LAST + 1) * DAY_MS, 0), Day::of(u64::MAX, 0), Day::of(0, -1)),
            (None, None, None)
        );
    }

    #[test]
    fn a_day_starts_at_midnight_of_its_offset() {
        let of = |offset| Day::of(parse_ms("2024-02-28T23:30:00Z").unwrap(), offset).unwrap().to_string();
        assert_eq!(
            [of(0), of(29), of(30), of(-1410), of(-1411)],
            ["2024-02-28", "2024-02-28", "2024-02-29", "2024-02-28", "2024-02-27"]
        );
    }
}
