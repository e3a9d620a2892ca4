//! `system/hook_…`: the start, progress and end of a settings hook.

use crate::{SessionId, Uuid, open_enum::open_enum};

/// A hook of the settings started (`system/hook_started`).
///
/// Sent with `--include-hook-events`; not sent for callbacks of the host.
#[wire]
pub struct HookStarted {
    /// The id of this run of the hook, shared by the three kinds of messages.
    #[serde(default)]
    pub hook_id: Box<str>,
    /// The event and its matcher, such as `SessionStart:startup`.
    #[serde(default)]
    pub hook_name: Box<str>,
    /// The event, such as `PreToolUse`.
    #[serde(default)]
    pub hook_event: Box<str>,
    /// The session id.
    pub session_id: Option<SessionId>,
    /// The id of this frame.
    pub uuid: Option<Uuid>,
}

/// A hook of the settings printed more output (`system/hook_progress`).
#[wire]
pub struct HookProgress {
    /// The id of this run of the hook.
    #[serde(default)]
    pub hook_id: Box<str>,
    /// The event and its matcher.
    #[serde(default)]
    pub hook_name: Box<str>,
    /// The event.
    #[serde(default)]
    pub hook_event: Box<str>,
    /// The standard output so far.
    #[serde(default)]
    pub stdout: String,
    /// The standard error so far.
    #[serde(default)]
    pub stderr: String,
    /// Standard output and standard error, interleaved.
    #[serde(default)]
    pub output: String,
    /// The session id.
    pub session_id: Option<SessionId>,
    /// The id of this frame.
    pub uuid: Option<Uuid>,
}

/// A hook of the settings ended (`system/hook_response`).
#[wire]
pub struct HookResponse {
    /// The id of this run of the hook.
    #[serde(default)]
    pub hook_id: Box<str>,
    /// The event and its matcher.
    #[serde(default)]
    pub hook_name: Box<str>,
    /// The event.
    #[serde(default)]
    pub hook_event: Box<str>,
    /// Standard output and standard error, interleaved.
    #[serde(default)]
    pub output: String,
    /// The standard output.
    #[serde(default)]
    pub stdout: String,
    /// The standard error.
    #[serde(default)]
    pub stderr: String,
    /// The exit code; an unsigned 32-bit number on Windows; absent if there is none.
    pub exit_code: Option<i64>,
    /// The outcome.
    #[serde(default = "crate::lenient::empty")]
    pub outcome: HookOutcome,
    /// The session id.
    pub session_id: Option<SessionId>,
    /// The id of this frame.
    pub uuid: Option<Uuid>,
}

open_enum! {
    /// The outcome of a settings hook.
    pub enum HookOutcome {
        /// The hook succeeded.
        Success = "success",
        /// The hook failed.
        Error = "error",
        /// The hook was stopped.
        Cancelled = "cancelled",
    }
}
