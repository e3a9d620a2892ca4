//! Small declarations, and what comes of them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Sampler, parse};

fn samples(text: &str, name: &str) -> Vec<Value> {
    let declared = parse(text);
    Sampler::new(&declared, BTreeMap::new()).of(name)
}

#[test]
fn an_object_has_a_full_sample_and_one_without_what_is_optional() {
    let text = "/** With a comment: { ' */ export declare type A = { a: string; b?: number; // more\n readonly c: B[]; d(): void };
        declare interface B { x: true | null; 'y-z'?: Record<string, boolean>; [k: string]: unknown }";
    assert_eq!(
        samples(text, "A"),
        [
            json!({"a": "text", "b": 1, "c": [
                {"x": true, "y-z": {"any_0": true}, "any_0": {"any_free": 1}},
                {"x": null, "y-z": {"any_0": true}, "any_0": {"any_free": 1}},
            ]}),
            json!({"a": "text", "c": []}),
        ]
    );
}

#[test]
fn each_arm_of_a_union_is_sampled_and_sets_of_strings_are_noted() {
    let text = "type A = Base & ({ kind: 'x'; set: 'p' | 'q' } | { kind: 'y' }); type Base = { id: UUID };";
    let declared = parse(text);
    let mut sampler = Sampler::new(&declared, BTreeMap::new());
    let samples = sampler.of("A");
    assert_eq!(samples[0], json!({"id": "text", "kind": "x", "set": "p"}));
    assert!(samples.contains(&json!({"id": "text", "kind": "x", "set": "q"})));
    assert!(samples.contains(&json!({"id": "text", "kind": "y"})));
    assert_eq!(sampler.sets.into_values().collect::<Vec<_>>(), ["A.set"]);
}

#[test]
fn helpers_of_the_language_and_of_zod_are_applied() {
    let text = "declare const S: () => z.ZodObject<{ a: z.ZodOptional<z.ZodArray<z.ZodString>>; e: z.ZodEnum<{ x: \"x\"; y: \"y\" }> }, z.core.$strip>;
        export declare type T = z.infer<ReturnType<typeof S>>;
        type O = Omit<P, 'b'> & Pick<P, 'b'>; type P = { a: core.Q; b: 1 }; type Q = NonNullable<P2['z']>; type P2 = { z: 'v' | null };
        type R = { again?: R[]; f: (x: { y: string }) => void };";
    assert_eq!(samples(text, "T")[..2], [json!({"a": ["text"], "e": "x"}), json!({"a": ["text"], "e": "y"})]);
    assert_eq!(samples(text, "O"), [json!({"a": "v", "b": 1})]);
    assert_eq!(samples(text, "R")[0]["again"], json!([]));
}

#[test]
fn classes_functions_and_namespaces_are_stepped_over() {
    let text = "declare class C { a: string; m(): { b: 1 } } declare function f(x: { type: 'q' }): void; \
        declare namespace n { export { A } } export declare type A = 'a';";
    assert_eq!(parse(text).keys().collect::<Vec<_>>(), ["A"]);
    assert_eq!(samples(text, "A"), [json!("a")]);
}
