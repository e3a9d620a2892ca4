//! Facts about the program itself: names and versions, no logic.

/// The CLI version that the fixtures were recorded from.
pub const RECORDED_VERSION: &str = "2.1.330";

/// The oldest CLI version that this protocol is expected to work with.
pub const MIN_VERSION: &str = "2.1.0";

/// The program's name on the search path.
pub const PROGRAM: &str = "claude";

/// Arguments without which the program does not speak this protocol.
pub const STREAM_JSON_ARGS: &[&str] =
    &["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"];

/// The name under which this library presents itself to the program, in [`env::ENTRYPOINT`].
///
/// Measured with 2.1.330: no name is refused, and any is told to the API, in the user agent and in the first block of
/// the system prompt.
/// The names of SDKs that it knows are `sdk-ts`, `sdk-py` and `sdk-cli`; without a name, or with `cli`, it takes
/// `sdk-cli` itself.
/// With a name that it does not know it does not take its host for an SDK, and offers one agent more
/// (`claude-code-guide`).
/// Of those it knows, `sdk-cli` is the one that is nobody else's.
pub const ENTRYPOINT: &str = "sdk-cli";

/// Environment variables that the program reads.
pub mod env {
    /// Which kind of host started it.
    pub const ENTRYPOINT: &str = "CLAUDE_CODE_ENTRYPOINT";
    /// What the host is called towards the API.
    pub const CLIENT_APP: &str = "CLAUDE_AGENT_SDK_CLIENT_APP";
    /// What an SDK made up for the same, which is no name for a session within that one.
    pub const DERIVED_CLIENT_APP: &str = "CLAUDE_AGENT_SDK_DERIVED_CLIENT_APP";
    /// Has files kept, so that they can be rewound.
    pub const FILE_CHECKPOINTING: &str = "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING";
    /// The parent of its spans, as W3C trace context.
    pub const TRACEPARENT: &str = "TRACEPARENT";
    /// What vendors say of that trace.
    pub const TRACESTATE: &str = "TRACESTATE";
    /// The host library's version.
    pub const SDK_VERSION: &str = "CLAUDE_AGENT_SDK_VERSION";
    /// With `1`, `system/session_state_changed` is sent to the host.
    pub const READS_SESSION_STATE: &str = "CLAUDE_CODE_SDK_READS_SESSION_STATE";
    /// Set by the program in its own children; a nested one must not inherit it.
    pub const NESTED: &str = "CLAUDECODE";
    /// Puts the program into its bare mode, as `--bare` does: it calls no hook, callbacks of the host included.
    pub const BARE: &str = "CLAUDE_CODE_SIMPLE";
    /// Switches scheduled prompts off, those that the folder brings among them.
    pub const DISABLE_CRON: &str = "CLAUDE_CODE_DISABLE_CRON";
}
