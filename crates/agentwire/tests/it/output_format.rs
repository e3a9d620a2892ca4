//! Schemas of structured output: derived schemas, and keywords that the CLI refuses.

use agentwire::{Error, Options, OutputFormat, protocol::RawJson};
use serde_json::{Value, json};

#[test]
fn the_schema_dialect_is_removed() {
    for dialect in ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-04/schema#"]
    {
        let schema = lowered(&json!({"$schema": dialect, "type": "object"})).unwrap();
        assert_eq!(schema, json!({"type": "object"}));
    }
}

#[test]
fn a_keyword_that_the_cli_lacks_is_named_with_its_place() {
    let rows = [
        (json!({"unevaluatedProperties": false}), "/unevaluatedProperties"),
        (json!({"properties": {"a": {"prefixItems": []}}}), "/properties/a/prefixItems"),
        (json!({"items": [{}, {"x-mine": 1}]}), "/items/1/x-mine"),
        (
            json!({"anyOf": [{"definitions": {"B": {"dependentRequired": {}}}}]}),
            "/anyOf/0/definitions/B/dependentRequired",
        ),
        (json!({"not": {"dependencies": {"a": {"$anchor": "b"}}}}), "/not/dependencies/a/$anchor"),
    ];
    for (schema, place) in rows {
        let Err(Error::Options { option: "outputFormat", why }) = lowered(&schema) else {
            panic!("{schema}")
        };
        assert!(why.contains(place), "{why}");
    }
}

#[test]
fn names_that_look_like_keywords_are_accepted() {
    for schema in [
        json!({"properties": {"prefixItems": {"type": "string"}}}),
        json!({"default": {"x-mine": 1}, "const": {"prefixItems": 1}, "enum": [{"y": 1}], "examples": [{"z": 1}]}),
        json!({"dependencies": {"a": ["b"]}, "additionalProperties": false}),
    ] {
        assert_eq!(lowered(&schema).unwrap(), schema);
    }
}

#[test]
fn output_that_is_no_object_is_refused() {
    let Err(Error::Options { why, .. }) = lowered(&json!({"type": "array"})) else { panic!() };
    assert!(why.contains(r#"not with type "array": put it into a struct"#), "{why}");
}

#[cfg(feature = "structured")]
mod types {
    use std::collections::BTreeMap;

    use schemars::JsonSchema;

    use super::*;

    #[expect(dead_code, reason = "only their schemas are used")]
    #[derive(JsonSchema)]
    struct Report {
        /// One line.
        title: String,
        findings: Vec<Finding>,
        counts: BTreeMap<String, u32>,
        place: (f64, f64),
        next: Option<Box<Report>>,
    }

    #[expect(dead_code, reason = "only their schemas are used")]
    #[derive(JsonSchema)]
    #[serde(tag = "kind", rename_all = "snake_case")]
    enum Finding {
        Bug { line: u32, severity: Severity },
        Praise { text: String },
    }

    #[expect(dead_code, reason = "only their schemas are used")]
    #[derive(JsonSchema)]
    enum Severity {
        Low,
        High,
    }

    #[test]
    fn a_type_gives_a_schema_that_the_cli_accepts() {
        let schema = options(OutputFormat::of::<Report>()).unwrap();
        assert_eq!(schema.get("$schema"), None);
        assert_eq!(schema["properties"]["title"]["description"], "One line.");
        assert_eq!(schema["required"], json!(["title", "findings", "counts", "place"]));
    }

    #[test]
    fn an_enum_of_objects_gives_a_schema() {
        let schema = options(OutputFormat::of::<Finding>()).unwrap();
        assert_eq!(schema["oneOf"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn a_list_or_a_text_is_refused() {
        for format in
            [OutputFormat::of::<Vec<Finding>>(), OutputFormat::of::<String>(), OutputFormat::of::<Severity>()]
        {
            assert!(matches!(options(format), Err(Error::Options { option: "outputFormat", .. })));
        }
    }
}

fn lowered(schema: &Value) -> Result<Value, Error> {
    options(OutputFormat::JsonSchema(RawJson::encode(schema).unwrap()))
}

fn options(format: OutputFormat) -> Result<Value, Error> {
    let lowered = Options::new().output_format(format).to_launch_plan()?;
    Ok(lowered.initialize.json_schema.unwrap().decode().unwrap())
}
