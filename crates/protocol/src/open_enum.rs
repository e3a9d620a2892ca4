//! `open_enum!`: a set of strings that the CLI may extend at any time, as an enum that never fails to parse.

/// Declares an open enum: named variants for the strings known today, and a hidden one that keeps any other.
///
/// The hidden variant is in no documentation and nobody outside can build one, so giving a string a variant of its own
/// later breaks no one: `m if m.as_str() == "new"` goes on matching.
macro_rules! open_enum {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $( $(#[$variant_meta:meta])* $variant:ident = $wire:literal, )+
        }
    ) => {
        $(#[$meta])*
        ///
        /// An open set: match known values by variant, others by [`as_str`](Self::as_str).
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        $vis enum $name {
            $( $(#[$variant_meta])* #[doc = concat!("\n\nOn the wire: `", $wire, "`.")] $variant, )+
            #[doc(hidden)]
            _Other($crate::open_enum::Other),
        }

        impl $name {
            /// Every string that has a variant, in the order of declaration.
            $vis const KNOWN: &'static [&'static str] = &[$($wire),+];

            /// The string as it is on the wire.
            $vis fn as_str(&self) -> &str {
                match self {
                    $( Self::$variant => $wire, )+
                    Self::_Other(other) => other.as_str(),
                }
            }

            /// Whether this version has a variant for the string.
            $vis fn is_known(&self) -> bool {
                !matches!(self, Self::_Other(_))
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $( $wire => Self::$variant, )+
                    other => Self::_Other($crate::open_enum::Other::new(other)),
                }
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Debug::fmt(self.as_str(), f)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str($crate::open_enum::TextVisitor(std::marker::PhantomData))
            }
        }
    };
}

pub(crate) use open_enum;

/// A string without a variant; its field is private, so that nobody outside can build or look into one.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(unnameable_types, reason = "that nobody can name it is what keeps the enum open")]
pub struct Other(Box<str>);

impl Other {
    pub(crate) fn new(text: &str) -> Self {
        Self(text.into())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Reads any type that comes from a string, without allocating where the type does not.
pub(crate) struct TextVisitor<T>(pub(crate) std::marker::PhantomData<T>);

impl<T: for<'a> From<&'a str>> serde::de::Visitor<'_> for TextVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E>(self, text: &str) -> Result<T, E> {
        Ok(T::from(text))
    }
}

#[cfg(test)]
mod tests {
    open_enum! {
        /// A set for the test.
        enum Colour {
            /// The first.
            Red = "red",
            /// The second.
            DarkBlue = "dark-blue",
        }
    }

    #[test]
    fn known_and_unknown_strings_come_back_as_they_were() {
        for text in ["red", "dark-blue", "", "ultra violet", "Red"] {
            let json = serde_json::to_string(text).unwrap();
            let colour: Colour = serde_json::from_str(&json).unwrap();
            assert_eq!(colour.as_str(), text);
            assert_eq!(serde_json::to_string(&colour).unwrap(), json);
            assert_eq!(colour.is_known(), Colour::KNOWN.contains(&text));
            assert_eq!(format!("{colour}"), text);
            assert_eq!(format!("{colour:?}"), json);
        }
        assert_eq!(Colour::from("dark-blue"), Colour::DarkBlue);
    }

    #[test]
    fn it_reads_from_escapes_readers_and_values() {
        let escaped: Colour = serde_json::from_str(r#""\u0072ed""#).unwrap();
        let read: Colour = serde_json::from_reader(&br#""red""#[..]).unwrap();
        let value: Colour = serde_json::from_value(serde_json::json!("red")).unwrap();
        assert_eq!([escaped, read, value], [Colour::Red, Colour::Red, Colour::Red]);
        assert!(serde_json::from_str::<Colour>("5").is_err());
    }
}
