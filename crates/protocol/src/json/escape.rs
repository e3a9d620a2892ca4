//! Escapes in strings, from behind the backslash.

use super::{Fault, Reader, fault};

impl Reader<'_, '_> {
    /// The character that an escape stands for.
    pub(super) fn escape(&mut self) -> Result<char, Fault> {
        let character = match self.escape_kind()? {
            b'b' => '\x08',
            b'f' => '\x0c',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.code_point(),
            same => char::from(same),
        };
        Ok(character)
    }

    /// Skips an escape. Surrogates need no other half here: whether they do is for whoever reads the string to say.
    pub(super) fn skip_escape(&mut self) -> Result<(), Fault> {
        if self.escape_kind()? == b'u' {
            self.hex()?;
        }
        Ok(())
    }

    /// The letter of an escape.
    fn escape_kind(&mut self) -> Result<u8, Fault> {
        let Some(byte) = self.next_byte() else { return Err(self.fault(fault::EOF_IN_STRING)) };
        self.at += 1;
        match byte {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' | b'u' => Ok(byte),
            _ => Err(self.fault(fault::INVALID_ESCAPE)),
        }
    }

    /// The character of `\uXXXX`, or of two where they are a pair of surrogates.
    fn code_point(&mut self) -> Result<char, Fault> {
        let first = self.hex()?;
        let code = match first {
            0xDC00..=0xDFFF => return Err(self.fault(fault::LONE_SURROGATE)),
            0xD800..=0xDBFF => {
                self.within_pair(b'\\')?;
                self.within_pair(b'u')?;
                match self.hex()? {
                    second @ 0xDC00..=0xDFFF => 0x1_0000 + (((first - 0xD800) << 10) | (second - 0xDC00)),
                    _ => return Err(self.fault(fault::LONE_SURROGATE)),
                }
            }
            code => code,
        };
        // Surrogates are gone by now, so it always is a character.
        char::from_u32(code).ok_or_else(|| self.fault(fault::INVALID_ESCAPE))
    }

    /// A byte between the two halves of a pair of surrogates.
    fn within_pair(&mut self, expected: u8) -> Result<(), Fault> {
        let Some(byte) = self.next_byte() else { return Err(self.fault(fault::EOF_IN_STRING)) };
        self.at += 1;
        if byte == expected { Ok(()) } else { Err(self.fault(fault::END_OF_HEX_ESCAPE)) }
    }

    /// Four hexadecimal digits.
    pub(super) fn hex(&mut self) -> Result<u32, Fault> {
        let Some(digits) = self.text.as_bytes().get(self.at..).and_then(|rest| rest.first_chunk::<4>())
        else {
            self.at = self.text.len();
            return Err(self.fault(fault::EOF_IN_STRING));
        };
        self.at += digits.len();
        let code =
            digits.iter().try_fold(0, |code, &digit| Some(code << 4 | char::from(digit).to_digit(16)?));
        code.ok_or_else(|| self.fault(fault::INVALID_ESCAPE))
    }
}
