//! `get_status`: the content of the status screen.

use serde::{Deserialize, Serialize};

use super::control_call;

/// Requests the content of the status screen (`get_status`). Not declared, but the CLI supports it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct GetStatus {}

control_call!(GetStatus = "get_status" => GetStatusReply);

/// The status screen as text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct GetStatusReply {
    /// The sections, in display order.
    #[serde(default)]
    pub sections: Vec<StatusSection>,
}

/// A section of the status screen.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct StatusSection {
    /// The title, such as `Session`.
    pub title: String,
    /// The rows.
    #[serde(default)]
    pub rows: Vec<StatusRow>,
}

/// A row of the status screen.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct StatusRow {
    /// The label, such as `Version`; absent if the value is a sentence.
    pub label: Option<String>,
    /// The value.
    pub value: String,
}
