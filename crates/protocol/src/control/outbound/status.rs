//! The session as a screen tells it.

use serde::{Deserialize, Serialize};

use super::ControlCall;

/// What does the status screen show (`get_status`)? Not declared, answered by the CLI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct GetStatus {}

impl ControlCall for GetStatus {
    const SUBTYPE: &'static str = "get_status";
    type Reply = GetStatusReply;
}

/// The status screen, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct GetStatusReply {
    /// Its sections, in its order.
    #[serde(default)]
    pub sections: Vec<StatusSection>,
}

/// A section of the status screen.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct StatusSection {
    /// Its title, such as `Session`.
    pub title: String,
    /// Its rows.
    #[serde(default)]
    pub rows: Vec<StatusRow>,
}

/// A row of the status screen.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct StatusRow {
    /// Its name, such as `Version`; absent where the value is a sentence by itself.
    pub label: Option<String>,
    /// What it says.
    pub value: String,
}
