//! A day of the calendar.

use std::fmt;

use crate::time::date;

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
    /// The day of a time in milliseconds since 1970, where clocks are so many minutes ahead of UTC.
    ///
    /// `None` for what is before 1970 or after the year 9999.
    pub(super) fn of(ms: u64, offset_minutes: i32) -> Option<Self> {
        let ms = i64::try_from(ms).ok()?.checked_add(i64::from(offset_minutes) * 60_000)?;
        let days = u64::try_from(ms).ok()? / DAY_MS;
        if days > LAST {
            return None;
        }
        let (year, month, day) = date(days);
        Some(Self { year: year as u16, month: month as u8, day: day as u8 })
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// The last day of the year 9999, in days since 1970.
const LAST: u64 = 2_932_896;

#[cfg(test)]
mod tests {
    use super::{DAY_MS, Day, LAST};
    use crate::time::parse_ms;

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
    fn a_day_starts_where_clocks_say_so() {
        let of = |offset| Day::of(parse_ms("2024-02-28T23:30:00Z").unwrap(), offset).unwrap().to_string();
        assert_eq!(
            [of(0), of(29), of(30), of(-1410), of(-1411)],
            ["2024-02-28", "2024-02-28", "2024-02-29", "2024-02-28", "2024-02-27"]
        );
    }
}
