//! `Hidden`: a value that may be a secret; `Debug` does not show it.

use std::{
    collections::BTreeMap,
    fmt,
    ops::{Deref, DerefMut},
};

use serde::{Deserialize, Serialize};

/// A value that may be a secret: it is read, written and compared as usual, and `Debug` shows `<hidden>`.
///
/// On the wire it is the bare value.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(transparent)]
#[expect(clippy::exhaustive_structs, reason = "it is a value and nothing else")]
pub struct Hidden<T>(
    /// The value.
    pub T,
);

/// Named values that may be secrets, such as environment variables and HTTP headers.
pub type Secrets = Hidden<BTreeMap<Box<str>, String>>;

impl<K, V> Hidden<BTreeMap<K, V>> {
    /// Returns whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> From<T> for Hidden<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl<T> Deref for Hidden<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Hidden<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T> fmt::Debug for Hidden<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<hidden>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_value_is_written_but_not_in_debug() {
        let headers: Secrets = serde_json::from_str(r#"{"Authorization":"Bearer s3cret"}"#).unwrap();
        assert_eq!(headers["Authorization"], "Bearer s3cret");
        assert_eq!(serde_json::to_string(&headers).unwrap(), r#"{"Authorization":"Bearer s3cret"}"#);
        assert_eq!(format!("{:?}", Some(&headers)), "Some(<hidden>)");
        assert!(!headers.is_empty() && Secrets::default().is_empty());
    }
}
