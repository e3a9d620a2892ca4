//! `system/hook_…`: a hook of the settings starts, goes on and ends.

use serde::{Deserialize, Serialize};

use crate::{SessionId, Uuid, open_enum::open_enum};

/// A hook of the settings starts (`system/hook_started`).
///
/// Sent with `--include-hook-events`; callbacks of the host are not told this way.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct HookStarted {
    /// This run of the hook: the three kinds of message about it share it.
    #[serde(default)]
    pub hook_id: Box<str>,
    /// The event and its matcher, such as `SessionStart:startup`.
    #[serde(default)]
    pub hook_name: Box<str>,
    /// The event, such as `PreToolUse`.
    #[serde(default)]
    pub hook_event: Box<str>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}

/// A hook of the settings has printed more (`system/hook_progress`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct HookProgress {
    /// This run of the hook.
    #[serde(default)]
    pub hook_id: Box<str>,
    /// The event and its matcher.
    #[serde(default)]
    pub hook_name: Box<str>,
    /// The event.
    #[serde(default)]
    pub hook_event: Box<str>,
    /// What it printed so far.
    #[serde(default)]
    pub stdout: String,
    /// What it printed to its standard error so far.
    #[serde(default)]
    pub stderr: String,
    /// Both in the order in which they came.
    #[serde(default)]
    pub output: String,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}

/// A hook of the settings has ended (`system/hook_response`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct HookResponse {
    /// This run of the hook.
    #[serde(default)]
    pub hook_id: Box<str>,
    /// The event and its matcher.
    #[serde(default)]
    pub hook_name: Box<str>,
    /// The event.
    #[serde(default)]
    pub hook_event: Box<str>,
    /// All that it printed, in the order in which it came.
    #[serde(default)]
    pub output: String,
    /// What it printed.
    #[serde(default)]
    pub stdout: String,
    /// What it printed to its standard error.
    #[serde(default)]
    pub stderr: String,
    /// Its exit code, on Windows any number of 32 bits without a sign; absent where it had none.
    pub exit_code: Option<i64>,
    /// How it ended.
    #[serde(default = "crate::lenient::empty")]
    pub outcome: HookOutcome,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}

open_enum! {
    /// How a hook of the settings ended.
    pub enum HookOutcome {
        /// Well.
        Success = "success",
        /// It failed.
        Error = "error",
        /// It was stopped.
        Cancelled = "cancelled",
    }
}
