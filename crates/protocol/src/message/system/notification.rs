//! `system/notification`: a short note that a terminal would show for a while.

use serde::{Deserialize, Serialize};

use crate::{SessionId, Uuid, open_enum::open_enum};

/// A short note that a terminal would show for a while (`system/notification`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Notification {
    /// What it is about, such as `stop-hook-error`; a newer note replaces one with the same key.
    #[serde(default)]
    pub key: Box<str>,
    /// The text.
    #[serde(default)]
    pub text: String,
    /// How urgent it is.
    #[serde(default = "crate::lenient::empty")]
    pub priority: NotificationPriority,
    /// The colour that a terminal would show it in.
    pub color: Option<Box<str>>,
    /// How long to show it, in milliseconds.
    #[serde(default, deserialize_with = "crate::lenient::optional_count")]
    pub timeout_ms: Option<u64>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}

open_enum! {
    /// How urgent a note is.
    pub enum NotificationPriority {
        /// It can wait.
        Low = "low",
        /// It is of some use.
        Medium = "medium",
        /// It matters.
        High = "high",
        /// It is shown before all others.
        Immediate = "immediate",
    }
}
