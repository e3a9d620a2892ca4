//! Tool definitions for the APIs.

use serde_json::{Value, json};

use super::schema;
use crate::NamedTool;

/// Returns a tool definition for the Messages API: `name`, `description` and `input_schema`.
///
/// The API requires `"type": "object"` at the root of the schema and refuses `$ref`, `allOf`, `anyOf`, `oneOf`, `not`
/// and `enum` there.
/// Such a root offers the properties of all its branches, and requires only what every branch requires; the
/// schema's `description` contains the removed keywords.
/// The API also refuses property names other than 1 to 64 of `A-Z a-z 0-9 _ . -`; they move to the description too.
/// Everything else is unchanged.
/// The hub checks calls against the original schema of the server.
pub fn messages_definition(tool: &NamedTool) -> Value {
    let mut definition = json!({
        "name": &*tool.name,
        "input_schema": schema::rooted(&tool.tool.input_schema),
    });
    if let Some(description) = &tool.tool.description {
        definition["description"] = Value::from(&**description);
    }
    definition
}

/// Returns a tool definition in OpenAI's function form: `{"type": "function", "function": {"name", "description",
/// "parameters"}}`.
///
/// The schema is as in [`messages_definition`], with an empty `items` added to arrays without one, as the API
/// requires. The description is cut to 1,024 characters.
pub fn openai_definition(tool: &NamedTool) -> Value {
    let mut parameters = schema::rooted(&tool.tool.input_schema);
    schema::name_items(&mut parameters);
    let mut function = json!({ "name": &*tool.name, "parameters": parameters });
    if let Some(description) = &tool.tool.description {
        function["description"] = Value::from(cut(description));
    }
    json!({ "type": "function", "function": function })
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some(_) => text.chars().take(LONGEST - 1).chain(['…']).collect(),
    }
}

/// The longest description that OpenAI's API accepts, in characters.
const LONGEST: usize = 1_024;
