//! A map by the CLI's own request ids: looked up several times a callback, so cheaply.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

use agentwire_protocol::RequestId;

/// A map by the ids of the CLI's requests.
///
/// It keeps its room when it is emptied, as it is after most callbacks.
pub(crate) type RequestMap<T> = HashMap<RequestId, T, BuildHasherDefault<IdHasher>>;

/// Mixes words by a multiplication each.
///
/// The standard hasher withstands keys that were chosen to collide; these are the CLI's own, and no one else's to choose.
#[derive(Debug, Default)]
pub(crate) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        for word in words {
            self.write_u64(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.write_u64(u64::from_le_bytes(last));
    }

    fn write_u8(&mut self, byte: u8) {
        self.write_u64(byte.into());
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(MULTIPLIER);
    }

    fn finish(&self) -> u64 {
        // The map takes the highest bits and the lowest: both must depend on all.
        let wide = u128::from(self.0) * u128::from(MULTIPLIER);
        (wide >> 64) as u64 ^ wide as u64
    }
}

/// An odd number without a pattern: the fraction of the golden ratio.
const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

#[cfg(test)]
mod tests {
    use std::{
        collections::HashSet,
        hash::{BuildHasher, BuildHasherDefault},
    };

    use agentwire_protocol::RequestId;

    use super::IdHasher;

    #[test]
    fn ids_that_count_up_are_spread() {
        let builder = BuildHasherDefault::<IdHasher>::default();
        for form in
            [|n| format!("00000000-0000-4000-8000-{n:012}"), |n| format!("req_{n}"), |n| format!("{n}")]
        {
            let hash = |n: u64| builder.hash_one(RequestId::from(form(n)));
            let hashes: Vec<u64> = (0..4096).map(hash).collect();
            let distinct =
                |part: fn(u64) -> u64| hashes.iter().map(|hash| part(*hash)).collect::<HashSet<_>>().len();
            // By chance 2,589 of 4,096 places would be taken.
            assert!(distinct(|hash| hash & 0xFFF) > 2_300, "{}", form(7));
            assert_eq!(distinct(|hash| hash >> 57), 128, "{}", form(7));
        }
    }
}
