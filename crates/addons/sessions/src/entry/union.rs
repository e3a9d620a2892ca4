//! `union!`: enums of entries, selected by one field, that preserve unknown kinds.

/// Declares an open union of objects.
///
/// A known kind is decoded as its payload; any other becomes [`Unknown`](agentwire_protocol::Unknown).
macro_rules! union {
    (
        $(#[$meta:meta])*
        pub enum $name:ident by $tag:literal {
            $( $(#[$variant_meta:meta])* $variant:ident($payload:ty) = $wire:literal, )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum $name {
            $( $(#[$variant_meta])* #[doc = concat!("\n\nWritten as `", $wire, "`.")] $variant($payload), )+
            /// Any other kind, with its whole JSON.
            Unknown(agentwire_protocol::Unknown),
        }

        impl $name {
            /// All known kinds, in order of declaration.
            pub const KINDS: &'static [&'static str] = &[$($wire),+];

            /// Returns the kind as written; empty if an unknown object has none.
            pub fn kind(&self) -> &str {
                match self {
                    $( Self::$variant(_) => $wire, )+
                    Self::Unknown(unknown) => unknown.kind.as_deref().unwrap_or_default(),
                }
            }

            /// Decodes an object of this kind.
            fn of(kind: Option<&str>, object: &agentwire_protocol::RawJson) -> Result<Self, agentwire_protocol::DecodeError> {
                match kind {
                    $( Some($wire) => object.decode().map(Self::$variant), )+
                    other => Ok(Self::Unknown(agentwire_protocol::Unknown::new(other.map(Into::into), object.clone()))),
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let object = agentwire_protocol::RawJson::deserialize(deserializer)?;
                let unknown = agentwire_protocol::Unknown::new(None, object);
                let kind = unknown.field::<Box<str>>($tag).ok().flatten();
                Self::of(kind.as_deref(), &unknown.raw).map_err(serde::de::Error::custom)
            }
        }
    };
}

pub(super) use union;
