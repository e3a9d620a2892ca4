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
pub const ENTRYPOINT: &str = "sdk-rust";

/// Environment variables that the program reads.
pub mod env {
    /// Which kind of host started it; the program accepts a fixed set of names and `sdk-rust` is none of them.
    pub const ENTRYPOINT: &str = "CLAUDE_CODE_ENTRYPOINT";
    /// The host library's version.
    pub const SDK_VERSION: &str = "CLAUDE_AGENT_SDK_VERSION";
    /// With `1`, `system/session_state_changed` is sent to the host.
    pub const READS_SESSION_STATE: &str = "CLAUDE_CODE_SDK_READS_SESSION_STATE";
    /// Set by the program in its own children; a nested one must not inherit it.
    pub const NESTED: &str = "CLAUDECODE";
}
