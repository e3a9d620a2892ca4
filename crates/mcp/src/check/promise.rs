//! The check of a tool's structured output against the schema that the tool declares for it.

use std::sync::Arc;

use agentwire_protocol::RawJson;
use serde::Deserialize;
use serde_json::Value;

use super::{Schema, violations};
use crate::rpc;

/// What a tool has promised of its output.
#[derive(Debug)]
pub(crate) struct Promise(Option<(Box<str>, Arc<Schema>)>);

impl Promise {
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
        let Some(violations) = broken(tool, schema, &answer) else { return answer };
        // Without the violations, which quote the output.
        tracing::error!(tool, "the output of an MCP tool does not match its own schema");
        let text = format!(
            "The output of the tool `{tool}` does not match the schema that it declares.{violations}"
        );
        rpc::result(id, violations::ToolError::new(text))
    }
}

/// How the answer breaks the promise; errors and answers of other kinds make none.
fn broken(tool: &str, schema: &Schema, answer: &RawJson) -> Option<String> {
    let Ok(Answer { result: Some(result) }) = answer.decode::<Answer>() else { return None };
    if result.is_error || result.content.is_none() {
        return None;
    }
    let Some(output) = result.structured_content else {
        return Some("\n- there is no structured content".to_owned());
    };
    match schema.compiled() {
        Ok(validator) => violations::list(validator, &output, "the output itself"),
        Err(error) => {
            tracing::error!(tool, error, "the output schema of an MCP tool can't be used");
            None
        }
    }
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
