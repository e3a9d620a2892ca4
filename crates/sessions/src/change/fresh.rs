//! Ids and times of what is written now.

use std::hash::{BuildHasher, RandomState};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use agentwire_protocol::Uuid;

use crate::time::date;

/// A fresh id, in the form of a random UUID (version 4).
///
/// It need not be secret, only unlike any other.
/// The hasher's keys come from the system's randomness, once in a thread; the count makes each input new, and the
/// process and the time make it new in a process that started as a copy of another.
pub(super) fn uuid() -> Uuid {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let random = RandomState::new();
    let half = |half: u8| random.hash_one((half, count, process::id(), since));
    let high = half(0) & !0xf000 | 0x4000;
    let low = half(1) & !(0b11 << 62) | 0b10 << 62;
    Uuid::from(format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    ))
}

/// The time as the CLI writes it, such as `2026-01-31T12:00:00.123Z`.
pub(crate) fn now() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    written(since.as_millis() as u64)
}

/// Milliseconds since 1970 as the CLI writes them.
fn written(ms: u64) -> String {
    let (days, in_day) = (ms / DAY_MS, ms % DAY_MS);
    let (year, month, day) = date(days);
    let (hour, minute, second, ms) =
        (in_day / 3_600_000, in_day / 60_000 % 60, in_day / 1000 % 60, in_day % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z")
}

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::thread;

    use super::{now, uuid, written};
    use crate::store::is_uuid;
    use crate::time::parse_ms;

    #[test]
    fn a_uuid_of_version_4_each_time_another() {
        let some = || (0..1000).map(|_| uuid()).collect::<Vec<_>>();
        let other = thread::spawn(some);
        let ids: BTreeSet<_> = some().into_iter().chain(other.join().unwrap()).collect();
        assert_eq!(ids.len(), 2000);
        for id in ids {
            assert!(is_uuid(id.as_str()) && id.as_str().as_bytes()[14] == b'4', "{id}");
            assert!(b"89ab".contains(&id.as_str().as_bytes()[19]), "{id}");
        }
    }

    #[test]
    fn times_are_written_as_they_are_read() {
        assert_eq!(written(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(written(1_795_366_822_123), "2026-11-22T17:00:22.123Z");
        for day in 0..100_000 {
            let ms = day * super::DAY_MS + day;
            assert_eq!(parse_ms(&written(ms)), Some(ms));
        }
        assert!(parse_ms(&now()).unwrap() > 1_700_000_000_000);
    }
}
