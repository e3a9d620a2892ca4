//! A schema, and the check of an input against it.

use std::sync::OnceLock;

use jsonschema::Validator;
use serde_json::{Map, Value};

use super::{quick::Quick, violations};

/// A schema, compiled when it is first used.
#[derive(Debug)]
pub(crate) struct Schema {
    text: Value,
    quick: Option<Quick>,
    compiled: OnceLock<Result<Validator, String>>,
}

/// Why a tool is not called.
#[derive(Debug)]
pub(crate) enum Objection {
    /// Its input can't be checked: why, for an error.
    Unchecked(String),
    /// Its input is not what it takes: how, for a result that the model reads.
    Unfit(String),
}

impl Schema {
    pub(crate) fn new(text: Value) -> Self {
        Self { quick: Quick::of(&text), text, compiled: OnceLock::new() }
    }

    /// Checks a tool's input; no input is an empty object.
    ///
    /// Where it had to be read for that, gives what was read.
    pub(crate) fn admit(&self, tool: &str, input: Option<&str>) -> Result<Option<Value>, Objection> {
        if self.quick.as_ref().is_some_and(|quick| quick.admits(input.unwrap_or("{}"))) {
            return Ok(None);
        }
        let validator = self.compiled().map_err(|error| {
            Objection::Unchecked(format!("the input schema of the tool `{tool}` can't be used: {error}"))
        })?;
        let input = match input.map(serde_json::from_str) {
            None | Some(Ok(Value::Null)) => Value::Object(Map::new()),
            Some(Ok(input)) => input,
            Some(Err(error)) => {
                let why = format!("the input of the tool `{tool}` can't be read: {error}");
                return Err(Objection::Unchecked(why));
            }
        };
        match violations::list(validator, &input, "the input itself") {
            None => Ok(Some(input)),
            Some(violations) => Err(Objection::Unfit(format!(
                "The input does not match the schema of the tool `{tool}`; it was not called.{violations}"
            ))),
        }
    }

    pub(super) fn compiled(&self) -> Result<&Validator, &str> {
        // Offline, whatever features another crate turns on: a schema must not make the host fetch anything.
        let compile = || jsonschema::options().offline().build(&self.text).map_err(|error| error.to_string());
        self.compiled.get_or_init(compile).as_ref().map_err(String::as_str)
    }
}
