//! Tests of the check against a schema.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{
    MAX_ERRORS, MAX_THREADS, MAX_VIOLATIONS, PLAIN_SIZE, REFERENCES, Schema, TIME_LIMIT, Threads, UNBOUNDED,
    Violation, applied,
};

/// Returns the schema of a server of its own.
fn schema(text: Value) -> Schema {
    schema_of(text, &Threads::default())
}

fn schema_of(text: Value, threads: &Threads) -> Schema {
    Schema::new(&Arc::new(text.as_object().unwrap().clone()), threads)
}

#[tokio::test]
async fn all_violations_are_reported_with_their_places() {
    let schema = schema(json!({
        "type": "object", "required": ["path", "mode"], "additionalProperties": false,
        "properties": {"path": {"type": "string"}, "mode": {"type": "string"}, "lines": {
            "type": "array", "items": {"type": "integer", "minimum": 1}}},
    }));
    assert_eq!(schema.violations("t", &json!({"path": "a", "mode": "r", "lines": [1]})).await, []);
    let violations = schema.violations("t", &json!({"path": 5, "lines": [1, 0, "x"]})).await;
    let pointers: Vec<_> = violations.iter().map(|violation| &*violation.pointer).collect();
    for place in ["/path", "/lines/1", "/lines/2", ""] {
        assert!(pointers.contains(&place), "{place}: {violations:?}");
    }
    assert!(violations.iter().any(|violation| violation.to_string().starts_with("\"mode\"")));
}

#[tokio::test]
async fn violations_are_limited_in_number_and_length() {
    let schema = schema(json!({"additionalProperties": {"type": "string", "maxLength": 3}}));
    let many: serde_json::Map<_, _> = (0..100).map(|n| (n.to_string(), json!(n))).collect();
    let violations = schema.violations("t", &Value::Object(many)).await;
    assert_eq!(violations.len(), MAX_VIOLATIONS + 1);
    assert_eq!(violations[MAX_VIOLATIONS].problem, "and more");
    let violations = schema.violations("t", &json!({"long": "x".repeat(100_000)})).await;
    assert!(violations[0].problem.len() < 300, "{}", violations[0].problem.len());
}

#[test]
fn schema_with_unbounded_work_is_not_plain() {
    let of_field = |field: Value| schema(json!({"type": "object", "properties": {"x": {"anyOf": [field]}}}));
    assert!(of_field(json!({"type": "string"})).shared.is_plain);
    for keyword in REFERENCES.into_iter().chain(UNBOUNDED) {
        assert!(!of_field(json!({keyword: "a"})).shared.is_plain, "{keyword}");
    }
    assert!(!of_field(json!({"description": "x".repeat(PLAIN_SIZE)})).shared.is_plain);
}

#[tokio::test]
async fn largest_plain_schema_is_checked_in_time() {
    for of in ["anyOf", "oneOf", "allOf"] {
        let mut nested = json!({"type": "string"});
        for _ in 0..105 {
            nested = json!({of: [{"type": "null"}, nested]});
        }
        let schema = schema(json!({"properties": {"x": {"items": nested}}}));
        assert!(schema.shared.is_plain);
        ended(&schema, &json!({"x": vec!["a"; 1000]})).await;
        assert_ne!(ended(&schema, &json!({"x": vec![1; 2000]})).await, [], "{of}");
    }
}

#[tokio::test]
async fn references_that_multiply_end_in_time_and_are_checked() {
    for (of, reference) in [("allOf", "#/$defs/a"), ("anyOf", "#anchor"), ("oneOf", "#/$defs/a")] {
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
        for value in [json!({"y": 1}), json!({"x": 1})] {
            assert_ne!(ended(&schema, &value).await, [], "{of} {reference}: {value}");
        }
    }
}

#[tokio::test]
async fn hostile_regular_expressions_end_in_time() {
    let value = json!({"x": format!("{}!", "a".repeat(5_000))});
    for pattern in ["^(a+)+$", "^(?=(a+)+b)(a|aa)+$", "^((a|aa)+)\\1$", "(((a{1,100}){1,100}){1,100}){1,100}"]
    {
        let schema = schema(json!({"properties": {"x": {"pattern": pattern}}}));
        assert_ne!(ended(&schema, &value).await, [], "{pattern}");
    }
}

#[tokio::test]
async fn runtime_goes_on_during_a_check() {
    let (schema, value) = (schema(endless()), json!({"x": "text"}));
    tokio::select! {
        biased;
        violations = schema.violations("t", &value) => panic!("the check blocks the runtime: {violations:?}"),
        () = tokio::task::yield_now() => {}
    }
    assert!(schema.violations("t", &value).await[0].problem.contains("in time"));
}

#[tokio::test]
async fn schema_that_is_too_large_is_not_used() {
    let schema = schema(json!({"description": "x".repeat(2 << 20)}));
    let violations = schema.violations("t", &json!({})).await;
    assert!(violations[0].problem.contains("bytes, more than"), "{violations:?}");
    assert!(!schema.is_usable("t").await);
}

#[tokio::test]
async fn references_are_followed() {
    let schema = schema(json!({
        "$defs": {"leaf": {"type": "integer"}, "tree": {"type": "object", "properties": {
            "leaf": {"$ref": "#/$defs/leaf"}, "left": {"$ref": "#/$defs/tree"}, "right": {"$ref": "#/$defs/tree"}}}},
        "properties": {"a": {"$ref": "#/$defs/tree"}, "many": {"type": "array", "items": {"$ref": "#/$defs/leaf"}}},
    }));
    let violations = schema.violations("t", &json!({"a": {"left": {"leaf": "x"}, "right": 1}})).await;
    assert_eq!(violations.len(), 2, "{violations:?}");
}

#[tokio::test]
async fn no_value_is_valid_for_a_schema_that_does_not_compile() {
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
        let violations = schema.violations("t", &json!({"a": 1})).await;
        let [violation] = &violations[..] else { panic!("{text}: {violations:?}") };
        assert!(violation.to_string().starts_with("they can't be checked"), "{text}: {violation}");
        assert!(!schema.is_usable("t").await);
    }
}

fn nested(levels: usize, innermost: Value) -> Value {
    (0..levels).fold(innermost, |inner, _| json!({"x": inner}))
}

/// Validates a value, which must end.
async fn ended(schema: &Schema, value: &Value) -> Vec<Violation> {
    let started = Instant::now();
    let violations = schema.violations("t", value).await;
    assert!(started.elapsed() < LIMIT, "{:?}", started.elapsed());
    violations
}

#[tokio::test]
async fn schema_that_leads_back_to_itself_in_several_ways_ends_in_time() {
    for of in ["allOf", "anyOf", "oneOf"] {
        let again = json!({"$ref": "#/$defs/t"});
        let below = json!({"properties": {"x": again}});
        let target = json!({"type": "object", of: [below, below]});
        let text = json!({"$defs": {"t": target}, "properties": {"x": again}});
        let violations = ended(&schema(text.clone()), &nested(100, json!("no object"))).await;
        assert_eq!(violations.len(), 1, "{of}: {violations:?}");
        assert!(violations[0].problem.contains("too intricate"), "{of}: {violations:?}");
        // Where it takes no time, the place is reported.
        let violations = ended(&schema(text), &nested(1, json!("no object"))).await;
        assert!(violations[0].pointer.starts_with("/x"), "{of}: {violations:?}");
    }
}

#[tokio::test]
async fn long_chain_of_references_does_not_overflow_the_stack() {
    let chain = |length: usize| {
        let next = |level: usize| (level.to_string(), json!({"$ref": format!("#/$defs/{}", level + 1)}));
        let mut defs: serde_json::Map<_, _> = (0..length).map(next).collect();
        defs.insert(length.to_string(), json!({"type": "string"}));
        schema(json!({"$defs": defs, "properties": {"x": {"$ref": "#/$defs/0"}}}))
    };
    assert_eq!(ended(&chain(200), &json!({"x": "text"})).await, []);
    let violations = ended(&chain(200), &nested(120, json!("text"))).await;
    assert!(violations[0].problem.contains("nested too deeply"), "{violations:?}");
    let violations = ended(&chain(20_000), &json!({"x": "text"})).await;
    assert!(violations[0].problem.contains("too many references"), "{violations:?}");
}

/// Returns a schema with references that go around.
fn endless() -> Value {
    let others = |own: usize| -> Vec<_> {
        (0..12)
            .filter(|other| *other != own)
            .map(|other| json!({"$ref": format!("#/$defs/{other}")}))
            .collect()
    };
    let defs: serde_json::Map<_, _> =
        (0..12).map(|own| (own.to_string(), json!({"allOf": others(own)}))).collect();
    json!({"$defs": defs, "required": ["x"], "properties": {"x": {"$ref": "#/$defs/0"}}})
}

#[tokio::test]
async fn schema_whose_references_go_around_ends_in_time() {
    let cyclic = schema(endless());
    // The second time no thread is started, as one still works.
    for limit in [LIMIT, TIME_LIMIT] {
        let started = Instant::now();
        let violations = cyclic.violations("t", &json!({"x": "text"})).await;
        assert!(violations[0].problem.contains("in time"), "{violations:?}");
        assert!(started.elapsed() < limit, "{:?}", started.elapsed());
    }
    // An ordinary recursive schema is not affected.
    let text = json!({
        "type": "object", "properties": {"next": {"$ref": "#/$defs/maybe"}, "n": {"type": "integer"}},
        "$defs": {"maybe": {"anyOf": [{"type": "null"}, {"$ref": "#"}]}},
    });
    assert_eq!(ended(&schema(text.clone()), &json!({"next": {"next": null, "n": 1}})).await, []);
    assert_eq!(ended(&schema(text), &json!({"next": {"next": {"n": "x"}}})).await.len(), 1);
}

#[tokio::test]
async fn late_schemas_of_one_server_do_not_delay_those_of_another() {
    let threads = Threads::default();
    for _ in 0..MAX_THREADS {
        let violations = schema_of(endless(), &threads).violations("t", &json!({"x": "text"})).await;
        assert!(violations[0].problem.contains("in time"), "{violations:?}");
    }
    let (text, value) = (json!({"properties": {"a": {"pattern": "^a$"}}}), json!({"a": "a"}));
    let violations = schema_of(text.clone(), &threads).violations("t", &value).await;
    assert!(violations[0].problem.contains("in time"), "its threads are limited: {violations:?}");
    assert_eq!(schema(text).violations("t", &value).await, []);
}

/// Far more than the time limit, for a loaded machine.
const LIMIT: Duration = Duration::from_secs(20);

#[tokio::test]
async fn search_for_many_violations_of_an_intricate_schema_is_left_out() {
    let nested = (0..38).fold(json!({"type": "string"}), |inner, _| json!({"anyOf": [inner]}));
    let schema = schema(json!({"items": nested}));
    let value = json!(vec![1; 20_000]);
    assert!(!applied::is_within(MAX_ERRORS, &Value::Object((*schema.shared.text).clone()), &value));
    let violations = schema.violations("t", &value).await;
    assert!(violations[0].problem.contains("too intricate"), "{violations:?}");
    assert_eq!(schema.violations("t", &json!(["a"])).await, [], "no thread of this schema works on");
}

#[tokio::test]
async fn repeated_parts_count_in_the_size_of_the_search() {
    let text = json!({"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}],
        "$defs": {"a": {"items": {"$ref": "#"}, "type": "array"}}});
    let nested = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
    let is_within = |levels: usize| applied::is_within(MAX_ERRORS, &text, &nested(levels));
    assert_eq!([0, 3, 12, 17, 100].map(is_within), [true, true, true, false, false]);
    assert_eq!(ended(&schema(text.clone()), &nested(3)).await[0].pointer, "/0/0/0");
    let violations = ended(&schema(text), &nested(17)).await;
    assert!(violations[0].problem.contains("too intricate"), "{violations:?}");
    // Schemas that apply themselves to inner values only.
    let tree = json!({"properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}, "items": {"$ref": "#"}, "$defs": {"unused": {"$ref": "#"}}});
    let value = (0..10).fold(json!("leaf"), |inner, _| json!({"left": inner, "right": [inner]}));
    assert!(applied::is_within(MAX_ERRORS, &tree, &value));
    // A reference that goes around, and one to nothing.
    for target in ["#/properties/x", "#/none"] {
        let text = json!({"properties": {"x": {"$ref": target}, "y": false}});
        assert_ne!(ended(&schema(text), &json!({"x": 1, "y": 1})).await, [], "{target}");
    }
}
