//! Strings: borrowed where they stand, or put together where they have escapes.

use super::{
    Fault, Reader, fault,
    scan::{near_end, run_end},
};

impl<'de> Reader<'_, 'de> {
    /// The string whose first quote was just read, where it lasts and has no escapes; else nothing is read.
    pub(super) fn plain_text(&mut self) -> Option<&'de str> {
        let text = self.lasting?;
        match near_end(text.as_bytes(), self.at) {
            Some(length) => self.plain_text_to(text, self.at + length),
            None => self.long_plain_text(),
        }
    }

    #[inline(never)]
    fn long_plain_text(&mut self) -> Option<&'de str> {
        let text = self.lasting?;
        self.plain_text_to(text, run_end(text.as_bytes(), self.at))
    }

    #[inline(always)]
    fn plain_text_to(&mut self, text: &'de str, end: usize) -> Option<&'de str> {
        if text.as_bytes().get(end) != Some(&b'"') {
            return None;
        }
        let plain = text.get(self.at..end)?;
        self.at = end + 1;
        Some(plain)
    }

    /// The string whose first quote was just read, whatever it holds.
    pub(super) fn any_text(&mut self) -> Result<&str, Fault> {
        self.scratch.clear();
        loop {
            let from = self.at;
            self.at = run_end(self.text.as_bytes(), from);
            let run = self.text.get(from..self.at).unwrap_or_default();
            match self.string_stop()? {
                Stop::End if self.scratch.is_empty() => return Ok(run),
                Stop::End => {
                    self.scratch.push_str(run);
                    return Ok(&self.scratch);
                }
                Stop::Escape => {
                    self.scratch.push_str(run);
                    let plain = match self.next_byte() {
                        Some(b'n') => '\n',
                        Some(b'"') => '"',
                        Some(b'\\') => '\\',
                        _ => {
                            let character = self.escape()?;
                            self.scratch.push(character);
                            continue;
                        }
                    };
                    self.at += 1;
                    self.scratch.push(plain);
                }
            }
        }
    }

    /// Reads what ends a run of plain characters.
    #[inline]
    fn string_stop(&mut self) -> Result<Stop, Fault> {
        let Some(byte) = self.next_byte() else { return Err(self.fault(fault::EOF_IN_STRING)) };
        self.at += 1;
        match byte {
            b'"' => Ok(Stop::End),
            b'\\' => Ok(Stop::Escape),
            _ => Err(self.fault(fault::CONTROL_CHARACTER)),
        }
    }
}

enum Stop {
    End,
    Escape,
}
