//! Small declarations and their samples.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Sampler, example};

fn samples(name: &str) -> Vec<Value> {
    Sampler::new(&example(), BTreeMap::new()).of(name)
}

#[test]
fn object_has_a_full_sample_and_one_without_optional_fields() {
    assert_eq!(
        samples("Fields"),
        [
            json!({"a": "text", "b": 1, "c": [
                {"x": true, "y-z": {"any_0": true}},
                {"x": null, "y-z": {"any_0": true}},
            ]}),
            json!({"a": "text", "c": []}),
        ]
    );
}

#[test]
fn each_arm_of_a_union_is_sampled_and_sets_of_strings_are_noted() {
    let declared = example();
    let mut sampler = Sampler::new(&declared, BTreeMap::new());
    let samples = sampler.of("Arms");
    assert_eq!(samples[0], json!({"id": "text", "kind": "x", "set": "p"}));
    assert!(samples.contains(&json!({"id": "text", "kind": "x", "set": "q"})));
    assert!(samples.contains(&json!({"id": "text", "kind": "y"})));
    assert_eq!(sampler.sets.into_values().collect::<Vec<_>>(), ["Arms.set"]);
}

#[test]
fn helpers_of_the_language_and_of_zod_are_applied() {
    assert_eq!(samples("Zod")[..2], [json!({"a": ["text"], "e": "x"}), json!({"a": ["text"], "e": "y"})]);
    assert_eq!(samples("Helpers"), [json!({"a": "v", "b": 1})]);
    assert_eq!(samples("Recursive")[0]["again"], json!([]));
    assert_eq!(samples("Tuple"), [json!({"t": [1, "text"]}), json!({"t": []})]);
}

#[test]
fn classes_and_functions_are_skipped() {
    assert!(example().keys().all(|name| !name.eq_ignore_ascii_case("skipped")));
}
