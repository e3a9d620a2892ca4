//! Values that are kept as text, in the way in which `serde_json`'s `RawValue` asks for it.

use std::sync::LazyLock;

use serde::{
    Deserialize, Deserializer,
    de::{
        DeserializeSeed, Error as _, MapAccess, Visitor,
        value::{self, BorrowedStrDeserializer, StrDeserializer},
    },
    forward_to_deserialize_any,
};
use serde_json::value::RawValue;

use super::{Fault, Reader};

/// Whether a newtype of this name asks for a value's text.
#[inline]
pub(super) fn is_raw(name: &str) -> bool {
    name == RAW || (name.starts_with('$') && name == *ASKED)
}

/// The text of a value, as an object of one field.
pub(super) struct Raw<'s, 'de> {
    name: &'static str,
    text: Option<Text<'s, 'de>>,
}

enum Text<'s, 'de> {
    Lasting(&'de str),
    Passing(&'s str),
}

impl<'s, 'de> Raw<'s, 'de> {
    /// Reads one value, as that newtype.
    pub(super) fn read<V: Visitor<'de>>(
        name: &'static str,
        reader: &mut Reader<'s, 'de>,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_map(Raw { name, text: Some(reader.raw_text()?) })
    }
}

impl<'s, 'de> Reader<'s, 'de> {
    fn raw_text(&mut self) -> Result<Text<'s, 'de>, Fault> {
        self.peek();
        let from = self.at;
        self.skip_value()?;
        Ok(match self.lasting {
            Some(text) => Text::Lasting(text.get(from..self.at).unwrap_or_default()),
            None => Text::Passing(self.text.get(from..self.at).unwrap_or_default()),
        })
    }
}

impl<'de> MapAccess<'de> for Raw<'_, 'de> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        match self.text {
            Some(_) => seed.deserialize(BorrowedStrDeserializer::new(self.name)).map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        match self.text.take() {
            Some(Text::Lasting(text)) => seed.deserialize(BorrowedStrDeserializer::new(text)),
            Some(Text::Passing(text)) => seed.deserialize(StrDeserializer::new(text)),
            None => Err(Fault::custom("raw JSON was read already")),
        }
    }
}

/// Hears by which name raw text is asked for, and gives nothing.
struct Listener<'a>(&'a mut &'static str);

impl<'de> Deserializer<'de> for Listener<'_> {
    type Error = value::Error;

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: V,
    ) -> Result<V::Value, value::Error> {
        *self.0 = name;
        Err(value::Error::custom("nothing to read"))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, value::Error> {
        Err(value::Error::custom("nothing to read"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// The name of the newtype as which `serde_json` asks for raw text, and of the one field in which it takes it.
///
/// It is private there. Were it changed, the new name would be heard from `serde_json` itself.
/// Were raw text asked for in another way, its visitor would refuse what it is given: an error, and never another value.
pub(crate) const RAW: &str = "$serde_json::private::RawValue";

/// The name that this version of `serde_json` asks by.
static ASKED: LazyLock<&'static str> = LazyLock::new(|| {
    let mut name = RAW;
    // It is refused, but by then the name was heard.
    let _refused = <Box<RawValue>>::deserialize(Listener(&mut name));
    name
});

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Deserializer, de::MapAccess, de::Visitor};
    use serde_json::value::RawValue;

    use super::{ASKED, RAW};
    use crate::json;

    /// Asks for text as `serde_json` does, but by another name.
    #[derive(Debug)]
    struct Renamed;

    impl<'de> Deserialize<'de> for Renamed {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_newtype_struct("$serde_json::private::Other", Self)
        }
    }

    impl<'de> Visitor<'de> for Renamed {
        type Value = Self;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("any valid JSON value")
        }

        fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<Self, A::Error> {
            Ok(self)
        }
    }

    #[test]
    fn the_name_is_the_one_that_serde_json_asks_by() {
        assert_eq!(*ASKED, RAW);
        assert_eq!(json::from_str::<Box<RawValue>>(" [1.10, {}] ").unwrap().get(), "[1.10, {}]");
    }

    #[test]
    fn another_name_is_refused_and_no_value_is_made_up() {
        for text in ["1", "{}", r#"{"a":1}"#] {
            let fault = json::from_str::<Renamed>(text).unwrap_err();
            assert_eq!(fault.reason(), "invalid type: newtype struct, expected any valid JSON value");
        }
    }
}
