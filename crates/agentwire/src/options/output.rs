//! Options of the CLI's output and the format of the answer.

use agentwire_protocol::RawJson;
use serde::{Deserialize, Serialize};

use super::{
    Options,
    launch_plan::{LaunchPlan, MAX_ARGUMENT, refuse},
    output_schema,
};
use crate::Error;

/// The format of the answer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(from = "Json", into = "Json")]
#[non_exhaustive]
pub enum OutputFormat {
    /// JSON that matches this JSON schema; in JSON `{"type": "json_schema", "schema": …}`.
    ///
    /// The CLI reads it as draft 7. `$schema` is removed, because the CLI refuses the name of every other draft. The
    /// CLI also refuses keywords that draft 7 lacks; they are [`Error::Options`] before the start.
    JsonSchema(RawJson),
}

#[cfg(feature = "structured")]
impl OutputFormat {
    /// Returns the format for [`Turn::structured::<T>`](crate::Turn::structured): the JSON schema of `T`.
    ///
    /// `T` must be a struct, or an enum of objects only: the model answers with a JSON object, and a session
    /// with another type fails to start with [`Error::Options`]. An enum with variants that are not objects may
    /// start, but the model can't answer with these.
    #[expect(clippy::expect_used, reason = "a schema is JSON")]
    pub fn of<T: schemars::JsonSchema>() -> Self {
        let generator = schemars::generate::SchemaSettings::draft07().into_generator();
        Self::JsonSchema(RawJson::encode(&generator.into_root_schema_for::<T>()).expect("a schema is JSON"))
    }
}

impl Options {
    /// Adds the format of the answer.
    pub(super) fn output_format_to_cli(&self, plan: &mut LaunchPlan) -> Result<(), Error> {
        let Some(OutputFormat::JsonSchema(schema)) = &self.output_format else { return Ok(()) };
        let schema = output_schema::for_cli(schema).or_else(|why| refuse("outputFormat", why))?;
        // The handshake suffices and has no length limit.
        if schema.as_str().len() <= MAX_ARGUMENT {
            plan.flag("json-schema", Some(schema.as_str()));
        }
        plan.initialize.json_schema = Some(schema);
        Ok(())
    }
}

#[derive(Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Json {
    r#type: Kind,
    schema: RawJson,
}

#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    JsonSchema,
}

impl From<Json> for OutputFormat {
    fn from(json: Json) -> Self {
        Self::JsonSchema(json.schema)
    }
}

impl From<OutputFormat> for Json {
    fn from(format: OutputFormat) -> Self {
        let OutputFormat::JsonSchema(schema) = format;
        Self { r#type: Kind::JsonSchema, schema }
    }
}
