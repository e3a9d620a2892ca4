//! Macros that implement traits for enums: serde's traits by JSON form (`forms!`), and `From` (`from_payloads!`).

/// Implements serde's traits for an enum with a variant for each JSON form: a text, a number, a list, an object.
///
/// A value is serialized without a tag, and deserialized by its form, without buffering.
/// With `null => Variant`, `null` is read as the default value of that variant.
macro_rules! forms {
    ($name:ident, $expected:literal: $($form:ident => $variant:ident),+ $(; null => $empty:ident)?) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $( Self::$variant(value) => serde::Serialize::serialize(value, serializer), )+
                }
            }
        }

        const _: () = {
            use serde::de::{self, Deserialize, Deserializer};

            struct FormVisitor;

            impl<'de> de::Visitor<'de> for FormVisitor {
                type Value = $name;

                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str($expected)
                }

                $( $crate::forms::forms!(@$form $name $variant); )+
                $( $crate::forms::forms!(@null $name $empty); )?
            }

            impl<'de> Deserialize<'de> for $name {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    deserializer.deserialize_any(FormVisitor)
                }
            }
        };
    };
    (@text $name:ident $variant:ident) => {
        fn visit_str<E>(self, text: &str) -> Result<$name, E> {
            Ok($name::$variant(text.into()))
        }
    };
    (@number $name:ident $variant:ident) => {
        fn visit_u64<E>(self, number: u64) -> Result<$name, E> {
            Ok($name::$variant(number))
        }
    };
    (@list $name:ident $variant:ident) => {
        fn visit_seq<A: de::SeqAccess<'de>>(self, items: A) -> Result<$name, A::Error> {
            Deserialize::deserialize(de::value::SeqAccessDeserializer::new(items)).map($name::$variant)
        }
    };
    (@object $name:ident $variant:ident) => {
        fn visit_map<A: de::MapAccess<'de>>(self, fields: A) -> Result<$name, A::Error> {
            Deserialize::deserialize(de::value::MapAccessDeserializer::new(fields)).map($name::$variant)
        }
    };
    (@null $name:ident $variant:ident) => {
        fn visit_unit<E>(self) -> Result<$name, E> {
            Ok($name::$variant(Default::default()))
        }
    };
}

/// Implements `From<Payload>` for each variant that has the name of its payload type, boxed or not.
macro_rules! from_payloads {
    ($name:ident: $($variant:ident),+) => { $crate::forms::from_payloads! { $name: $($variant => $variant),+ } };
    ($name:ident: $($payload:ty => $variant:ident),+) => { $(
        impl From<$payload> for $name {
            fn from(payload: $payload) -> Self {
                Self::$variant(payload.into())
            }
        }
    )+ };
}

pub(crate) use {forms, from_payloads};
