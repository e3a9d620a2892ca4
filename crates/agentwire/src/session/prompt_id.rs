//! Ids for prompts that the user gave none.

use std::{
    hash::{BuildHasher, RandomState},
    sync::atomic::{AtomicU64, Ordering},
};

use agentwire_protocol::Uuid;

/// A fresh id, in the form of a random UUID (version 4), which is what the CLI takes.
///
/// It need not be secret, only unlike any other: the hasher's keys are random in each process, and the count makes each
/// input new.
pub(crate) fn fresh() -> Uuid {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let random = RandomState::new();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let (high, low) = (random.hash_one((count, 0_u8)), random.hash_one((count, 1_u8)));
    let high = high & !0xf000 | 0x4000;
    let low = low & !(0b11 << 62) | 0b10 << 62;
    Uuid::from(format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    ))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::fresh;

    #[test]
    fn a_uuid_of_version_4_each_time_another() {
        let ids: BTreeSet<_> = (0..1000).map(|_| fresh()).collect();
        assert_eq!(ids.len(), 1000);
        for id in ids {
            let parts: Vec<_> = id.as_str().split('-').map(str::len).collect();
            assert_eq!(parts, [8, 4, 4, 4, 12], "{id}");
            assert_eq!(id.as_str().as_bytes()[14], b'4', "{id}");
            assert!(b"89ab".contains(&id.as_str().as_bytes()[19]), "{id}");
        }
    }
}
