//! Skipping values that nobody asked for, or that are kept as text. They are checked whole, however deep they are.

use super::{
    Fault, Reader, fault,
    scan::{near_end, run_end},
};

impl Reader<'_, '_> {
    /// Skips one value.
    pub(super) fn skip_value(&mut self) -> Result<(), Fault> {
        match self.peek_value()? {
            b'"' => {
                self.at += 1;
                self.skip_text()
            }
            b'{' | b'[' => self.skip_nested(),
            first => self.skip_scalar(first),
        }
    }

    /// Skips an object or a list.
    fn skip_nested(&mut self) -> Result<(), Fault> {
        let mut within = Nest::default();
        loop {
            match self.peek_value()? {
                b'"' => {
                    self.at += 1;
                    self.skip_text()?;
                }
                b'{' => {
                    self.at += 1;
                    within.open(true);
                    if self.peek() != Some(b'}') {
                        self.skip_key()?;
                        continue;
                    }
                }
                b'[' => {
                    self.at += 1;
                    within.open(false);
                    match self.peek() {
                        Some(b']') => {}
                        Some(_) => continue,
                        None => return Err(self.fault(fault::EOF_IN_LIST)),
                    }
                }
                first => self.skip_scalar(first)?,
            }
            if self.skip_ends(&mut within)? {
                return Ok(());
            }
        }
    }

    /// Skips what stands behind a value up to the next; whether there is none.
    fn skip_ends(&mut self, within: &mut Nest) -> Result<bool, Fault> {
        while let Some(is_object) = within.innermost() {
            match (self.peek(), is_object) {
                (Some(b','), _) => {
                    self.at += 1;
                    if is_object {
                        self.skip_key()?;
                    }
                    return Ok(false);
                }
                (Some(b'}'), true) | (Some(b']'), false) => {
                    self.at += 1;
                    within.close();
                }
                (Some(_), true) => return Err(self.fault_at_next(fault::EXPECTED_OBJECT_COMMA_OR_END)),
                (Some(_), false) => return Err(self.fault_at_next(fault::EXPECTED_LIST_COMMA_OR_END)),
                (None, true) => return Err(self.fault(fault::EOF_IN_OBJECT)),
                (None, false) => return Err(self.fault(fault::EOF_IN_LIST)),
            }
        }
        Ok(true)
    }

    /// Skips a key and its colon.
    fn skip_key(&mut self) -> Result<(), Fault> {
        match self.peek() {
            Some(b'"') => self.at += 1,
            Some(_) => return Err(self.fault_at_next(fault::KEY_MUST_BE_A_STRING)),
            None => return Err(self.fault(fault::EOF_IN_OBJECT)),
        }
        self.skip_text()?;
        self.colon()
    }

    /// Skips a string, from behind its first quote.
    fn skip_text(&mut self) -> Result<(), Fault> {
        let bytes = self.text.as_bytes();
        if let Some(length) = near_end(bytes, self.at)
            && bytes.get(self.at + length) == Some(&b'"')
        {
            self.at += length + 1;
            return Ok(());
        }
        self.skip_long_text()
    }

    #[inline(never)]
    fn skip_long_text(&mut self) -> Result<(), Fault> {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        loop {
            at = run_end(bytes, at);
            match bytes.get(at) {
                Some(b'"') => {
                    self.at = at + 1;
                    return Ok(());
                }
                Some(b'\\') => match bytes.get(at + 1) {
                    Some(b'n' | b'"' | b'\\') => at += 2,
                    _ => {
                        self.at = at + 1;
                        self.skip_escape()?;
                        at = self.at;
                    }
                },
                _ => {
                    self.at = at;
                    return Err(self.unended_text());
                }
            }
        }
    }

    #[cold]
    fn unended_text(&self) -> Fault {
        self.fault(if self.at < self.text.len() { fault::CONTROL_CHARACTER } else { fault::EOF_IN_STRING })
    }

    fn skip_scalar(&mut self, first: u8) -> Result<(), Fault> {
        match first {
            b'n' => self.word(b"null"),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'-' | b'0'..=b'9' => self.skip_number(),
            _ => Err(self.fault_at_next(fault::EXPECTED_VALUE)),
        }
    }

    /// Skips a number, however large it is.
    fn skip_number(&mut self) -> Result<(), Fault> {
        if self.next_byte() == Some(b'-') {
            self.at += 1;
        }
        match self.next_byte() {
            Some(b'0') => {
                self.at += 1;
                if self.next_byte().is_some_and(|byte| byte.is_ascii_digit()) {
                    return Err(self.fault_at_next(fault::INVALID_NUMBER));
                }
            }
            Some(b'1'..=b'9') => {
                self.skip_digits();
            }
            other => return Err(self.not_a_digit(other)),
        }
        if self.next_byte() == Some(b'.') {
            self.at += 1;
            if self.skip_digits() == 0 {
                return Err(self.fault_at_next(fault::INVALID_NUMBER));
            }
        }
        if let Some(b'e' | b'E') = self.next_byte() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.next_byte() {
                self.at += 1;
            }
            if self.skip_digits() == 0 {
                let next = self.next_byte();
                return Err(self.not_a_digit(next));
            }
        }
        Ok(())
    }

    #[cold]
    fn not_a_digit(&mut self, found: Option<u8>) -> Fault {
        self.at += usize::from(found.is_some());
        self.fault(fault::INVALID_NUMBER)
    }
}

/// Which of the lists and objects around a value are objects.
///
/// The innermost 64 are bits, the others lie below them by 64.
#[derive(Default)]
struct Nest {
    bits: u64,
    /// How many of the bits are taken, but for the first of all: that no list is around.
    depth: usize,
    below: Vec<u64>,
}

impl Nest {
    fn open(&mut self, is_object: bool) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.below.push(self.bits);
        }
        self.bits = self.bits << 1 | u64::from(is_object);
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.bits >>= 1;
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.bits = self.below.pop().unwrap_or_default();
        }
    }

    /// Whether the innermost is an object; `None` where there is none.
    #[inline]
    fn innermost(&self) -> Option<bool> {
        (self.depth > 0).then_some(self.bits & 1 == 1)
    }
}
