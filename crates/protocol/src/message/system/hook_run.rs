//! `system/hook_…`: the start, progress and end of a settings hook.

/// A hook of the settings started (`system/hook_started`).
///
/// Sent with `--include-hook-events`, and without it for `SessionStart` and `Setup`; not sent for callbacks of the host.
#[wire(tolerant, message)]
pub struct HookStarted {
    /// The id of this run of the hook, shared by the three kinds of messages.
    pub hook_id: Box<str>,
    /// The event and its matcher, such as `SessionStart:startup`.
    pub hook_name: Box<str>,
    /// The event, such as `PreToolUse`.
    pub hook_event: Box<str>,
}

/// A hook of the settings printed more output (`system/hook_progress`).
#[wire(tolerant, message)]
pub struct HookProgress {
    /// The id of this run of the hook.
    pub hook_id: Box<str>,
    /// The event and its matcher.
    pub hook_name: Box<str>,
    /// The event.
    pub hook_event: Box<str>,
    /// The standard output so far.
    pub stdout: String,
    /// The standard error so far.
    pub stderr: String,
    /// Standard output and standard error, interleaved.
    pub output: String,
}

/// A hook of the settings ended (`system/hook_response`).
#[wire(tolerant, message)]
pub struct HookResponse {
    /// The id of this run of the hook.
    pub hook_id: Box<str>,
    /// The event and its matcher.
    pub hook_name: Box<str>,
    /// The event.
    pub hook_event: Box<str>,
    /// Standard output and standard error, interleaved.
    pub output: String,
    /// The standard output.
    pub stdout: String,
    /// The standard error.
    pub stderr: String,
    /// The exit code; an unsigned 32-bit number on Windows; absent if there is none.
    pub exit_code: Option<i64>,
    /// The outcome.
    #[serde(default = "crate::lenient::empty")]
    pub outcome: HookOutcome,
}

/// The outcome of a settings hook.
#[wire]
pub enum HookOutcome {
    /// The hook succeeded.
    Success = "success",
    /// The hook failed.
    Error = "error",
    /// The hook was stopped.
    Cancelled = "cancelled",
}
