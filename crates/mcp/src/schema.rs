//! The JSON schema of a tool's input type.

use rmcp::model::JsonObject;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::Value;

/// The schema of `I`, as an object, which is what a tool's input must be.
pub(crate) fn of<I: JsonSchema>() -> JsonObject {
    let schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<I>();
    let mut object = match schema.to_value() {
        Value::Object(object) => object,
        // `true` and `false` are schemas too.
        _ => JsonObject::new(),
    };
    // They would name the Rust type to the model.
    object.remove("title");
    object.remove("$schema");
    match object.get("type").and_then(Value::as_str) {
        Some("object") => object,
        // A tagged enum says `oneOf` alone.
        None => {
            object.insert("type".to_owned(), "object".into());
            object
        }
        Some(other) => {
            let input = I::schema_name();
            tracing::error!(%input, other, "a tool's input type is no object: every call will be refused");
            JsonObject::from_iter([
                ("type".to_owned(), "object".into()),
                ("not".to_owned(), Value::Object(JsonObject::new())),
            ])
        }
    }
}
