//! The subset of JSON schema that the CLI accepts for `outputFormat`.

use agentwire_protocol::RawJson;
use serde_json::{Map, Value};

/// Returns the schema for the CLI: compact, because a frame is one line, and without `$schema`.
///
/// CLI 2.1.330 reads schemas as draft 7 in strict mode: it refuses every other `$schema` and every unknown keyword.
/// It reports this only for `--json-schema`; it silently ignores such a schema in the handshake.
/// The error is the reason why the CLI would refuse the schema, or the API its type.
pub(super) fn for_cli(schema: &RawJson) -> Result<RawJson, String> {
    let Ok(Value::Object(mut schema)) = schema.decode() else {
        return Err("the CLI takes a JSON object as the schema".to_owned());
    };
    schema.remove("$schema");
    if let Some(kind) = schema.get("type").filter(|kind| **kind != "object") {
        return Err(format!("the model answers with an object, not with type {kind}: put it into a struct"));
    }
    check_keywords(&schema, "")?;
    RawJson::encode(&schema).map_err(|error| error.to_string())
}

fn check_keywords(schema: &Map<String, Value>, path: &str) -> Result<(), String> {
    for (keyword, value) in schema {
        let path = format!("{path}/{keyword}");
        match keyword.as_str() {
            "$comment" | "$id" | "$ref" | "$schema" | "const" | "contentEncoding" | "contentMediaType"
            | "default" | "deprecated" | "description" | "enum" | "examples" | "exclusiveMaximum"
            | "exclusiveMinimum" | "format" | "maxItems" | "maxLength" | "maxProperties" | "maximum"
            | "minItems" | "minLength" | "minProperties" | "minimum" | "multipleOf" | "nullable"
            | "pattern" | "readOnly" | "required" | "title" | "type" | "uniqueItems" | "writeOnly" => {}
            "additionalItems"
            | "additionalProperties"
            | "allOf"
            | "anyOf"
            | "contains"
            | "else"
            | "if"
            | "items"
            | "not"
            | "oneOf"
            | "propertyNames"
            | "then" => check_schemas(value, &path)?,
            "$defs" | "definitions" | "dependencies" | "patternProperties" | "properties" => {
                for (name, schema) in value.as_object().into_iter().flatten() {
                    check_schemas(schema, &format!("{path}/{name}"))?;
                }
            }
            _ => {
                return Err(format!(
                    "the CLI does not accept the keyword at {path}: it reads JSON schema draft 7"
                ));
            }
        }
    }
    Ok(())
}

/// Checks a schema, or each schema of a list.
fn check_schemas(value: &Value, path: &str) -> Result<(), String> {
    match value {
        Value::Object(schema) => check_keywords(schema, path),
        Value::Array(schemas) => schemas
            .iter()
            .enumerate()
            .try_for_each(|(at, schema)| check_schemas(schema, &format!("{path}/{at}"))),
        _ => Ok(()),
    }
}
