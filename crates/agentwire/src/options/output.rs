//! What the CLI tells, and in which shape the answer comes.

use agentwire_protocol::RawJson;
use serde::{Deserialize, Serialize};

use super::{
    Options,
    argv::Argv,
    lower::{Lower, Lowered, refuse},
    setters::setters,
};
use crate::Error;

/// The shape of the answer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(from = "Json", into = "Json")]
#[non_exhaustive]
pub enum OutputFormat {
    /// JSON that fits this schema, which is a JSON schema; in JSON `{"type": "json_schema", "schema": …}`.
    JsonSchema(RawJson),
}

pub(super) struct Group<'a>(pub(super) &'a Options);

setters! {
    some output_format: OutputFormat;
    on include_partial_messages;
    on include_hook_events;
    on forward_subagent_text;
    on verbatim_prompts;
    on prompt_suggestions;
    on agent_progress_summaries;
    list supported_dialog_kinds: Box<str>;
    on per_task_stop_affordance;
}

impl Lower for Group<'_> {
    fn lower(&self, to: &mut Lowered) -> Result<(), Error> {
        let options = self.0;
        if let Some(OutputFormat::JsonSchema(schema)) = &options.output_format {
            let Ok(schema) = compact(schema) else {
                return refuse("outputFormat", "the CLI takes a JSON object as the schema");
            };
            // The handshake alone suffices, and has no limit of length.
            if schema.as_str().len() <= LONGEST_ARGUMENT {
                to.flag("json-schema", Some(schema.as_str()));
            }
            to.initialize.json_schema = Some(schema);
        }
        let on = |switch: bool| switch.then_some(true);
        to.switch("include-hook-events", options.include_hook_events);
        to.switch("include-partial-messages", options.include_partial_messages);
        to.initialize.forward_subagent_text = on(options.forward_subagent_text);
        to.initialize.prompt_suggestions = on(options.prompt_suggestions);
        to.initialize.agent_progress_summaries = on(options.agent_progress_summaries);
        to.initialize.per_task_stop_affordance = on(options.per_task_stop_affordance);
        to.initialize.supported_dialog_kinds.clone_from(&options.supported_dialog_kinds);
        to.client_composed = options.verbatim_prompts;
        Ok(())
    }
}

/// The object without spaces and line breaks: a frame is one line.
pub(super) fn compact(object: &RawJson) -> Result<RawJson, Error> {
    let read: Result<std::collections::BTreeMap<Box<str>, serde_json::Value>, _> = object.decode();
    let value: Option<serde_json::Value> = read.ok().and_then(|_| object.decode().ok());
    match value.and_then(|value| RawJson::encode(&value).ok()) {
        Some(object) => Ok(object),
        None => refuse("", "it is no JSON object"),
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

/// Linux takes 128 KiB an argument, Windows 32 KiB for all of them.
pub(super) const LONGEST_ARGUMENT: usize = 8 * 1024;
