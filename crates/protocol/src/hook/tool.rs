//! After tools were used: `PostToolUse`, `PostToolUseFailure` and `PostToolBatch`.

use serde::{Deserialize, Serialize};

use super::{CanBlock, HookReply, ability::adds_context, declare::hook_event};
use crate::{RawJson, ToolName, ToolUseId, permission::McpOrigin};

hook_event! {
    /// After a tool was used: the output may be changed, and the model told something.
    ///
    /// The event can't refuse: the tool was used already.
    /// A block tells the model the reason as an error beside the tool's output, and it goes on.
    PostToolUse => PostToolUseOutput, matched by "tool_name", refusal |_| None;

    /// What `PostToolUse` tells.
    PostToolUseInput {
        /// The tool (`tool_name`).
        tool_name: ToolName,
        /// Its input, as it was used (`tool_input`).
        tool_input: RawJson,
        /// What it gave, in the tool's own shape (`tool_response`).
        tool_response: RawJson,
        /// The tool use (`tool_use_id`).
        tool_use_id: ToolUseId,
        /// How long it took, in milliseconds, without the time for questions and hooks (`duration_ms`).
        #[serde(default, deserialize_with = "crate::lenient::optional_count")]
        duration_ms: Option<u64>,
        /// The MCP server that the tool belongs to (`mcp_server`); `None` for tools of the CLI's own.
        mcp_server: Option<McpOrigin>,
    }
}

/// What only `PostToolUse` can say.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PostToolUseOutput {
    /// Text for the model; it leaves no message of its own (`additionalContext`).
    pub additional_context: Option<String>,
    /// What the host vouches for towards the classifier of the mode `auto` (`classifierContext`).
    ///
    /// At most 2,000 UTF-16 code units for all hooks of one tool use.
    /// It carries the host's authority: never put the tool's output or the model's words into it.
    pub classifier_context: Option<String>,
    /// What the model sees instead of the tool's output, in the shape of the tool's own `tool_response`
    /// (`updatedToolOutput`).
    pub updated_tool_output: Option<RawJson>,
    /// As `updated_tool_output`, for tools of MCP servers alone (`updatedMCPToolOutput`).
    #[serde(rename = "updatedMCPToolOutput")]
    pub updated_mcp_tool_output: Option<RawJson>,
}

adds_context!(PostToolUse, PostToolUseFailure, PostToolBatch);
impl CanBlock for PostToolUse {}

impl HookReply<PostToolUse> {
    /// The model sees this instead of the tool's output.
    pub fn replace_output(output: RawJson) -> Self {
        Self::output(PostToolUseOutput { updated_tool_output: Some(output), ..PostToolUseOutput::default() })
    }

    /// The model sees this instead of the output of an MCP server's tool.
    pub fn replace_mcp_output(output: RawJson) -> Self {
        Self::output(PostToolUseOutput {
            updated_mcp_tool_output: Some(output),
            ..PostToolUseOutput::default()
        })
    }
}

hook_event! {
    /// After the use of a tool failed.
    ///
    /// The event can't refuse; a block tells the model the reason beside the error, and it goes on.
    PostToolUseFailure => PostToolUseFailureOutput, matched by "tool_name", refusal |_| None;

    /// What `PostToolUseFailure` tells.
    PostToolUseFailureInput {
        /// The tool (`tool_name`).
        tool_name: ToolName,
        /// Its input, as it was used (`tool_input`).
        tool_input: RawJson,
        /// The tool use (`tool_use_id`).
        tool_use_id: ToolUseId,
        /// What went wrong, as the model is told (`error`).
        #[serde(default)]
        error: String,
        /// Whether it failed because the turn was interrupted (`is_interrupt`).
        is_interrupt: Option<bool>,
        /// How long it took, in milliseconds, without the time for questions and hooks (`duration_ms`).
        #[serde(default, deserialize_with = "crate::lenient::optional_count")]
        duration_ms: Option<u64>,
        /// The MCP server that the tool belongs to (`mcp_server`); `None` for tools of the CLI's own.
        mcp_server: Option<McpOrigin>,
    }
}

/// What only `PostToolUseFailure` can say.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PostToolUseFailureOutput {
    /// Text for the model (`additionalContext`).
    pub additional_context: Option<String>,
}

impl CanBlock for PostToolUseFailure {}

hook_event! {
    /// After all tool uses of one message, before the model is asked again.
    ///
    /// A block ends the turn there (`hook_stopped`), with an empty result.
    PostToolBatch => PostToolBatchOutput, refusal |reason| Some(HookReply::block(reason)), also when late;

    /// What `PostToolBatch` tells.
    PostToolBatchInput {
        /// The tool uses, in the message's order (`tool_calls`).
        tool_calls: Vec<BatchedToolCall>,
    }
}

/// One tool use of a batch.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct BatchedToolCall {
    /// The tool (`tool_name`).
    pub tool_name: ToolName,
    /// Its input (`tool_input`).
    pub tool_input: RawJson,
    /// The tool use (`tool_use_id`).
    pub tool_use_id: ToolUseId,
    /// What the model is given, as the content of a `tool_result` and not as `PostToolUse` has it (`tool_response`).
    pub tool_response: Option<RawJson>,
}

/// What only `PostToolBatch` can say.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PostToolBatchOutput {
    /// Text for the model (`additionalContext`).
    pub additional_context: Option<String>,
}

impl CanBlock for PostToolBatch {}
