//! `open_enum!`: an enum of strings that accepts unknown values, since the CLI may add values at any time.

/// Declares an open enum, for `#[wire]`: a variant for each known string, and a hidden variant that keeps any other string.
///
/// The hidden variant is undocumented and can't be constructed outside of the crate. So adding a variant for a string
/// is not a breaking change: `m if m.as_str() == "new"` still matches.
macro_rules! open_enum {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $( $(#[$variant_meta:meta])* $variant:ident = $wire:literal, )+
        }
    ) => {
        $(#[$meta])*
        ///
        /// An open set: match known values by variant, and others by [`as_str`](Self::as_str).
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        $vis enum $name {
            $( $(#[$variant_meta])* #[doc = concat!("\n\nOn the wire: `", $wire, "`.")] $variant, )+
            #[doc(hidden)]
            _Other($crate::open_enum::Other),
        }

        impl $name {
            /// The strings that have a variant, in the order of declaration.
            $vis const KNOWN: &'static [&'static str] = &[$($wire),+];

            /// Returns the string as it is on the wire.
            $vis fn as_str(&self) -> &str {
                match self {
                    $( Self::$variant => $wire, )+
                    Self::_Other(other) => other.as_str(),
                }
            }

            /// Returns whether this version has a variant for the string.
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

        $crate::open_enum::text_impls! { $name }
    };
}

pub(crate) use open_enum;

/// Implements the traits of a type that is a string on the wire, by `as_str` and `From<&str>`.
macro_rules! text_impls {
    ($name:ident) => {
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

pub(crate) use text_impls;

/// A string without a variant. The private field prevents construction and matching outside of the crate.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(unnameable_types, reason = "unnameable on purpose, so that new variants are not a breaking change")]
pub struct Other(Box<str>);

impl Other {
    pub(crate) fn new(text: &str) -> Self {
        Self(text.into())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Reads any type that converts from a string; it allocates only if the type does.
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
    fn known_and_unknown_strings_round_trip() {
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
    fn open_enum_reads_from_escapes_readers_and_values() {
        let escaped: Colour = serde_json::from_str(r#""\u0072ed""#).unwrap();
        let read: Colour = serde_json::from_reader(&br#""red""#[..]).unwrap();
        let value: Colour = serde_json::from_value(serde_json::json!("red")).unwrap();
        assert_eq!([escaped, read, value], [Colour::Red, Colour::Red, Colour::Red]);
        assert!(serde_json::from_str::<Colour>("5").is_err());
    }
}
