//! The JSON schemas of a tool's input and output types.

use agentwire_protocol::RawJson;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value};

/// Returns the schema of `I`, or `None` if it is not an object.
pub(crate) fn of_input<I: JsonSchema>() -> Option<Map<String, Value>> {
    object::<I>("input", SchemaSettings::draft2020_12())
}

/// Returns the schema of `T`, or `null` if it is not an object, as structured content must be.
pub(crate) fn of_output<T: JsonSchema>() -> Option<RawJson> {
    RawJson::encode(&object::<T>("output", SchemaSettings::draft2020_12().for_serialize())).ok()
}

fn object<T: JsonSchema>(what: &str, settings: SchemaSettings) -> Option<Map<String, Value>> {
    // `true` and `false` are schemas too.
    let mut object = std::mem::take(settings.into_generator().into_root_schema_for::<T>().ensure_object());
    // The title would name the Rust type to the model.
    object.remove("title");
    object.remove("$schema");
    // The schema of a tagged enum has `oneOf` and no `type`.
    let kind = object.entry("type").or_insert_with(|| "object".into());
    if *kind == "object" || kind.as_array().is_some_and(|kinds| kinds.contains(&"object".into())) {
        // The CLI accepts no other type. An optional map without a value is no structured content.
        *kind = "object".into();
        return Some(object);
    }
    tracing::error!(name = %T::schema_name(), %kind, "a tool's {what} type is not an object: every call will be refused");
    None
}
