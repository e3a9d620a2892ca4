//! `mcp_call`: a call of an MCP tool by the host.

use crate::{Nullable, RawJson};

/// Calls a tool of an MCP server that the CLI runs (`mcp_call`), without the model, and without a permission check
/// by default.
///
/// The CLI rejects tools of in-process servers.
/// With `timeout_ms`, `expires_at` or files, the reply has a `staging` that contains most failures of a successful
/// response; CLI 2.1.197 ignores these fields.
#[wire(new)]
pub struct McpCall {
    /// The full tool name, such as `mcp__server__tool`.
    pub tool: Box<str>,
    /// The arguments, an object; `{{in:NAME}}` and `{{out:NAME}}` as whole strings stand for file paths.
    #[argument]
    pub arguments: Option<RawJson>,
    /// The latest start time, in RFC 3339; required with output files.
    pub expires_at: Option<Box<str>>,
    /// The timeout in milliseconds, from 1000 to 600000.
    pub timeout_ms: Option<u64>,
    /// Whether to return the server's original result rather than the form for a model.
    pub result_not_for_model: Option<bool>,
    /// Whether to return a tool's own error as a result; known since CLI 2.1.332.
    pub soft_error_result: Option<bool>,
    /// Whether to check permissions as for a call of the model; the CLI may then ask the host.
    pub check_permissions: Option<bool>,
    /// Input files of the tool.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub input_files: Vec<InputFile>,
    /// Output files of the tool.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub output_files: Vec<OutputFile>,
}

/// An input file of a tool.
#[wire(Eq, new)]
pub struct InputFile {
    /// The name in the arguments.
    pub name: Box<str>,
    /// The path among the session's synchronised files.
    pub lane_path: String,
}

/// An output file of a tool.
#[wire(Eq, new)]
pub struct OutputFile {
    /// The name in the arguments.
    pub name: Box<str>,
    /// The path among the session's synchronised files.
    pub lane_path: String,
    /// The expected tag of the existing file; `None` to overwrite any file.
    pub if_match: Option<Box<str>>,
}

/// The result of a tool call. Not declared as a type; seen on the wire.
#[wire(Default, camelCase)]
pub struct McpCallReply {
    /// The result: text or blocks for a model, or the server's own blocks with `result_not_for_model`.
    ///
    /// Absent if staging failed.
    pub content: Nullable<RawJson>,
    /// Whether the result is the tool's own error; only with `soft_error_result`.
    pub is_error: Option<bool>,
    /// The structured result, if the server sent one.
    pub structured_content: Option<RawJson>,
    /// The result's metadata.
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
    /// The outcome of files and limits; absent from a plain call.
    pub staging: Option<Staging>,
}

/// The outcome of a call with files or limits.
#[wire]
pub struct Staging {
    /// Whether the call succeeded.
    pub ok: bool,
    /// The output files.
    pub outputs: Option<RawJson>,
    /// The input files.
    pub inputs_used: Option<RawJson>,
    /// The error code.
    pub error_code: Option<StagingErrorCode>,
    /// The error message, for a person.
    pub detail: Option<String>,
    /// Whether a retry may help.
    pub retryable: Option<bool>,
}

/// The error code of a call with files or limits (`staging.error_code`).
#[wire]
pub enum StagingErrorCode {
    /// The tool failed, or did not run.
    ToolError = "tool_error",
    /// The latest start time has passed.
    Expired = "expired",
    /// An input file does not exist.
    InputMissing = "input_missing",
    /// An output file is too large.
    OutputTooLarge = "output_too_large",
    /// An output file was changed concurrently.
    OutputConflict = "output_conflict",
}
