//! Structured output into a type of one's own.

use agentwire::{
    OutputFormat, Session,
    mcp::schemars::{self, JsonSchema},
    protocol::RawJson,
};
use serde::Deserialize;
use serde_json::json;

use super::place::{Place, turn};

#[derive(Debug, Deserialize, JsonSchema, PartialEq)]
struct Review {
    verdict: Verdict,
    findings: Vec<Finding>,
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Accept,
    Reject,
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq)]
struct Finding {
    line: u32,
    text: Option<String>,
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn output_arrives_as_the_type() {
    let place = Place::scripted(
        r#"{"replies": [{"blocks": [{"tool_use": {"name": "StructuredOutput",
            "input": {"verdict": "reject", "findings": [{"line": 3}]}}}]}, {"blocks": [{"text": "done"}]}]}"#,
    )
    .await;
    let options = place.options().output_format(OutputFormat::of::<Review>());
    let mut session = Session::connect(options).await.unwrap();
    let review: Review = session.ask("Review it.").await.unwrap().structured().await.unwrap();
    assert_eq!(review, Review { verdict: Verdict::Reject, findings: vec![Finding { line: 3, text: None }] });
    session.close().await.unwrap();
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn a_retry_asks_for_output_that_the_model_left_out() {
    let text = r#"{"blocks": [{"text": "It is fine."}]}"#;
    let place = Place::scripted(&format!(
        r#"{{"replies": [{text}, {text}, {text}, {text}, {text}, {text}, {text}, {text},
            {{"blocks": [{{"tool_use": {{"name": "StructuredOutput", "input": {{"verdict": "accept", "findings": []}}}}}}]}},
            {text}]}}"#,
    ))
    .await;
    let options = place.options().output_format(OutputFormat::of::<Review>());
    let mut session = Session::connect(options).await.unwrap();
    let turn = session.ask("Review it.").await.unwrap();
    let review: Review = turn.structured_retrying(8).await.unwrap();
    assert_eq!(review, Review { verdict: Verdict::Accept, findings: vec![] });
    session.close().await.unwrap();
}

/// Checks the list of accepted keywords with the CLI, which exits if it does not know one.
#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn every_accepted_keyword_is_known_to_the_cli() {
    let place = Place::scripted(r#"{"replies": [{"blocks": [{"text": "hi"}]}]}"#).await;
    let schema = json!({
        "$comment": "", "$defs": {"A": {}}, "$id": "https://example.com/a", "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": {"B": {}}, "additionalProperties": {}, "default": {}, "dependencies": {"a": ["b"]},
        "deprecated": false, "description": "", "examples": [{}], "maxProperties": 9, "minProperties": 0,
        "patternProperties": {"^z": {}}, "propertyNames": {}, "readOnly": false, "required": [], "title": "",
        "type": "object", "writeOnly": false, "allOf": [{}], "anyOf": [{}], "oneOf": [{}], "not": {"const": 1},
        "if": {}, "then": {}, "else": {},
        "properties": {
            "list": {"type": "array", "items": [{}], "additionalItems": {}, "contains": {}, "maxItems": 9, "minItems": 1,
                "uniqueItems": true},
            "number": {"type": "number", "exclusiveMaximum": 9, "exclusiveMinimum": 0, "maximum": 9, "minimum": 0,
                "multipleOf": 1},
            "text": {"type": "string", "contentEncoding": "base64", "contentMediaType": "text/plain", "enum": ["a"],
                "format": "date", "maxLength": 9, "minLength": 0, "pattern": "^a", "nullable": true},
            "same": {"$ref": "#/definitions/B"},
        },
    });
    let format = OutputFormat::JsonSchema(RawJson::encode(&schema).unwrap());
    turn(Session::builder().options(place.options().output_format(format)), "Hello.").await;
}
