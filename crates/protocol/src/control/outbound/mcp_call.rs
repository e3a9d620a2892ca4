//! `mcp_call`: a tool of an MCP server, called by the host.

use serde::{Deserialize, Serialize};

use super::ControlCall;
use crate::{Nullable, RawJson, open_enum::open_enum};

/// Calls a tool of an MCP server that the CLI runs (`mcp_call`), without the model and, unless asked for, without a
/// question of permission.
///
/// Tools of the host's own servers are refused.
/// Where `timeout_ms`, `expires_at` or files are given, the reply has a `staging` and most failures are told there, in
/// a success; CLI 2.1.197 ignores these fields.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct McpCall {
    /// The tool with its server, such as `mcp__server__tool`.
    pub tool: Box<str>,
    /// Its arguments, an object; `{{in:NAME}}` and `{{out:NAME}}` as whole texts stand for the paths of files.
    pub arguments: Option<RawJson>,
    /// When it is too late to begin, in RFC 3339; needed with output files.
    pub expires_at: Option<Box<str>>,
    /// How long the tool may take, in milliseconds, from 1000 to 600000.
    pub timeout_ms: Option<u64>,
    /// Whether the result comes as the server gave it, rather than as a model would get it.
    pub result_not_for_model: Option<bool>,
    /// Whether it is permitted as a call of the model's would be; the host may be asked then.
    pub check_permissions: Option<bool>,
    /// Files to hand to the tool.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub input_files: Vec<InputFile>,
    /// Files to take from the tool.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub output_files: Vec<OutputFile>,
}

impl McpCall {
    /// Calls this tool.
    pub fn new(tool: impl Into<Box<str>>, arguments: Option<RawJson>) -> Self {
        Self {
            tool: tool.into(),
            arguments,
            expires_at: None,
            timeout_ms: None,
            result_not_for_model: None,
            check_permissions: None,
            input_files: Vec::new(),
            output_files: Vec::new(),
        }
    }
}

impl ControlCall for McpCall {
    const SUBTYPE: &'static str = "mcp_call";
    type Reply = McpCallReply;
}

/// A file to hand to the tool.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct InputFile {
    /// The name that the arguments use.
    pub name: Box<str>,
    /// Where it is kept among the session's synchronised files.
    pub lane_path: String,
}

impl InputFile {
    /// This file under this name.
    pub fn new(name: impl Into<Box<str>>, lane_path: impl Into<String>) -> Self {
        Self { name: name.into(), lane_path: lane_path.into() }
    }
}

/// A file to take from the tool.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct OutputFile {
    /// The name that the arguments use.
    pub name: Box<str>,
    /// Where to keep it among the session's synchronised files.
    pub lane_path: String,
    /// The mark that the kept file must still have; `None` to write over whatever is there.
    pub if_match: Option<Box<str>>,
}

impl OutputFile {
    /// This file under this name, over whatever is there.
    pub fn new(name: impl Into<Box<str>>, lane_path: impl Into<String>) -> Self {
        Self { name: name.into(), lane_path: lane_path.into(), if_match: None }
    }
}

/// What the tool gave. Not declared as a type; seen on the wire.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct McpCallReply {
    /// The result: a text or blocks for a model, or with `result_not_for_model` the server's own blocks.
    ///
    /// Absent where staging failed.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub content: Nullable<RawJson>,
    /// The result as data, where the server gave it.
    pub structured_content: Option<RawJson>,
    /// What else the server said of it.
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
    /// How it went with files and limits; absent from a plain call.
    pub staging: Option<Staging>,
}

/// How a call with files or limits went.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Staging {
    /// Whether it was done.
    pub ok: bool,
    /// The files that were taken.
    pub outputs: Option<RawJson>,
    /// The files that were handed over.
    pub inputs_used: Option<RawJson>,
    /// Why it was not done, for a program.
    pub error_code: Option<StagingErrorCode>,
    /// Why it was not done, for a person.
    pub detail: Option<String>,
    /// Whether to try again may help.
    pub retryable: Option<bool>,
}

open_enum! {
    /// Why a call with files or limits was not done (`staging.error_code`).
    pub enum StagingErrorCode {
        /// The tool failed, or did not run.
        ToolError = "tool_error",
        /// It came too late.
        Expired = "expired",
        /// A file to hand over is not there.
        InputMissing = "input_missing",
        /// A file to take is too large to keep.
        OutputTooLarge = "output_too_large",
        /// A file to take was kept anew by somebody else.
        OutputConflict = "output_conflict",
    }
}
