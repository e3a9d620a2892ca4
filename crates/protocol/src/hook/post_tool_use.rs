//! `PostToolUse`: after a tool was used.

use serde::{Deserialize, Serialize};

use super::{HookReply, declare::hook_event};
use crate::{RawJson, ToolUseId};

hook_event! {
    /// After a tool was used: the output may be changed, and the model told something.
    PostToolUse => PostToolUseOutput, refusal |_| None;

    /// What `PostToolUse` tells.
    PostToolUseInput {
        /// The tool.
        tool_name: Box<str>,
        /// Its input, as it was used.
        tool_input: RawJson,
        /// What it gave.
        tool_response: RawJson,
        /// The tool use.
        tool_use_id: ToolUseId,
        /// How long it took, in milliseconds.
        #[serde(skip_serializing_if = "Option::is_none")]
        duration_ms: Option<f64>,
        /// The MCP server that the tool belongs to.
        #[serde(skip_serializing_if = "Option::is_none")]
        mcp_server: Option<RawJson>,
    }
}

/// What only `PostToolUse` can say.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PostToolUseOutput {
    /// Text for the model; it leaves no message of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub additional_context: Option<String>,
    /// Text for the classifier that decides in the mode `auto`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classifier_context: Option<String>,
    /// What the model sees instead of the tool's output, in the shape of the tool's own `tool_response`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_tool_output: Option<RawJson>,
    /// As `updated_tool_output`, for tools of MCP servers alone.
    #[serde(rename = "updatedMCPToolOutput", skip_serializing_if = "Option::is_none")]
    pub updated_mcp_tool_output: Option<RawJson>,
}

impl HookReply<PostToolUse> {
    /// Tells the model something beside the tool's output.
    pub fn context(text: impl Into<String>) -> Self {
        Self::output(PostToolUseOutput {
            additional_context: Some(text.into()),
            ..PostToolUseOutput::default()
        })
    }
}
