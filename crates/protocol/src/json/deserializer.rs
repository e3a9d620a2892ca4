//! What a type asks for: the methods of `serde`'s deserializer.

use serde::{Deserializer, de::Visitor};

use super::{
    Fault, Reader,
    access::{Fields, Items},
    fault,
    number::Precision,
    raw::{Raw, is_raw},
    variant::{Content, Unit},
};

/// Numbers of all sizes are read alike: it is for the visitor to say what fits.
macro_rules! numbers {
    ($($method:ident)*) => {
        $(
            fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
                self.visit_number(Precision::Double, visitor)
            }
        )*
    };
}

impl<'de> Deserializer<'de> for &mut Reader<'_, 'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.peek_value()? {
            b'"' => self.deserialize_str(visitor),
            b'{' => self.deserialize_map(visitor),
            b'[' => self.deserialize_seq(visitor),
            b'-' | b'0'..=b'9' => self.visit_number(Precision::Double, visitor),
            b't' | b'f' => self.deserialize_bool(visitor),
            b'n' => self.deserialize_unit(visitor),
            _ => Err(self.fault_at_next(fault::EXPECTED_VALUE)),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let value = match self.peek_value()? {
            b't' => self.word(b"true").map(|()| true)?,
            b'f' => self.word(b"false").map(|()| false)?,
            _ => return Err(self.wrong_type(&visitor)),
        };
        let read = visitor.visit_bool(value);
        self.placed(read)
    }

    numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
        deserialize_f64
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.visit_number(Precision::Single, visitor)
    }

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let is_negative = self.peek_value()? == b'-';
        self.at += usize::from(is_negative);
        let digits = self.wide_digits()?;
        let number = if is_negative { format!("-{digits}").parse() } else { digits.parse() };
        let read = visitor.visit_i128(number.map_err(|_| self.fault(fault::OUT_OF_RANGE))?);
        self.placed(read)
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if self.peek_value()? == b'-' {
            return Err(self.fault_at_next(fault::OUT_OF_RANGE));
        }
        let number = self.wide_digits()?.parse();
        let read = visitor.visit_u128(number.map_err(|_| self.fault(fault::OUT_OF_RANGE))?);
        self.placed(read)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if self.peek_value()? != b'"' {
            return Err(self.wrong_type(&visitor));
        }
        self.at += 1;
        let read = self.visit_text(visitor);
        self.placed(read)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.peek_value()? {
            b'"' => self.visit_bytes(visitor),
            b'[' => self.deserialize_seq(visitor),
            _ => Err(self.wrong_type(&visitor)),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_bytes(visitor)
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if self.peek() == Some(b'n') {
            self.word(b"null")?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if self.peek_value()? != b'n' {
            return Err(self.wrong_type(&visitor));
        }
        self.word(b"null")?;
        let read = visitor.visit_unit();
        self.placed(read)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.deserialize_unit(visitor)
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        if is_raw(name) {
            return Raw::read(name, self, visitor);
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if self.peek_value()? != b'[' {
            return Err(self.wrong_type(&visitor));
        }
        self.enter()?;
        let read = visitor.visit_seq(Items::new(self));
        let end = self.leave_list();
        self.placed(both(read, end))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if self.peek_value()? != b'{' {
            return Err(self.wrong_type(&visitor));
        }
        self.enter()?;
        let read = visitor.visit_map(Fields::new(self));
        let end = self.leave_object();
        self.placed(both(read, end))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        if self.peek_value()? == b'[' { self.deserialize_seq(visitor) } else { self.deserialize_map(visitor) }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self.peek_value()? {
            b'{' => {
                self.enter()?;
                let read = visitor.visit_enum(Content::new(self));
                self.leave_enum(read)
            }
            b'"' => visitor.visit_enum(Unit::new(self)),
            _ => Err(self.fault_at_next(fault::EXPECTED_VALUE)),
        }
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.skip_value()?;
        visitor.visit_unit()
    }
}

impl<'de> Reader<'_, 'de> {
    pub(super) fn visit_number<V: Visitor<'de>>(
        &mut self,
        precision: Precision,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        if !matches!(self.peek_value()?, b'-' | b'0'..=b'9') {
            return Err(self.wrong_type(&visitor));
        }
        let read = self.number(precision)?.visit(visitor);
        self.placed(read)
    }

    /// The string whose first quote was just read.
    #[inline]
    pub(super) fn visit_text<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Fault> {
        match self.plain_text() {
            Some(text) => visitor.visit_borrowed_str(text),
            None => visitor.visit_str(self.any_text()?),
        }
    }
}

/// The visitor's error comes first, and the end of the object or list was looked for all the same.
#[inline]
fn both<T>(read: Result<T, Fault>, end: Result<(), Fault>) -> Result<T, Fault> {
    let value = read?;
    end?;
    Ok(value)
}
