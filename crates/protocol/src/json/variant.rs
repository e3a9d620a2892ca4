//! Enums: a string, or an object of one field.

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, EnumAccess, Error, Unexpected, VariantAccess, Visitor},
};

use super::{Fault, Reader, fault, key::Key};

/// `{"variant": content}`, from behind the brace.
pub(super) struct Content<'a, 's, 'de> {
    reader: &'a mut Reader<'s, 'de>,
}

impl<'a, 's, 'de> Content<'a, 's, 'de> {
    pub(super) fn new(reader: &'a mut Reader<'s, 'de>) -> Self {
        Self { reader }
    }
}

impl<'de> EnumAccess<'de> for Content<'_, '_, 'de> {
    type Error = Fault;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Fault> {
        match self.reader.peek() {
            Some(b'"') => {}
            Some(b'}') => return Err(self.reader.fault_at_next(fault::EXPECTED_VALUE)),
            Some(_) => return Err(self.reader.fault_at_next(fault::KEY_MUST_BE_A_STRING)),
            None => return Err(self.reader.fault(fault::EOF_IN_OBJECT)),
        }
        let read = seed.deserialize(Key::new(self.reader));
        let value = self.reader.placed(read)?;
        self.reader.colon()?;
        Ok((value, self))
    }
}

impl<'de> VariantAccess<'de> for Content<'_, '_, 'de> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        Deserialize::deserialize(self.reader)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Fault> {
        seed.deserialize(self.reader)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Fault> {
        self.reader.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.reader.deserialize_struct("", fields, visitor)
    }
}

impl Reader<'_, '_> {
    /// Closes the object of an enum.
    pub(super) fn leave_enum<T>(&mut self, read: Result<T, Fault>) -> Result<T, Fault> {
        self.depth += 1;
        let value = read?;
        match self.peek() {
            Some(b'}') => {
                self.at += 1;
                Ok(value)
            }
            Some(_) => Err(self.fault(fault::EXPECTED_VALUE)),
            None => Err(self.fault(fault::EOF_IN_OBJECT)),
        }
    }
}

/// `"variant"`, from its quote on.
pub(super) struct Unit<'a, 's, 'de> {
    reader: &'a mut Reader<'s, 'de>,
}

impl<'a, 's, 'de> Unit<'a, 's, 'de> {
    pub(super) fn new(reader: &'a mut Reader<'s, 'de>) -> Self {
        Self { reader }
    }
}

impl<'de> EnumAccess<'de> for Unit<'_, '_, 'de> {
    type Error = Fault;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Fault> {
        Ok((seed.deserialize(&mut *self.reader)?, self))
    }
}

impl<'de> VariantAccess<'de> for Unit<'_, '_, 'de> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value, Fault> {
        Err(no_content("newtype variant"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Fault> {
        Err(no_content("tuple variant"))
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value, Fault> {
        Err(no_content("struct variant"))
    }
}

fn no_content(expected: &str) -> Fault {
    Fault::invalid_type(Unexpected::UnitVariant, &expected)
}
