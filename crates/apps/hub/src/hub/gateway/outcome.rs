//! The result of a tool call as a client receives it.

use agentwire_hub_names::Rewrite;
use rmcp::model::{CallToolResult, ContentBlock};

use crate::CallOutcome;

pub(super) fn result(outcome: CallOutcome, has_output_schema: bool, rewrite: &Rewrite<'_>) -> CallToolResult {
    // The output schema is violated if the structured content is invalid or was removed for its size. A client that
    // validates rejects the whole result, unless it is an error without structured content.
    let broken = has_output_schema && outcome.structured.is_none() && outcome.left_out.is_some();
    let note = outcome.violation_note().map(ContentBlock::text);
    let mut result = CallToolResult::from(outcome);
    if broken || note.is_some() {
        (result.is_error, result.structured_content) = (Some(true), None);
    }
    for block in &mut result.content {
        rewrite.block(block);
    }
    result.content.extend(note);
    result
}
