//! `tagged!`: tagged unions that are read in one pass and keep objects of unknown kinds.
//!
//! Derived tagging (`#[serde(tag = …)]`) buffers each object, loses error positions, fails on raw values at run time,
//! and drops unknown kinds.

mod depth;
mod held;
mod replay;
mod visit;
mod with_tags;

use serde::{Deserializer, Serializer};

pub(crate) use visit::{deserialize, deserialize_within};
pub(crate) use with_tags::WithTags;

use crate::Unknown;

/// A union of objects with a string field as tag.
///
/// The unions of this crate implement it. Tools can use the constants to list the known kinds.
pub trait Tagged: Sized {
    /// The name of the tag field.
    const TAG: &'static str;
    /// The known kinds, in the order of declaration.
    const KINDS: &'static [&'static str];
    /// The tags that an enclosing union has read, as name and value.
    #[doc(hidden)]
    const WITHIN: &'static [(&'static str, &'static str)];
    /// One name per variant.
    #[doc(hidden)]
    type Kind: Copy;

    /// Returns the kind of a tag.
    #[doc(hidden)]
    fn kind_of(tag: &str) -> Option<Self::Kind>;

    /// Reads the rest of the object as this kind.
    #[doc(hidden)]
    fn read<'de, D: Deserializer<'de>>(kind: Self::Kind, fields: D) -> Result<Self, D::Error>;

    /// Wraps an object of an unknown kind.
    #[doc(hidden)]
    fn unknown(unknown: Unknown) -> Self;

    /// Serializes the object with its tags first.
    #[doc(hidden)]
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;
}

/// Declares a tagged union, for `#[wire(tag = "…")]` and for macros that build unions from their own tables.
///
/// `within = ("type", "system")` means that an enclosing union has read that field of the same object.
/// `as union` marks a variant with such an inner union, which writes its own tags.
/// `untagged = Variant` is the kind of an object without the tag, if the object can be read as that kind.
/// `hides = unknown` hides objects of unknown kinds in `Debug`, if known kinds can contain secrets.
macro_rules! tagged {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident tag = $tag:literal
            $(, untagged = $untagged:ident)? $(, hides = $hidden:ident)? $(, within = ($outer:literal, $outer_value:literal))? {
            $( $(#[$variant_meta:meta])* $variant:ident($payload:ty) = $wire:literal $(as $nested:ident)?, )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq)]
        #[non_exhaustive]
        $vis enum $name {
            $( $(#[$variant_meta])* #[doc = concat!("\n\nOn the wire: `", $wire, "`.")] $variant($payload), )+
            /// Any other kind, as the whole object.
            Unknown($crate::Unknown),
        }

        impl $name {
            /// Returns the tag as it is on the wire; empty if an unknown object has none.
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
            &$crate::tagged::WithTags::new(
                <$name as $crate::tagged::Tagged>::WITHIN,
                (<$name as $crate::tagged::Tagged>::TAG, $wire),
                $payload,
            ),
            $serializer,
        )
    };
    (@write $name:ident $wire:literal $payload:ident $serializer:ident union) => {
        serde::Serialize::serialize($payload, $serializer)
    };
}

pub(crate) use tagged;
