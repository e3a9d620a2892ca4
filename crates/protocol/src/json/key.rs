//! Keys of objects: strings, which may be read as numbers and booleans.

use serde::{Deserializer, de::Visitor, forward_to_deserialize_any};

use super::{
    Fault, Reader, fault,
    raw::{Raw, is_raw},
};

/// A key whose first quote comes next.
pub(super) struct Key<'a, 's, 'de> {
    reader: &'a mut Reader<'s, 'de>,
}

impl<'a, 's, 'de> Key<'a, 's, 'de> {
    pub(super) fn new(reader: &'a mut Reader<'s, 'de>) -> Self {
        Self { reader }
    }

    /// A number between quotes.
    fn number(&mut self) -> Result<(), Fault> {
        self.reader.at += 1;
        match self.reader.next_byte() {
            Some(b'0'..=b'9' | b'-') => Ok(()),
            _ => Err(self.reader.fault(fault::EXPECTED_NUMERIC_KEY)),
        }
    }

    fn closing_quote(&mut self) -> Result<(), Fault> {
        match self.reader.next_byte() {
            Some(b'"') => {
                self.reader.at += 1;
                Ok(())
            }
            _ => Err(self.reader.fault_at_next(fault::EXPECTED_QUOTE)),
        }
    }
}

macro_rules! numeric {
    ($($method:ident)*) => {
        $(
            fn $method<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Fault> {
                self.number()?;
                let value = self.reader.$method(visitor)?;
                self.closing_quote()?;
                Ok(value)
            }
        )*
    };
}

impl<'de> Deserializer<'de> for Key<'_, '_, 'de> {
    type Error = Fault;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.reader.at += 1;
        self.reader.visit_text(visitor)
    }

    numeric! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let reader = self.reader;
        reader.at += 1;
        let value = match reader.next_byte() {
            Some(b't') => reader.word(b"true\"").map(|()| true)?,
            Some(b'f') => reader.word(b"false\"").map(|()| false)?,
            Some(_) => return Err(reader.wrong_boolean_key(&visitor)),
            None => return Err(reader.fault(fault::EOF_IN_VALUE)),
        };
        let read = visitor.visit_bool(value);
        reader.placed(read)
    }

    /// A key is never `null`.
    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        if is_raw(name) {
            return Raw::read(name, self.reader, visitor);
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.reader.deserialize_enum(name, variants, visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.reader.deserialize_bytes(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.reader.deserialize_bytes(visitor)
    }

    forward_to_deserialize_any! {
        char str string unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
