//! Events after tool uses: `PostToolUse`, `PostToolUseFailure` and `PostToolBatch`.

use super::{ContextOutput, HookReply, declare::hook_event};
use crate::{RawJson, ToolName, ToolUseId, permission::McpOrigin};

hook_event! {
    /// After a successful tool use; a reply can change the output or add text for the model.
    ///
    /// This event can't be blocked: the tool has already run.
    /// After a block, the model sees the reason as an error next to the tool's output, and continues.
    PostToolUse => PostToolUseOutput, matched by "tool_name", refusal |_| None, adds context, can block;

    /// The input of `PostToolUse`.
    PostToolUseInput {
        /// The tool (`tool_name`).
        tool_name: ToolName,
        /// The tool input that was used (`tool_input`).
        tool_input: RawJson,
        /// The result, in the tool's own format (`tool_response`).
        tool_response: RawJson,
        /// The tool use (`tool_use_id`).
        tool_use_id: ToolUseId,
        /// The duration in milliseconds, without permission requests and hooks (`duration_ms`).
        #[serde(default, deserialize_with = "crate::lenient::optional_count")]
        duration_ms: Option<u64>,
        /// The MCP server of the tool (`mcp_server`); `None` for the CLI's own tools.
        mcp_server: Option<McpOrigin>,
    }
}

/// The event-specific output of `PostToolUse`.
#[wire(Default, camelCase)]
pub struct PostToolUseOutput {
    /// Additional text for the model, without a separate message (`additionalContext`).
    pub additional_context: Option<String>,
    /// Text that the host vouches for, as input of the classifier of mode `auto` (`classifierContext`).
    ///
    /// At most 2,000 UTF-16 code units for all hooks of one tool use.
    /// It has the host's authority: never include the tool's output or the model's text.
    pub classifier_context: Option<String>,
    /// Replaces the tool's output for the model, in the format of the tool's own `tool_response`
    /// (`updatedToolOutput`).
    pub updated_tool_output: Option<RawJson>,
    /// Like `updated_tool_output`, but only for tools of MCP servers (`updatedMCPToolOutput`).
    #[serde(rename = "updatedMCPToolOutput")]
    pub updated_mcp_tool_output: Option<RawJson>,
}

impl HookReply<PostToolUse> {
    /// Returns a reply that replaces the tool's output for the model.
    pub fn replace_output(output: RawJson) -> Self {
        Self::output(PostToolUseOutput { updated_tool_output: Some(output), ..PostToolUseOutput::default() })
    }
}

hook_event! {
    /// After a failed tool use.
    ///
    /// This event can't be blocked; after a block, the model sees the reason next to the error, and continues.
    PostToolUseFailure => ContextOutput, matched by "tool_name", refusal |_| None, adds context, can block;

    /// The input of `PostToolUseFailure`.
    PostToolUseFailureInput {
        /// The tool (`tool_name`).
        tool_name: ToolName,
        /// The tool input that was used (`tool_input`).
        tool_input: RawJson,
        /// The tool use (`tool_use_id`).
        tool_use_id: ToolUseId,
        /// The error as the model sees it (`error`).
        #[serde(default)]
        error: String,
        /// Whether an interrupt of the turn caused the failure (`is_interrupt`).
        is_interrupt: Option<bool>,
        /// The duration in milliseconds, without permission requests and hooks (`duration_ms`).
        #[serde(default, deserialize_with = "crate::lenient::optional_count")]
        duration_ms: Option<u64>,
        /// The MCP server of the tool (`mcp_server`); `None` for the CLI's own tools.
        mcp_server: Option<McpOrigin>,
    }
}

hook_event! {
    /// After all tool uses of one message, before the next API request.
    ///
    /// A block ends the turn (`hook_stopped`), with an empty result.
    PostToolBatch => ContextOutput, refusal |reason| Some(HookReply::block(reason)), also when late,
        adds context, can block;

    /// The input of `PostToolBatch`.
    PostToolBatchInput {
        /// The tool uses, in the message's order (`tool_calls`).
        tool_calls: Vec<BatchedToolCall>,
    }
}

/// One tool use of a batch.
#[wire]
pub struct BatchedToolCall {
    /// The tool (`tool_name`).
    pub tool_name: ToolName,
    /// The tool input (`tool_input`).
    pub tool_input: RawJson,
    /// The tool use (`tool_use_id`).
    pub tool_use_id: ToolUseId,
    /// The content of the `tool_result` for the model, unlike in `PostToolUse` (`tool_response`).
    pub tool_response: Option<RawJson>,
}
