//! Constants of the CLI: versions, arguments and environment variables.

/// The oldest CLI version that this protocol is expected to work with.
pub const MIN_VERSION: &str = "2.1.0";

/// The program's name on the search path.
pub const PROGRAM: &str = "claude";

/// The arguments that make the program speak this protocol.
pub const STREAM_JSON_ARGS: &[&str] =
    &["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"];

/// The name by which this library identifies itself to the program, in [`env::ENTRYPOINT`].
///
/// Measured with 2.1.330: the program accepts any name, and sends it to the API in the user agent and in the first
/// block of the system prompt.
/// It knows the SDK names `sdk-ts`, `sdk-py` and `sdk-cli`; without a name, or with `cli`, it uses
/// `sdk-cli`.
/// With an unknown name it does not treat its host as an SDK and offers one more agent
/// (`claude-code-guide`).
/// Among the known names, only `sdk-cli` does not belong to another library.
pub const ENTRYPOINT: &str = "sdk-cli";

/// Environment variables that the program reads.
pub mod env {
    /// The kind of host that started the program.
    pub const ENTRYPOINT: &str = "CLAUDE_CODE_ENTRYPOINT";
    /// The name of the client application, for the API.
    pub const CLIENT_APP: &str = "CLAUDE_AGENT_SDK_CLIENT_APP";
    /// A client application name that an SDK derived; it does not count as a name within the session.
    pub const DERIVED_CLIENT_APP: &str = "CLAUDE_AGENT_SDK_DERIVED_CLIENT_APP";
    /// Enables file checkpoints, so that files can be rewound.
    pub const FILE_CHECKPOINTING: &str = "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING";
    /// The parent of the program's spans, as W3C trace context.
    pub const TRACEPARENT: &str = "TRACEPARENT";
    /// The vendor part of that trace context (`tracestate`).
    pub const TRACESTATE: &str = "TRACESTATE";
    /// The host library's version.
    pub const SDK_VERSION: &str = "CLAUDE_AGENT_SDK_VERSION";
    /// With `1`, the program sends `system/session_state_changed` to the host.
    pub const READS_SESSION_STATE: &str = "CLAUDE_CODE_SDK_READS_SESSION_STATE";
    /// Set by the program for its child processes; a nested CLI must not inherit it.
    pub const NESTED: &str = "CLAUDECODE";
    /// Starts the program in bare mode, as `--bare` does: it runs no hooks, not even callbacks of the host.
    pub const BARE: &str = "CLAUDE_CODE_SIMPLE";
    /// Disables the storage of sessions, as `--no-session-persistence` does.
    pub const SKIP_HISTORY: &str = "CLAUDE_CODE_SKIP_PROMPT_HISTORY";
    /// Disables scheduled prompts, including those that the project folder defines.
    pub const DISABLE_CRON: &str = "CLAUDE_CODE_DISABLE_CRON";
}
