//! What is in lists and objects, one after the other.

use serde::de::{DeserializeSeed, MapAccess, SeqAccess};

use super::{Fault, Reader, fault, key::Key};

/// The values of a list.
pub(super) struct Items<'a, 's, 'de> {
    reader: &'a mut Reader<'s, 'de>,
    is_first: bool,
}

impl<'a, 's, 'de> Items<'a, 's, 'de> {
    pub(super) fn new(reader: &'a mut Reader<'s, 'de>) -> Self {
        Self { reader, is_first: true }
    }
}

impl<'de> SeqAccess<'de> for Items<'_, '_, 'de> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Fault> {
        if self.reader.has_item(&mut self.is_first)? {
            seed.deserialize(&mut *self.reader).map(Some)
        } else {
            Ok(None)
        }
    }
}

/// The fields of an object.
pub(super) struct Fields<'a, 's, 'de> {
    reader: &'a mut Reader<'s, 'de>,
    is_first: bool,
}

impl<'a, 's, 'de> Fields<'a, 's, 'de> {
    pub(super) fn new(reader: &'a mut Reader<'s, 'de>) -> Self {
        Self { reader, is_first: true }
    }
}

impl<'de> MapAccess<'de> for Fields<'_, '_, 'de> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        if self.reader.has_field(&mut self.is_first)? {
            seed.deserialize(Key::new(self.reader)).map(Some)
        } else {
            Ok(None)
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        self.reader.colon()?;
        seed.deserialize(&mut *self.reader)
    }
}

impl Reader<'_, '_> {
    /// Opens a list or an object, unless it lies too deep.
    pub(super) fn enter(&mut self) -> Result<(), Fault> {
        self.depth -= 1;
        if self.depth == 0 {
            return Err(self.fault_at_next(fault::TOO_DEEP));
        }
        self.at += 1;
        Ok(())
    }

    /// Goes to the next value of a list, or to the list's end.
    fn has_item(&mut self, is_first: &mut bool) -> Result<bool, Fault> {
        match self.peek() {
            Some(b']') => Ok(false),
            Some(_) if std::mem::take(is_first) => Ok(true),
            Some(b',') => {
                self.at += 1;
                match self.peek_value()? {
                    b']' => Err(self.fault_at_next(fault::TRAILING_COMMA)),
                    _ => Ok(true),
                }
            }
            Some(_) => Err(self.fault_at_next(fault::EXPECTED_LIST_COMMA_OR_END)),
            None => Err(self.fault(fault::EOF_IN_LIST)),
        }
    }

    /// Goes to the quote of the next field's key, or to the object's end.
    #[inline]
    fn has_field(&mut self, is_first: &mut bool) -> Result<bool, Fault> {
        if let Some([b',', b'"', ..]) = self.text.as_bytes().get(self.at..)
            && !*is_first
        {
            self.at += 1;
            return Ok(true);
        }
        self.has_spaced_field(is_first)
    }

    fn has_spaced_field(&mut self, is_first: &mut bool) -> Result<bool, Fault> {
        match (self.peek(), std::mem::take(is_first)) {
            (Some(b'}'), _) => Ok(false),
            (Some(b'"'), true) => Ok(true),
            (Some(_), true) => Err(self.fault_at_next(fault::KEY_MUST_BE_A_STRING)),
            (Some(b','), false) => {
                self.at += 1;
                match self.peek_value()? {
                    b'"' => Ok(true),
                    b'}' => Err(self.fault_at_next(fault::TRAILING_COMMA)),
                    _ => Err(self.fault_at_next(fault::KEY_MUST_BE_A_STRING)),
                }
            }
            (Some(_), false) => Err(self.fault_at_next(fault::EXPECTED_OBJECT_COMMA_OR_END)),
            (None, _) => Err(self.fault(fault::EOF_IN_OBJECT)),
        }
    }

    /// The colon behind a key.
    #[inline]
    pub(super) fn colon(&mut self) -> Result<(), Fault> {
        match self.peek() {
            Some(b':') => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err(self.fault_at_next(fault::EXPECTED_COLON)),
            None => Err(self.fault(fault::EOF_IN_OBJECT)),
        }
    }

    /// Closes an object.
    pub(super) fn leave_object(&mut self) -> Result<(), Fault> {
        self.depth += 1;
        match self.peek() {
            Some(b'}') => {
                self.at += 1;
                Ok(())
            }
            Some(b',') => Err(self.fault_at_next(fault::TRAILING_COMMA)),
            Some(_) => Err(self.fault_at_next(fault::TRAILING_CHARACTERS)),
            None => Err(self.fault(fault::EOF_IN_OBJECT)),
        }
    }

    /// Closes a list.
    pub(super) fn leave_list(&mut self) -> Result<(), Fault> {
        self.depth += 1;
        match self.peek() {
            Some(b']') => {
                self.at += 1;
                Ok(())
            }
            Some(b',') => {
                self.at += 1;
                match self.peek() {
                    Some(b']') => Err(self.fault_at_next(fault::TRAILING_COMMA)),
                    _ => Err(self.fault_at_next(fault::TRAILING_CHARACTERS)),
                }
            }
            Some(_) => Err(self.fault_at_next(fault::TRAILING_CHARACTERS)),
            None => Err(self.fault(fault::EOF_IN_LIST)),
        }
    }
}
