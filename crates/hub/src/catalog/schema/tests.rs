//! Tests of the check against a schema.

use std::{
    sync::{Arc, mpsc},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{MAX_VIOLATIONS, Schema, Violation};

fn schema(text: Value) -> Schema {
    Schema::new(&Arc::new(text.as_object().unwrap().clone()))
}

#[test]
fn everything_wrong_is_told_at_once_and_where() {
    let schema = schema(json!({
        "type": "object", "required": ["path", "mode"], "additionalProperties": false,
        "properties": {"path": {"type": "string"}, "mode": {"type": "string"}, "lines": {
            "type": "array", "items": {"type": "integer", "minimum": 1}}},
    }));
    assert_eq!(schema.violations("t", &json!({"path": "a", "mode": "r", "lines": [1]})), []);
    let violations = schema.violations("t", &json!({"path": 5, "lines": [1, 0, "x"]}));
    let pointers: Vec<_> = violations.iter().map(|violation| &*violation.pointer).collect();
    for place in ["/path", "/lines/1", "/lines/2", ""] {
        assert!(pointers.contains(&place), "{place}: {violations:?}");
    }
    assert!(violations.iter().any(|violation| violation.to_string().starts_with("\"mode\"")));
}

#[test]
fn what_is_told_has_bounds() {
    let schema = schema(json!({"additionalProperties": {"type": "string", "maxLength": 3}}));
    let many: serde_json::Map<_, _> = (0..100).map(|n| (n.to_string(), json!(n))).collect();
    let violations = schema.violations("t", &Value::Object(many));
    assert_eq!(violations.len(), MAX_VIOLATIONS + 1);
    assert_eq!(violations[MAX_VIOLATIONS].problem, "and more");
    let violations = schema.violations("t", &json!({"long": "x".repeat(100_000)}));
    assert!(violations[0].problem.len() < 300, "{}", violations[0].problem.len());
}

#[test]
fn references_that_multiply_take_no_time() {
    let started = Instant::now();
    for (of, reference) in ["allOf", "anyOf", "oneOf"]
        .into_iter()
        .flat_map(|of| ["#/$defs/a", "#anchor"].map(|reference| (of, reference)))
    {
        let next = |level: usize| json!({"$ref": format!("{reference}{level}")});
        let mut defs = serde_json::Map::new();
        for level in 0..30 {
            let twice = [next(level + 1), next(level + 1)];
            defs.insert(format!("a{level}"), json!({"$anchor": format!("anchor{level}"), of: twice}));
        }
        defs.insert("a30".to_owned(), json!({"$anchor": "anchor30", "type": "string"}));
        let schema = schema(json!({
            "type": "object", "required": ["x"], "$defs": defs, "properties": {"x": next(0), "y": {"type": "null"}},
        }));
        for value in [json!({"y": 1}), json!({"x": "fits"}), json!({"x": 1})] {
            let [violation] = &schema.violations("t", &value)[..] else {
                panic!("{of} {reference}: {value}")
            };
            assert!(violation.problem.contains("its references multiply"), "{of} {reference}: {violation}");
        }
        assert!(!schema.is_usable("t"));
    }
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn references_are_followed_where_they_are_few_and_only_the_first_error_is_looked_for_in_much() {
    let schema = schema(json!({
        "$defs": {"leaf": {"type": "integer"}, "tree": {"type": "object", "properties": {
            "leaf": {"$ref": "#/$defs/leaf"}, "left": {"$ref": "#/$defs/tree"}, "right": {"$ref": "#/$defs/tree"}}}},
        "properties": {"a": {"$ref": "#/$defs/tree"}, "many": {"type": "array", "items": {"$ref": "#/$defs/leaf"}}},
    }));
    let violations = schema.violations("t", &json!({"a": {"left": {"leaf": "x"}, "right": 1}}));
    assert_eq!(violations.len(), 2, "{violations:?}");
    let violations = schema.violations("t", &json!({"many": vec!["x"; 1_000_000]}));
    assert_eq!((violations.len(), &*violations[0].pointer), (1, "/many/0"));
}

#[test]
fn nothing_fits_a_schema_that_does_not_compile() {
    for text in [
        json!({"type": "strin"}),
        json!({"$ref": "https://example.com/schema.json"}),
        json!({"$ref": "file:///etc/passwd"}),
        json!({"properties": {"a": {"$ref": "#/$defs/none"}}}),
        json!({"properties": {"b": {"items": {"$ref": "#none"}}}}),
        json!({"properties": {"b": {"$dynamicRef": "#/nowhere"}}}),
        json!({"properties": {"b": {"pattern": "("}}}),
        json!({"$schema": "https://example.com/draft", "type": "object"}),
    ] {
        let schema = schema(text.clone());
        let violations = schema.violations("t", &json!({"a": 1}));
        let [violation] = &violations[..] else { panic!("{text}: {violations:?}") };
        assert!(violation.to_string().starts_with("they can't be checked"), "{text}: {violation}");
        assert!(!schema.is_usable("t"));
    }
}

/// As [`Schema::violations`], which must come to an end.
fn ended(text: Value, value: Value) -> Vec<Violation> {
    let (sender, found) = mpsc::channel();
    // It would hold up the test for ever.
    thread::spawn(move || sender.send(schema(text).violations("t", &value)));
    found.recv_timeout(Duration::from_secs(30)).unwrap()
}

fn nested(levels: usize, innermost: Value) -> Value {
    (0..levels).fold(innermost, |inner, _| json!({"x": inner}))
}

#[test]
fn a_schema_that_leads_back_to_itself_in_several_ways_takes_no_longer_and_is_not_passed() {
    let drafts = [
        ("https://json-schema.org/draft/2020-12/schema", json!({"$ref": "#/$defs/t"})),
        ("https://json-schema.org/draft/2020-12/schema", json!({"$ref": "#anchor"})),
        ("https://json-schema.org/draft/2020-12/schema", json!({"$dynamicRef": "#anchor"})),
        ("http://json-schema.org/draft-07/schema#", json!({"$ref": "#/$defs/t"})),
    ];
    for (draft, again) in drafts {
        for of in ["allOf", "anyOf", "oneOf"] {
            let below = json!({"properties": {"x": again}});
            let mut ways = vec![below.clone(), below];
            if draft.contains("2020") {
                ways.push(json!({"unevaluatedProperties": again}));
            }
            let target = json!({"$anchor": "anchor", "type": "object", of: ways});
            let text = json!({"$schema": draft, "$defs": {"t": target}, "properties": {"x": again}});
            let violations = ended(text.clone(), nested(100, json!("no object")));
            assert_eq!(violations.len(), 1, "{draft} {of} {again}: {violations:?}");
            assert!(violations[0].problem.contains("too intricate"), "{draft} {of} {again}: {violations:?}");
            // Where it takes no time, it is told.
            let violations = ended(text, nested(1, json!("no object")));
            assert!(violations[0].pointer.starts_with("/x"), "{draft} {of} {again}: {violations:?}");
        }
    }
    let again = json!({"$recursiveRef": "#"});
    let below = json!({"properties": {"x": again}});
    let text = json!({
        "$schema": "https://json-schema.org/draft/2019-09/schema", "type": "object", "anyOf": [below, below],
    });
    assert!(ended(text, nested(100, json!("no object")))[0].problem.contains("too intricate"));
}

#[test]
fn a_schema_whose_references_go_around_without_going_on_is_not_used() {
    let others = |own: usize| -> Vec<_> {
        (0..12)
            .filter(|other| *other != own)
            .map(|other| json!({"$ref": format!("#/$defs/{other}")}))
            .collect()
    };
    let defs: serde_json::Map<_, _> =
        (0..12).map(|own| (own.to_string(), json!({"allOf": others(own)}))).collect();
    let text = json!({"$defs": defs, "required": ["x"], "properties": {"x": {"$ref": "#/$defs/0"}}});
    for value in [json!({"x": "text"}), json!({"y": 1})] {
        assert!(ended(text.clone(), value)[0].problem.contains("its references multiply"));
    }
    // One that can be left out leads back to all of it, and to no more.
    let text = json!({
        "type": "object", "properties": {"next": {"$ref": "#/$defs/maybe"}, "n": {"type": "integer"}},
        "$defs": {"maybe": {"anyOf": [{"type": "null"}, {"$ref": "#"}]}},
    });
    assert_eq!(ended(text.clone(), json!({"next": {"next": null, "n": 1}})), []);
    assert_eq!(ended(text, json!({"next": {"next": {"n": "x"}}})).len(), 1);
}

#[test]
fn what_is_too_much_to_be_checked_does_not_fit() {
    let choices: Vec<_> = (0..5000).map(|n| json!({"const": n})).collect();
    let text = json!({"properties": {"many": {"items": {"anyOf": choices}}}});
    assert_eq!(ended(text.clone(), json!({"many": [1, 4999]})), []);
    let violations = ended(text, json!({"many": vec![4999; 100_000]}));
    assert!(violations[0].problem.contains("too much"), "{violations:?}");
}
