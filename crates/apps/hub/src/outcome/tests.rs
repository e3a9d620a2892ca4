//! Tests of the bounds of outcomes.

use rmcp::model::{CallToolResult, CompletionInfo, ErrorData, GetPromptResult, ReadResourceResult};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{
    CallOutcome, MAX_FREE_METADATA, bounded_contents, bounded_error, bounded_prompt, bounded_values,
};
use crate::{CallLimits, size::size};

fn read<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

fn fits(limits: &CallLimits, result: &impl Serialize) {
    // The text limit applies to text and to structured content; the rest is free metadata and notes.
    let most = 2 * limits.text + limits.media + MAX_FREE_METADATA + 20_000;
    assert!(size(result) <= most, "{} > {most}", size(result));
}

#[test]
fn every_part_of_an_outcome_is_limited() {
    let limits = CallLimits { text: 10_000, media: 10_000, ..CallLimits::default() };
    let large = json!({"m": "x".repeat(20_000)});
    let all = vec![large.clone(); 10];
    let uri = format!("test://{}", "x".repeat(5000));
    for block in [
        json!({"type": "text", "text": ""}),
        json!({"type": "text", "text": "", "_meta": large}),
        json!({"type": "text", "text": "", "annotations": {"audience": vec!["user"; 500]}}),
        json!({"type": "image", "data": "", "mimeType": "x".repeat(5000)}),
        json!({"type": "audio", "data": "x", "mimeType": "y", "_meta": large}),
        json!({"type": "resource", "resource": {"uri": uri, "text": ""}}),
        json!({"type": "resource", "resource": {"uri": uri, "blob": "x".repeat(1000), "mimeType": uri}}),
        json!({"type": "resource_link", "uri": uri, "name": "n"}),
    ] {
        let count = if block.to_string().len() < 100 { 3000 } else { 30 };
        let content = vec![block.clone(); count];
        let result: CallToolResult =
            read(json!({"content": content, "structuredContent": vec![1.5e300; 3], "_meta": {"all": all}}));
        let outcome = CallOutcome::bounded(result, &limits);
        assert!(outcome.left_out.is_some(), "{block}");
        fits(&limits, &CallToolResult::from(outcome));
        let messages: Vec<_> =
            content.into_iter().map(|block| json!({"role": "user", "content": block})).collect();
        let description = "d".repeat(20_000);
        let prompt: GetPromptResult =
            read(json!({"description": description, "messages": messages, "_meta": {"all": all}}));
        fits(&limits, &bounded_prompt(prompt, &limits));
    }
    for contents in [
        json!({"uri": "", "text": ""}),
        json!({"uri": uri, "text": "", "mimeType": uri, "_meta": large}),
        json!({"uri": uri, "blob": "x".repeat(1000)}),
    ] {
        let count = if contents.to_string().len() < 100 { 3000 } else { 30 };
        let contents = vec![contents; count];
        let result: ReadResourceResult = read(json!({"contents": contents, "_meta": {"all": all}}));
        fits(&limits, &bounded_contents(result, &limits));
    }
}

#[test]
fn data_without_room_for_its_metadata_counts_as_media() {
    let limits = CallLimits { text: 100, ..CallLimits::default() };
    let resource = json!({"uri": "x".repeat(2 * MAX_FREE_METADATA), "blob": "AAAA"});
    let content = json!([{"type": "resource", "resource": resource}]);
    let outcome = CallOutcome::bounded(read::<CallToolResult>(json!({"content": content})), &limits);
    let left_out = outcome.left_out.unwrap();
    assert_eq!(left_out.media, 4);
    assert!(left_out.text > 2 * MAX_FREE_METADATA, "{left_out:?}");
}

#[test]
fn completions_and_errors_are_limited() {
    let limits = CallLimits { text: 100, ..CallLimits::default() };
    let values: CompletionInfo = read(json!({"values": vec!["x".repeat(1000); 1000]}));
    let bounded = bounded_values(values, &limits);
    assert_eq!((bounded.values.len(), bounded.has_more), (63, Some(true)));
    let few: CompletionInfo = read(json!({"values": ["a", "b"]}));
    assert_eq!(bounded_values(few.clone(), &limits), few);
    let error = |long: usize| -> ErrorData {
        read(json!({"code": -1, "message": "m".repeat(long), "data": {"d": "x".repeat(long)}}))
    };
    let bounded = bounded_error(error(100_000));
    assert!(bounded.message.len() < 17_000 && bounded.data.is_none());
    assert_eq!(bounded_error(error(1000)), error(1000));
}
