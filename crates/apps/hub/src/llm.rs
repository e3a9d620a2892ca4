//! Model-facing forms, for programs that call a model's API themselves: tool definitions, results, and calls in text.
//!
//! - [`messages_definition`] and [`openai_definition`] define tools for a model that calls them natively.
//! - [`messages_content`] converts the outcome of a call to content.
//! - [`section`] describes the connected servers in a prompt.
//! - [`read`] parses calls from the text of a model that has no native tool calls.

use serde_json::Value;

pub use agentwire_hub_names::llm::{
    CallForm, DescribedServer, Finding, Misread, TextCall, Why, is_invisible, messages_contents,
    messages_definition, openai_definition, quoted, read, section,
};

use crate::CallOutcome;

/// Converts the outcome of a call to content blocks of the Messages API, for a `tool_result` or a message.
///
/// PNG, JPEG, GIF and WebP become images; other data, which the API does not accept, becomes a text that describes it.
/// Structured content becomes JSON text if the content has no text; a violation of the output schema is always
/// reported in a text. The result has at least one block.
pub fn messages_content(outcome: &CallOutcome) -> Vec<Value> {
    let CallOutcome { content, structured, .. } = outcome;
    agentwire_hub_names::llm::messages_content(content, structured.as_ref(), outcome.violation_note())
}
