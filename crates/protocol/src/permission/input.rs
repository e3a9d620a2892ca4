//! A tool input as an object, to replace single fields and keep all others unchanged.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::RawJson;

/// The input of a tool.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(transparent)]
pub(super) struct Input(BTreeMap<Box<str>, RawJson>);

impl Input {
    /// Returns the input with this field set.
    #[expect(clippy::expect_used, reason = "the values are strings, and maps of strings")]
    pub(super) fn with<T: Serialize + ?Sized>(&self, name: &str, value: &T) -> Self {
        let mut fields = self.0.clone();
        fields.insert(name.into(), RawJson::encode(value).expect("strings can be written as JSON"));
        Self(fields)
    }

    #[expect(clippy::expect_used, reason = "the keys are strings, and the values JSON already")]
    pub(super) fn into_raw(self) -> RawJson {
        RawJson::encode(&self).expect("an object of JSON values is JSON")
    }
}
