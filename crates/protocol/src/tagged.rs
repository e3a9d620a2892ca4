//! `tagged!`: a union told apart by one string field, read in one pass, with every unknown kind kept whole.
//!
//! Derived tagging (`#[serde(tag = …)]`) buffers each object, loses error positions, fails at run time on raw values
//! and drops what it does not know; this macro does none of that.

mod depth;
mod held;
mod inject;
mod replay;
mod visit;

use serde::{Deserializer, Serializer};

pub(crate) use inject::Inject;
pub(crate) use visit::{deserialize, deserialize_within};

use crate::Unknown;

/// A union of objects told apart by one string field.
///
/// Implemented by the unions of this crate; the names help tools that list what is known.
pub trait Tagged: Sized {
    /// The field that tells the kinds apart.
    const TAG: &'static str;
    /// Every known kind, in the order of declaration.
    const KINDS: &'static [&'static str];
    /// Fields that the enclosing union has read already, as name and value.
    #[doc(hidden)]
    const WITHIN: &'static [(&'static str, &'static str)];
    /// One name per variant.
    #[doc(hidden)]
    type Kind: Copy;

    /// The kind that a tag names.
    #[doc(hidden)]
    fn kind_of(tag: &str) -> Option<Self::Kind>;

    /// Reads the rest of the object as that kind.
    #[doc(hidden)]
    fn read<'de, D: Deserializer<'de>>(kind: Self::Kind, fields: D) -> Result<Self, D::Error>;

    /// Keeps an object of any other kind.
    #[doc(hidden)]
    fn unknown(unknown: Unknown) -> Self;

    /// Writes the object with its tags first.
    #[doc(hidden)]
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;
}

/// Declares a tagged union.
///
/// `within "type" = "system"` says that the union lies on the same object as an outer one, which has read that field.
/// `as union` marks a variant that is such an inner union, and writes its own tags.
/// `or Variant` says that an object without the tag is of that kind, if it reads as one.
/// `hides unknown` keeps objects of unknown kinds out of `Debug`, where known ones can hold secrets.
macro_rules! tagged {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident by $tag:literal $(or $untagged:ident)? $(hides $hidden:ident)? $(within $outer:literal = $outer_value:literal)? {
            $( $(#[$variant_meta:meta])* $variant:ident($payload:ty) = $wire:literal $(as $nested:ident)?, )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq)]
        #[non_exhaustive]
        $vis enum $name {
            $( $(#[$variant_meta])* #[doc = concat!("\n\nOn the wire: `", $wire, "`.")] $variant($payload), )+
            /// Any other kind, kept whole.
            Unknown($crate::Unknown),
        }

        impl $name {
            /// The tag as it is on the wire; empty where an unknown object had none.
            pub fn kind(&self) -> &str {
                match self {
                    $( Self::$variant(_) => $wire, )+
                    Self::Unknown(unknown) => unknown.kind.as_deref().unwrap_or_default(),
                }
            }
        }

        const _: () = {
            #[derive(Clone, Copy, Debug)]
            #[expect(unnameable_types, reason = "the kind is an inner detail of the implementation")]
            pub enum Kind {
                $( $variant, )+
            }

            impl $crate::tagged::Tagged for $name {
                const TAG: &'static str = $tag;
                const KINDS: &'static [&'static str] = &[$($wire),+];
                const WITHIN: &'static [(&'static str, &'static str)] = &[$(($outer, $outer_value))?];
                type Kind = Kind;

                fn kind_of(tag: &str) -> Option<Kind> {
                    match tag {
                        $( $wire => Some(Kind::$variant), )+
                        _ => None,
                    }
                }

                fn read<'de, D: serde::Deserializer<'de>>(kind: Kind, fields: D) -> Result<Self, D::Error> {
                    match kind {
                        $( Kind::$variant => $crate::tagged::tagged!(@read fields $($nested)?).map(Self::$variant), )+
                    }
                }

                fn unknown(unknown: $crate::Unknown) -> Self {
                    $(if let Some(payload) = unknown.decode_untagged($tag) {
                        return Self::$untagged(payload);
                    })?
                    Self::Unknown(unknown)
                }

                fn write<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    match self {
                        $( Self::$variant(payload) => $crate::tagged::tagged!(@write $name $wire payload serializer $($nested)?), )+
                        Self::Unknown(unknown) => serde::Serialize::serialize(unknown, serializer),
                    }
                }
            }
        };

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $( Self::$variant(payload) => f.debug_tuple(stringify!($variant)).field(payload).finish(), )+
                    Self::Unknown(unknown) => $crate::tagged::tagged!(@debug f unknown $($hidden)?),
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::tagged::Tagged::write(self, serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::tagged::deserialize(deserializer)
            }
        }
    };
    (@debug $f:ident $unknown:ident) => {
        $f.debug_tuple("Unknown").field($unknown).finish()
    };
    (@debug $f:ident $unknown:ident unknown) => {
        $f.debug_tuple("Unknown").field(&$unknown.kind).finish_non_exhaustive()
    };
    (@read $fields:ident) => {
        serde::Deserialize::deserialize($fields)
    };
    (@read $fields:ident union) => {
        $crate::tagged::deserialize_within($fields)
    };
    (@write $name:ident $wire:literal $payload:ident $serializer:ident) => {
        serde::Serialize::serialize(
            $payload,
            $crate::tagged::Inject::new(
                <$name as $crate::tagged::Tagged>::WITHIN,
                (<$name as $crate::tagged::Tagged>::TAG, $wire),
                $serializer,
            ),
        )
    };
    (@write $name:ident $wire:literal $payload:ident $serializer:ident union) => {
        serde::Serialize::serialize($payload, $serializer)
    };
}

pub(crate) use tagged;
