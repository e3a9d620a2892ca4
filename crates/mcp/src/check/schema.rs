//! A schema, and the check of a tool's input against it.

use std::sync::OnceLock;

use agentwire_protocol::decode::decode;
use jsonschema::Validator;
use serde_json::{Value, json};

use super::violations;

/// A schema that is compiled at its first use.
#[derive(Debug)]
pub(super) struct Schema {
    text: Value,
    compiled: OnceLock<Result<Validator, String>>,
}

/// Why a tool is not called.
#[derive(Debug)]
pub(super) enum Objection {
    /// The input can't be checked; the text is for a JSON-RPC error.
    Unchecked(String),
    /// The input does not match the schema; the text is for a result that the model reads.
    Unfit(String),
}

impl Schema {
    pub(super) fn new(text: Value) -> Self {
        Self { text, compiled: OnceLock::new() }
    }

    /// Checks a tool's input; a missing input is an empty object.
    pub(super) fn admit(&self, tool: &str, input: Option<&str>) -> Result<(), Objection> {
        let validator = self.compiled().map_err(|error| {
            Objection::Unchecked(format!("the input schema of the tool `{tool}` can't be used: {error}"))
        })?;
        let input = input.map(decode::<Value>).transpose().map_err(|error| {
            Objection::Unchecked(format!("the input of the tool `{tool}` can't be read: {error}"))
        })?;
        let input = input.unwrap_or_else(|| json!({}));
        let Some(violations) = violations::list(validator, &input, "the input itself") else { return Ok(()) };
        Err(Objection::Unfit(format!(
            "The input does not match the schema of the tool `{tool}`; it was not called.{violations}"
        )))
    }

    pub(super) fn compiled(&self) -> Result<&Validator, &str> {
        // Offline even if another crate enables jsonschema's resolvers: a schema must not make the host fetch a URL.
        let compile = || jsonschema::options().offline().build(&self.text).map_err(|error| error.to_string());
        self.compiled.get_or_init(compile).as_ref().map_err(String::as_str)
    }
}
