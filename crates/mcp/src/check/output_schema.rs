//! Checks a tool's structured output against the schema that the tool declares.

use std::sync::Arc;

use agentwire_protocol::RawJson;
use serde::Deserialize;
use serde_json::Value;

use super::{Schema, violations};
use crate::{
    ToolOutput,
    rpc::{self, Response},
};

/// The check of one call's output; empty if the tool declares no output schema.
#[derive(Debug)]
pub(crate) struct OutputCheck(pub(super) Option<(Box<str>, Arc<Schema>)>);

impl OutputCheck {
    /// Returns the answer to a call, or an error result that lists the violations of the output schema.
    ///
    /// The error goes to the model, which relies on the declared schema, and to the log, since the host's tool has a bug.
    pub(crate) fn apply(&self, id: &RawJson, answer: RawJson) -> RawJson {
        let Self(Some((tool, schema))) = self else { return answer };
        // The schema applies to a successful result only.
        let Ok(Response::<Output> { result: Some(result), .. }) = answer.decode() else { return answer };
        if result.is_error || result.content.is_none() && result.structured_content.is_none() {
            return answer;
        }
        let objection = check(tool, schema, result.structured_content.as_ref());
        objection.map_or(answer, |text| rpc::result(id, ToolOutput::error(text)))
    }
}

/// Returns why structured output does not match, as text for the model.
fn check(tool: &str, schema: &Schema, output: Option<&Value>) -> Option<String> {
    let violations = match (output, schema.compiled()) {
        (None, _) => Some("\n- there is no structured content".to_owned()),
        (Some(output), Ok(validator)) => violations::list(validator, output, "the output itself"),
        (Some(_), Err(error)) => {
            tracing::error!(tool, error, "the output schema of an MCP tool can't be used");
            None
        }
    }?;
    // The log omits the violations, since they quote the output.
    tracing::error!(tool, "the output of an MCP tool does not match its own schema");
    Some(format!("The output of the tool `{tool}` does not match the schema that it declares.{violations}"))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Output {
    content: Option<RawJson>,
    structured_content: Option<Value>,
    #[serde(default)]
    is_error: bool,
}
