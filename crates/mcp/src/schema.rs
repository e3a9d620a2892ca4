//! The JSON schemas of a tool's input and output types.

use agentwire_protocol::RawJson;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// Returns the schema of `I`, which must be an object.
///
/// Any other type yields a schema that refuses every call.
pub(crate) fn of_input<I: JsonSchema>() -> Map<String, Value> {
    object::<I>(SchemaSettings::draft2020_12()).unwrap_or_else(|other| {
        let input = I::schema_name();
        tracing::error!(%input, other, "a tool's input type is no object: every call will be refused");
        Map::from_iter([("type".to_owned(), json!("object")), ("not".to_owned(), json!({}))])
    })
}

/// Returns the schema of `T`, or `None` if it is not an object, as structured content must be.
pub(crate) fn of_output<T: JsonSchema>() -> Option<RawJson> {
    let schema = object::<T>(SchemaSettings::draft2020_12().for_serialize());
    let schema = schema.inspect_err(|other| {
        let output = T::schema_name();
        tracing::error!(%output, other, "a tool's output type is no object: every call will give an error");
    });
    RawJson::encode(&schema.ok()?).ok()
}

/// Returns the schema of a type that is an object, or the `type` in the schema of another one.
fn object<T: JsonSchema>(settings: SchemaSettings) -> Result<Map<String, Value>, String> {
    let mut object = match settings.into_generator().into_root_schema_for::<T>().to_value() {
        Value::Object(object) => object,
        // `true` and `false` are schemas too.
        _ => Map::new(),
    };
    // The title would name the Rust type to the model.
    object.remove("title");
    object.remove("$schema");
    // The schema of a tagged enum has `oneOf` and no `type`.
    let kind = object.entry("type").or_insert_with(|| "object".into());
    if *kind == "object" { Ok(object) } else { Err(kind.to_string()) }
}
