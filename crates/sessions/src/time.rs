//! Times as the CLI writes them, and the calendar.

/// The milliseconds since 1970 of a time such as `2026-01-31T12:00:00.123Z`, or of the start of a day (`2026-01-31`) in UTC;
/// `None` for what is no such time, has no zone, or was before 1970.
pub(crate) fn parse_ms(text: &str) -> Option<u64> {
    let (date, time) = text.split_once(['T', ' ']).unwrap_or((text, "00:00:00Z"));
    let [year, month, day] = parts::<3>(date, '-')?;
    let (time, zone) = time.split_at(time.find(['Z', '+', '-'])?);
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let [hour, minute, second] = parts::<3>(time, ':')?;
    let in_range =
        (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60 && second < 60;
    if !in_range || year > 9999 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let millis: i64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute - zone_minutes(zone)?) * 60 + second;
    u64::try_from(seconds * 1000 + millis).ok()
}

fn zone_minutes(zone: &str) -> Option<i64> {
    if zone == "Z" {
        return Some(0);
    }
    let [hours, minutes] = parts::<2>(zone.get(1..)?, ':')?;
    let minutes = (hours < 24 && minutes < 60).then_some(hours * 60 + minutes)?;
    Some(if zone.starts_with('-') { -minutes } else { minutes })
}

/// Numbers between separators.
fn parts<const N: usize>(text: &str, separator: char) -> Option<[i64; N]> {
    let mut parts = text.split(separator);
    let mut numbers = [0; N];
    for number in &mut numbers {
        let part = parts.next().filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()))?;
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(numbers)
}

/// Days since 1970 of a day of the Gregorian calendar; years start in March for it, so that leap days come last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap_days + (153 * month + 2) / 5 + day - 1 - 719_468
}

/// The day of the Gregorian calendar that is so many days after 1970 began.
pub(crate) fn date(days: u64) -> (u64, u64, u64) {
    // Years start in March for it, so that leap days come last; the first is the one before year 1.
    let days = days + 719_468;
    let (era, in_era) = (days / DAYS_OF_400_YEARS, days % DAYS_OF_400_YEARS);
    let year = (in_era - in_era / 1460 + in_era / 36_524 - in_era / 146_096) / 365;
    let in_year = in_era - (365 * year + year / 4 - year / 100);
    let month = (5 * in_year + 2) / 153;
    let day = in_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + next, month, day)
}

const DAYS_OF_400_YEARS: u64 = 146_097;

#[cfg(test)]
mod tests {
    use super::parse_ms;

    #[test]
    fn times_are_read() {
        for (text, ms) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2026-11-22T17:00:22.123Z", Some(1_795_366_822_123)),
            ("2024-02-29T12:00:00.5+02:00", Some(1_709_200_800_500)),
            ("2024-02-29T12:00:00", None),
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
}
