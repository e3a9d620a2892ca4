//! The JSON schemas of a tool's input and output types.

use agentwire_protocol::RawJson;
use rmcp::model::JsonObject;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::Value;

/// The schema of `I`, as an object, which is what a tool's input must be.
pub(crate) fn of_input<I: JsonSchema>() -> JsonObject {
    let generator = SchemaSettings::draft2020_12();
    object(generator.into_generator().into_root_schema_for::<I>().to_value()).unwrap_or_else(|other| {
        let input = I::schema_name();
        tracing::error!(%input, other, "a tool's input type is no object: every call will be refused");
        JsonObject::from_iter([
            ("type".to_owned(), "object".into()),
            ("not".to_owned(), Value::Object(JsonObject::new())),
        ])
    })
}

/// The schema of `T`, as an object, which is what structured content must be; `None` where it is none.
pub(crate) fn of_output<T: JsonSchema>() -> Option<RawJson> {
    let generator = SchemaSettings::draft2020_12().for_serialize();
    let schema = object(generator.into_generator().into_root_schema_for::<T>().to_value());
    let schema = schema.inspect_err(|other| {
        let output = T::schema_name();
        tracing::error!(%output, other, "a tool's output type is no object: every call will give an error");
    });
    RawJson::encode(&schema.ok()?).ok()
}

/// The schema of an object; the type that it describes instead, where it does.
fn object(schema: Value) -> Result<JsonObject, String> {
    let mut object = match schema {
        Value::Object(object) => object,
        // `true` and `false` are schemas too.
        _ => JsonObject::new(),
    };
    // They would name the Rust type to the model.
    object.remove("title");
    object.remove("$schema");
    match object.get("type") {
        Some(Value::String(kind)) if kind == "object" => Ok(object),
        // A tagged enum says `oneOf` alone.
        None => {
            object.insert("type".to_owned(), "object".into());
            Ok(object)
        }
        Some(other) => Err(other.to_string()),
    }
}
