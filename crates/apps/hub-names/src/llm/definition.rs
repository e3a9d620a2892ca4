//! Tools in the form that an API takes.

use serde_json::{Value, json};

use super::schema;
use crate::NamedTool;

/// A tool in the form of the Messages API: `name`, `description` and `input_schema`.
///
/// The API takes no schema with `$ref`, `allOf`, `anyOf`, `oneOf`, `not` or `enum` at its root, and wants
/// `"type": "object"`.
/// Where there is one, the properties of all its branches are offered and none beyond what each branch requires is
/// required; what was taken out stands in the schema's `description`.
/// It refuses property names other than 1 to 64 of `A-Z a-z 0-9 _ . -`: such are taken out, and told of there too.
/// Everything else is as the server wrote it.
/// A call is checked against the server's own schema, whatever the model was shown.
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

/// A tool in OpenAI's function form: `{"type": "function", "function": {"name", "description", "parameters"}}`.
///
/// The schema is as for [`messages_definition`], with an empty `items` in each array that says nothing of its items,
/// which that API wants; the description is cut to the 1,024 characters that it takes.
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

/// The characters of a description that OpenAI's API takes.
const LONGEST: usize = 1_024;
