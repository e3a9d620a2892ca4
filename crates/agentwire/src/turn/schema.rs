//! The schema of structured output.

use std::fmt;

use agentwire_protocol::RawJson;
#[cfg(feature = "structured")]
use serde_json::{Value, json};

use crate::{Error, options::LaunchPlan};

/// The schema of the session's `outputFormat`.
pub(crate) struct Schema(#[cfg(feature = "structured")] jsonschema::Validator);

impl Schema {
    /// Returns the schema that the CLI receives, if any. Fails if it is invalid: the CLI would not start with it.
    pub(crate) fn of(plan: &LaunchPlan) -> Result<Option<Self>, Error> {
        written(plan)?.map(|schema| Self::new(&schema)).transpose()
    }

    #[cfg(feature = "structured")]
    fn new(schema: &RawJson) -> Result<Self, Error> {
        let mut schema = schema.decode().map_err(refused)?;
        allow_nulls(&mut schema);
        let draft = jsonschema::Draft::Draft7; // As the CLI reads it.
        // Offline even if another crate enables jsonschema's resolvers, which would block this thread.
        jsonschema::options().with_draft(draft).offline().build(&schema).map(Self).map_err(refused)
    }

    #[cfg(not(feature = "structured"))]
    fn new(_schema: &RawJson) -> Result<Self, Error> {
        Ok(Self())
    }

    /// Returns why the output does not match.
    #[cfg(feature = "structured")]
    pub(crate) fn check(&self, output: &RawJson) -> Result<(), String> {
        let output: Value = output.decode().map_err(|error| error.to_string())?;
        let wrong: Vec<_> = self
            .0
            .iter_errors(&output)
            .take(MAX_MISMATCHES)
            .map(|error| match error.instance_path().to_string() {
                path if path.is_empty() => error.to_string(),
                path => format!("{path}: {error}"),
            })
            .collect();
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) }
    }

    #[cfg(not(feature = "structured"))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "as it is with the feature")]
    pub(crate) fn check(&self, _output: &RawJson) -> Result<(), String> {
        Ok(())
    }
}

/// Adds `null` to each type that is `nullable`, a keyword of the CLI's validator that draft 7 lacks.
#[cfg(feature = "structured")]
fn allow_nulls(schema: &mut Value) {
    if schema["nullable"] == true {
        match schema.get_mut("type") {
            Some(Value::Array(kinds)) if !kinds.contains(&"null".into()) => kinds.push("null".into()),
            Some(kind @ Value::String(_)) if *kind != "null" => *kind = json!([kind, "null"]),
            _ => {}
        }
    }
    let members = schema.as_object_mut().into_iter().flatten();
    members
        .filter(|(name, _)| !["const", "enum"].contains(&&***name))
        .for_each(|(_, part)| allow_nulls(part));
    schema.as_array_mut().into_iter().flatten().for_each(allow_nulls);
}

/// Returns the schema as sent to the CLI: in the handshake or on the command line.
fn written(plan: &LaunchPlan) -> Result<Option<RawJson>, Error> {
    if let Some(schema) = &plan.initialize.json_schema {
        return Ok(Some(schema.clone()));
    }
    let flag = plan.args.iter().find_map(|arg| arg.strip_prefix("--json-schema="));
    flag.map(|text| RawJson::parse(text).map_err(refused)).transpose()
}

fn refused(error: impl fmt::Display) -> Error {
    Error::Options { option: "outputFormat", why: format!("it is not a valid JSON schema: {error}") }
}

agentwire_control::debug_by_name!(Schema);

/// The maximum number of mismatches to report.
#[cfg(feature = "structured")]
const MAX_MISMATCHES: usize = 5;
