//! `Nullable`: a field that distinguishes absent from `null`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A field that may be absent, `null` or a value, where absent and `null` have different meanings.
///
/// `Option` reads both as `None`.
/// A field of this type needs `#[serde(default, skip_serializing_if = "Nullable::is_absent")]`:
/// without `default` an absent field is an error, and without the other it is written as `null`.
///
/// ```
/// use agentwire_protocol::Nullable;
///
/// #[derive(serde::Deserialize, serde::Serialize)]
/// struct Patch {
///     #[serde(default, skip_serializing_if = "Nullable::is_absent")]
///     model: Nullable<String>,
/// }
///
/// for line in [r#"{}"#, r#"{"model":null}"#, r#"{"model":"opus"}"#] {
///     let patch: Patch = serde_json::from_str(line)?;
///     assert_eq!(serde_json::to_string(&patch)?, line);
/// }
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a JSON field is absent, null or a value")]
pub enum Nullable<T> {
    /// The object does not have the field.
    #[default]
    Absent,
    /// The field is `null`.
    Null,
    /// The field has a value.
    Value(T),
}

impl<T> Nullable<T> {
    /// Returns whether the field is absent.
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// Returns whether the field is present and `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Returns the value, if there is one.
    pub fn as_value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null => None,
        }
    }

    /// Returns the value, if there is one; absent and `null` both become `None`.
    pub fn into_option(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null => None,
        }
    }
}

/// `None` becomes `null`, as serde writes an `Option`; use [`Nullable::Absent`] for an absent field.
impl<T> From<Option<T>> for Nullable<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Self::Value)
    }
}

/// Serializes `Absent` as `null` if the field is not skipped.
impl<T: Serialize> Serialize for Nullable<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(value) => serializer.serialize_some(value),
            Self::Absent | Self::Null => serializer.serialize_none(),
        }
    }
}

/// Deserializes a present field; an absent one comes from the field's default.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for Nullable<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[wire]
    struct Holder {
        count: Nullable<u8>,
    }

    #[test]
    fn absent_null_and_value_round_trip() {
        let cases = [
            ("{}", Nullable::Absent),
            (r#"{"count":null}"#, Nullable::Null),
            (r#"{"count":7}"#, Nullable::Value(7)),
        ];
        for (text, count) in cases {
            let holder: Holder = serde_json::from_str(text).unwrap();
            assert_eq!(holder, Holder { count });
            assert_eq!(serde_json::to_string(&holder).unwrap(), text);
        }
        assert!(serde_json::from_str::<Holder>(r#"{"count":"7"}"#).is_err());
    }

    #[test]
    fn option_none_becomes_null() {
        assert_eq!(Nullable::from(None::<u8>), Nullable::Null);
        assert_eq!(Nullable::from(Some(1)), Nullable::Value(1));
        assert_eq!(Nullable::<u8>::default(), Nullable::Absent);
    }

    #[test]
    fn accessors_return_the_value() {
        let value = Nullable::Value("v");
        assert_eq!((value.as_value(), value.into_option()), (Some(&"v"), Some("v")));
        assert_eq!((Nullable::<u8>::Null.as_value(), Nullable::<u8>::Absent.into_option()), (None, None));
        assert!(Nullable::<u8>::Null.is_null() && !Nullable::<u8>::Null.is_absent());
        assert!(Nullable::<u8>::Absent.is_absent() && !Nullable::<u8>::Absent.is_null());
    }
}
