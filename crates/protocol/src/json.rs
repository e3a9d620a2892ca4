//! The reader of JSON text that decoding runs on: it accepts what `serde_json` accepts, and gives the same values and the
//! same errors, in fewer instructions.
//!
//! `docs/decisions/0032` says why there is one, and what holds the two together.

mod access;
mod bytes;
mod deserializer;
mod escape;
mod fault;
mod key;
mod number;
mod raw;
mod scan;
mod skip;
mod strings;
#[cfg(test)]
mod tests;
mod variant;
mod wrong;

use serde::de::DeserializeOwned;

pub(crate) use fault::Fault;
pub(crate) use raw::RAW;

/// Reads one JSON value, and nothing but whitespace behind it.
pub(crate) fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, Fault> {
    let mut reader = Reader::new(text);
    let value = T::deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// A `serde` deserializer over JSON text.
///
/// Its positions count the bytes up to a fault and with it, where `serde_json` counts lines and columns.
#[derive(Debug)]
pub(crate) struct Reader<'s, 'de> {
    text: &'s str,
    /// The same text, where it lives as long as what is read may borrow from it.
    lasting: Option<&'de str>,
    at: usize,
    /// How many lists and objects may still be opened within each other, and one.
    depth: u8,
    /// The last string that had escapes, without them.
    scratch: String,
}

impl<'de> Reader<'de, 'de> {
    /// Reads `text`; strings without escapes are borrowed from it.
    pub(crate) fn new(text: &'de str) -> Self {
        Self { lasting: Some(text), ..Reader::passing(text) }
    }
}

impl<'s> Reader<'s, '_> {
    /// Reads `text`, which does not last: nothing borrows from it.
    ///
    /// It is the same type as that of a text that lasts, so that whatever is read is compiled once.
    pub(crate) fn passing(text: &'s str) -> Self {
        Self { text, lasting: None, at: 0, depth: MAX_DEPTH, scratch: String::new() }
    }

    /// Nothing but whitespace follows.
    pub(crate) fn end(&mut self) -> Result<(), Fault> {
        match self.peek() {
            Some(_) => Err(self.fault_at_next(fault::TRAILING_CHARACTERS)),
            None => Ok(()),
        }
    }

    /// The next byte, whatever it is.
    fn next_byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The next byte that is not whitespace, which is skipped.
    #[inline]
    fn peek(&mut self) -> Option<u8> {
        match self.next_byte() {
            Some(byte) if byte > b' ' => Some(byte),
            _ => self.peek_far(),
        }
    }

    fn peek_far(&mut self) -> Option<u8> {
        while let Some(byte) = self.next_byte() {
            if !matches!(byte, b' ' | b'\n' | b'\t' | b'\r') {
                return Some(byte);
            }
            self.at += 1;
        }
        None
    }

    /// The first byte of a value.
    #[inline]
    fn peek_value(&mut self) -> Result<u8, Fault> {
        match self.peek() {
            Some(byte) => Ok(byte),
            None => Err(self.fault(fault::EOF_IN_VALUE)),
        }
    }

    /// Reads `word`, of which the first byte was seen.
    fn word(&mut self, word: &[u8]) -> Result<(), Fault> {
        for expected in word {
            match self.next_byte() {
                None => return Err(self.fault(fault::EOF_IN_VALUE)),
                Some(byte) => {
                    self.at += 1;
                    if byte != *expected {
                        return Err(self.fault(fault::EXPECTED_IDENT));
                    }
                }
            }
        }
        Ok(())
    }

    /// A fault of the text in what was read last.
    #[cold]
    fn fault(&self, reason: &'static str) -> Fault {
        Fault::syntax(reason, self.at)
    }

    /// A fault of the text in the byte that comes next.
    #[cold]
    fn fault_at_next(&self, reason: &'static str) -> Fault {
        Fault::syntax(reason, self.text.len().min(self.at + 1))
    }

    /// An error of a visitor's has no place of its own: it is what was read last.
    #[inline]
    fn placed<T>(&self, read: Result<T, Fault>) -> Result<T, Fault> {
        match read {
            Ok(value) => Ok(value),
            Err(fault) => Err(fault.or_at(self.at)),
        }
    }
}

/// As `serde_json`, which lets 127 lists and objects lie within each other.
const MAX_DEPTH: u8 = 128;
