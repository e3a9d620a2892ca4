//! Tool definitions for the APIs.

use std::{sync::Arc, thread, time::Duration};

use agentwire_hub_names::{
    NamedTool,
    llm::{messages_definition, openai_definition},
};
use rmcp::model::Tool;
use serde_json::{Value, json};

use crate::cpu;

fn tool(schema: Value) -> NamedTool {
    let Value::Object(schema) = schema else { panic!("{schema}") };
    NamedTool::new("mcp__s__t", "s", Tool::new("t", "What it does.", Arc::new(schema)))
}

fn input(schema: Value) -> Value {
    messages_definition(&tool(schema))["input_schema"].clone()
}

fn parameters(schema: Value) -> Value {
    openai_definition(&tool(schema))["function"]["parameters"].clone()
}

#[test]
fn each_api_has_its_form() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]});
    let tool = tool(schema.clone());
    assert_eq!(
        messages_definition(&tool),
        json!({"name": "mcp__s__t", "description": "What it does.", "input_schema": schema})
    );
    assert_eq!(
        openai_definition(&tool),
        json!({"type": "function", "function": {
            "name": "mcp__s__t", "description": "What it does.", "parameters": schema
        }})
    );
    let mut silent = tool;
    silent.tool.description = None;
    assert!(messages_definition(&silent).get("description").is_none());
    assert!(openai_definition(&silent)["function"].get("description").is_none());
}

#[test]
fn acceptable_schemas_are_unchanged() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "title": "T",
        "properties": {
            "a": {"anyOf": [{"type": "string", "format": "uri"}, {"type": "null"}], "default": null},
            "b": {"$ref": "#/$defs/B"},
            "items": {"type": ["array", "null"], "items": {"const": 1}},
        },
        "$defs": {"B": {"type": "object"}},
        "additionalProperties": false,
        "x-own": [1],
    });
    assert_eq!(input(schema.clone()), schema);
    assert_eq!(parameters(schema.clone()), schema);
}

#[test]
fn a_root_is_an_object_with_properties() {
    for schema in [
        json!({}),
        json!({"type": "object"}),
        json!({"type": ["object", "null"]}),
        json!({"properties": null}),
    ] {
        let root = json!({"type": "object", "properties": {}});
        assert_eq!((input(schema.clone()), parameters(schema)), (root.clone(), root));
    }
}

#[test]
fn branches_at_the_root_become_properties_with_a_description() {
    let schema = json!({
        "type": "object",
        "description": "Which.",
        "properties": {"all": {"type": "boolean"}},
        "required": ["all"],
        "oneOf": [
            {"properties": {"id": {"type": "integer"}, "kind": {"const": "a"}}, "required": ["id", "kind"]},
            {"properties": {"name": {"type": "string"}, "kind": {"const": "b"}}, "required": ["kind", "name"]},
        ],
        "allOf": [{"$ref": "#/$defs/more"}],
        "$defs": {"more": {"properties": {"deep": {}}, "required": ["deep"]}},
    });
    let root = input(schema.clone());
    assert_eq!(parameters(schema.clone()), root);
    assert_eq!(root["required"], json!(["all", "deep", "kind"]));
    let properties: Vec<_> = root["properties"].as_object().unwrap().keys().collect();
    assert_eq!(properties, ["all", "deep", "id", "kind", "name"]);
    assert!(root.get("oneOf").is_none() && root.get("allOf").is_none());
    let description = root["description"].as_str().unwrap();
    assert!(
        description.starts_with("Which.\n\n") && description.contains(&schema["oneOf"].to_string()),
        "{description}"
    );
}

#[test]
fn references_at_the_root_are_followed_without_cycles() {
    let schema = json!({"$ref": "#/$defs/T", "$defs": {"T": {"type": "object", "properties": {"a": {}}, "required": ["a"]}}});
    let root = input(schema);
    assert_eq!((&root["properties"], &root["required"]), (&json!({"a": {}}), &json!(["a"])));
    let circle = json!({"$ref": "#/$defs/A", "$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}, {"properties": {"x": {}}}]}}});
    assert_eq!(input(circle)["properties"], json!({"x": {}}));
    for reference in ["#", "#/$defs/none", "https://example.com/schema", ""] {
        assert_eq!(input(json!({"$ref": reference}))["properties"], json!({}));
    }
}

#[test]
fn openai_gets_items_in_every_array_and_short_descriptions() {
    let array = json!({"type": "array"});
    let named = json!({"type": "array", "items": {}});
    let schema = |array: &Value| {
        json!({
            "type": "object",
            "properties": {
                "a": array,
                "type": {"type": "string", "default": {"type": "array"}},
                "b": {"anyOf": [array, {"type": "null"}]},
                "c": {"type": "array", "items": array},
                "enum": {"enum": [{"type": "array"}]},
            },
            "$defs": {"D": array},
        })
    };
    assert_eq!(parameters(schema(&array)), schema(&named));
    assert_eq!(input(schema(&array)), schema(&array));
    let mut long = tool(json!({}));
    long.tool.description = Some("ä".repeat(1_025).into());
    let cut = openai_definition(&long)["function"]["description"].as_str().unwrap().to_owned();
    assert_eq!((cut.chars().count(), cut.chars().last()), (1_024, Some('…')));
    long.tool.description = Some("ä".repeat(1_024).into());
    assert_eq!(openai_definition(&long)["function"]["description"], "ä".repeat(1_024));
    assert_eq!(messages_definition(&long)["description"], "ä".repeat(1_024));
}

#[test]
fn chains_of_references_cost_little() {
    let both =
        |to: usize| json!({"anyOf": [{"$ref": format!("#/$defs/{to}")}, {"$ref": format!("#/$defs/{to}")}]});
    let mut defs: serde_json::Map<_, _> = (0..20_000).map(|at| (at.to_string(), both(at + 1))).collect();
    defs.insert("3".to_owned(), json!({"properties": {"a": {}}, "anyOf": both(4)["anyOf"]}));
    let root = input(json!({"anyOf": both(0)["anyOf"], "$defs": defs}));
    assert_eq!(root["properties"], json!({"a": {}}));
}

#[test]
fn many_required_properties_take_little_time() {
    let began = cpu::time();
    let names: Vec<_> = (0..100_000).map(|at| format!("p{at}")).collect();
    let branch = json!({ "required": names });
    let root = input(json!({"required": names, "anyOf": [branch, branch]}));
    assert_eq!(root["required"], json!(names));
    let mut branches = vec![json!({"required": ["a"]}); 10_000];
    branches[0] = json!({"required": vec!["a"; 100_000]});
    assert_eq!(input(json!({ "anyOf": branches }))["required"], json!(["a"]));
    let took = cpu::time() - began;
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[test]
fn references_to_deep_branches_take_little_stack() {
    let deep = |at: usize| {
        let next = json!({"$ref": format!("#/$defs/d{}", at + 1)});
        (format!("d{at}"), (0..57).fold(next, |inner, _| json!({"allOf": [inner]})))
    };
    let defs: serde_json::Map<_, _> = (0..63).map(deep).collect();
    let schema = json!({"properties": {"a": {}}, "$ref": "#/$defs/d0", "$defs": defs});
    // As much as a worker of tokio has.
    let worker = thread::Builder::new().stack_size(2 << 20).spawn(move || input(schema));
    assert_eq!(worker.unwrap().join().unwrap()["properties"], json!({"a": {}}));
}

#[test]
fn refused_properties_move_to_the_description() {
    let schema =
        json!({"properties": {"a": {}, "b c": {"type": "string"}, "": {}}, "required": ["a", "b c"]});
    let root = input(schema);
    assert_eq!((&root["properties"], &root["required"]), (&json!({"a": {}}), &json!(["a"])));
    assert!(root["description"].as_str().unwrap().contains("\"b c\":{\"type\":\"string\"}"), "{root}");
}

#[test]
fn many_references_take_little_time_and_no_stack() {
    let began = cpu::time();
    let level = |at: usize| {
        let next = json!({"$ref": format!("#/$defs/d{}", at + 1)});
        (
            format!("d{at}"),
            json!({"allOf": [next, next], "properties": {format!("p{at}"): {}}, "required": ["r"]}),
        )
    };
    let levels: serde_json::Map<_, _> = (0..40).map(level).collect();
    let wide = input(json!({"type": "object", "$ref": "#/$defs/d0", "$defs": levels}));
    assert_eq!(wide["properties"].as_object().unwrap().len(), 40);
    assert_eq!(wide["required"], json!(["r"]));
    let link = |at: usize| (format!("d{at}"), json!({"$ref": format!("#/$defs/d{}", at + 1)}));
    let chain: serde_json::Map<_, _> = (0..100_000).map(link).collect();
    let long = input(json!({"type": "object", "$ref": "#/$defs/d0", "$defs": chain}));
    assert_eq!(long["properties"], json!({}));
    let took = cpu::time() - began;
    assert!(took < Duration::from_secs(5), "{took:?}");
}
