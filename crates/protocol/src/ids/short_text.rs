//! Text that is stored inline if it is short: a message has two or three UUIDs, and the start of a turn a hundred names.
//! Each would be an allocation.

use std::{
    cmp::Ordering,
    hash::{Hash, Hasher},
    ops::Deref,
};

/// A text; up to [`INLINE`] bytes need no allocation.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum ShortText {
    Inline { len: u8, bytes: [u8; INLINE] },
    Boxed(Box<str>),
}

impl Deref for ShortText {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            // Both checks always succeed, since the bytes were copied from a text of that length. They cost a few
            // nanoseconds; skipping them would need `unsafe`.
            Self::Inline { len, bytes } => {
                let bytes = bytes.get(..usize::from(*len)).unwrap_or_default();
                std::str::from_utf8(bytes).unwrap_or_default()
            }
            Self::Boxed(text) => text,
        }
    }
}

impl From<&str> for ShortText {
    fn from(text: &str) -> Self {
        let mut bytes = [0; INLINE];
        match (bytes.get_mut(..text.len()), u8::try_from(text.len())) {
            (Some(place), Ok(len)) => {
                place.copy_from_slice(text.as_bytes());
                Self::Inline { len, bytes }
            }
            _ => Self::Boxed(text.into()),
        }
    }
}

impl From<String> for ShortText {
    fn from(text: String) -> Self {
        if text.len() > INLINE { Self::Boxed(text.into()) } else { text.as_str().into() }
    }
}

impl PartialOrd for ShortText {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ShortText {
    fn cmp(&self, other: &Self) -> Ordering {
        (**self).cmp(other)
    }
}

/// Hashes like `str`, since maps look ids up by `str`.
impl Hash for ShortText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

/// Room for a UUID. With the length and the tag the enum has 40 bytes; a smaller buffer would only add padding.
const INLINE: usize = 38;

#[cfg(test)]
mod tests {
    use super::{INLINE, ShortText};

    #[test]
    fn text_of_any_length_round_trips() {
        assert_eq!(size_of::<Option<ShortText>>(), 40);
        for length in [0, 1, 36, INLINE - 1, INLINE, INLINE + 1, 255, 256, 300] {
            for text in ["a".repeat(length), "é".repeat(length / 2)] {
                let short = ShortText::from(text.as_str());
                assert_eq!(*short, text);
                assert!(short == ShortText::from(text.clone()));
                assert_eq!(matches!(short, ShortText::Inline { .. }), text.len() <= INLINE);
            }
        }
        assert!(ShortText::from("a") < ShortText::from("b".repeat(INLINE + 1).as_str()));
    }
}
