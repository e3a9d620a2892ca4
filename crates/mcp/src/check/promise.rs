//! The check of a tool's structured output against the schema that the tool declares for it.

use std::sync::Arc;

use agentwire_protocol::RawJson;
use serde::Deserialize;
use serde_json::Value;

use super::{Schema, violations};
use crate::rpc;

/// What a tool has promised of its output.
#[derive(Debug)]
pub(crate) struct OutputCheck(Option<(Box<str>, Arc<Schema>)>);

impl OutputCheck {
    pub(super) fn none() -> Self {
        Self(None)
    }

    pub(super) fn of(tool: Box<str>, output: Option<Arc<Schema>>) -> Self {
        Self(output.map(|schema| (tool, schema)))
    }

    /// The answer to a call, or an error result that says how the tool broke its promise.
    ///
    /// The model is told, since what it would read is not what the tool was described to give; the log is too, since the
    /// fault is the program's own.
    pub(crate) fn hold(&self, id: &RawJson, answer: RawJson) -> RawJson {
        let Self(Some((tool, schema))) = self else { return answer };
        // Errors and answers of other kinds make no promise.
        let Ok(Answer { result: Some(result) }) = answer.decode::<Answer>() else { return answer };
        if result.is_error || result.content.is_none() {
            return answer;
        }
        match hold(tool, schema, result.structured_content.as_ref()) {
            Ok(()) => answer,
            Err(text) => rpc::result(id, violations::ToolError::new(text)),
        }
    }
}

/// Checks the structured output of a tool that has declared a schema for it.
///
/// # Errors
///
/// How it breaks the promise, in words for the model.
pub(crate) fn hold(tool: &str, schema: &Schema, output: Option<&Value>) -> Result<(), String> {
    let violations = match (output, schema.compiled()) {
        (None, _) => Some("\n- there is no structured content".to_owned()),
        (Some(output), Ok(validator)) => violations::list(validator, output, "the output itself"),
        (Some(_), Err(error)) => {
            tracing::error!(tool, error, "the output schema of an MCP tool can't be used");
            None
        }
    };
    let Some(violations) = violations else { return Ok(()) };
    // Without the violations, which quote the output.
    tracing::error!(tool, "the output of an MCP tool does not match its own schema");
    Err(format!("The output of the tool `{tool}` does not match the schema that it declares.{violations}"))
}

#[derive(Deserialize)]
struct Answer {
    result: Option<Output>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Output {
    content: Option<RawJson>,
    structured_content: Option<Value>,
    #[serde(default)]
    is_error: bool,
}
