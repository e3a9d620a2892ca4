//! The input of a tool as an object whose fields can be replaced, while all others stay as they were.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::RawJson;

/// The input of a tool.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(transparent)]
pub(super) struct Input(BTreeMap<Box<str>, RawJson>);

impl Input {
    /// The same with this field in the place of one that is called so.
    #[expect(clippy::expect_used, reason = "the values are strings, and maps and structs of strings")]
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
