//! Strings as bytes, which may hold control characters and halves of pairs of surrogates. Nothing of ours asks for them.

use serde::de::Visitor;

use super::{Fault, Reader, fault};

impl<'de> Reader<'_, 'de> {
    /// The string whose first quote comes next.
    pub(super) fn visit_bytes<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Fault> {
        self.at += 1;
        let from = self.at;
        let mut bytes = Vec::new();
        while self.bytes_run(&mut bytes)? != b'"' {
            self.escaped_bytes(&mut bytes)?;
        }
        let read = match self.lasting.and_then(|text| text.as_bytes().get(from..self.at - 1)) {
            Some(plain) if plain == bytes => visitor.visit_borrowed_bytes(plain),
            _ => visitor.visit_bytes(&bytes),
        };
        self.placed(read)
    }

    /// The bytes up to a quote or a backslash, which is read and given.
    fn bytes_run(&mut self, bytes: &mut Vec<u8>) -> Result<u8, Fault> {
        while let Some(byte) = self.next_byte() {
            self.at += 1;
            if matches!(byte, b'"' | b'\\') {
                return Ok(byte);
            }
            bytes.push(byte);
        }
        Err(self.fault(fault::EOF_IN_STRING))
    }

    /// An escape, from behind its backslash.
    fn escaped_bytes(&mut self, bytes: &mut Vec<u8>) -> Result<(), Fault> {
        if self.next_byte() != Some(b'u') {
            push(bytes, u32::from(self.escape()?));
            return Ok(());
        }
        self.at += 1;
        let mut unit = self.hex()?;
        while let 0xD800..=0xDBFF = unit {
            match self.next_byte() {
                Some(b'\\') => self.at += 1,
                Some(_) => break,
                None => return Err(self.fault(fault::EOF_IN_STRING)),
            }
            match self.next_byte() {
                Some(b'u') => self.at += 1,
                Some(_) => {
                    push(bytes, unit);
                    unit = u32::from(self.escape()?);
                    break;
                }
                None => return Err(self.fault(fault::EOF_IN_STRING)),
            }
            let second = self.hex()?;
            if let 0xDC00..=0xDFFF = second {
                unit = 0x1_0000 + (((unit - 0xD800) << 10) | (second - 0xDC00));
            } else {
                push(bytes, unit);
                unit = second;
            }
        }
        push(bytes, unit);
        Ok(())
    }
}

/// Adds a character, or half of one as if it were one.
fn push(bytes: &mut Vec<u8>, code: u32) {
    match char::from_u32(code) {
        Some(character) => bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        None => bytes.extend([code >> 12 | 0xE0, code >> 6 & 0x3F | 0x80, code & 0x3F | 0x80].map(low_byte)),
    }
}

fn low_byte(code: u32) -> u8 {
    code.to_le_bytes()[0]
}
