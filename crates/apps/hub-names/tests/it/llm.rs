//! Model-facing forms of tools and calls.

mod definitions;
mod json;
mod section;
mod xml;

use agentwire_hub_names::llm::{CallForm, TextCall, Why, read};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Formats a finding: `server/tool arguments`, `server uri`, or the reason why it is not a call.
fn found(text: &str, form: CallForm) -> Vec<Result<String, Why>> {
    let findings = read(text, form).into_iter();
    findings
        .map(|finding| {
            assert!(text.get(finding.span.clone()).is_some(), "{finding:?}");
            finding.call.map(|call| short(&call)).map_err(|misread| misread.why)
        })
        .collect()
}

fn short(call: &TextCall) -> String {
    match call {
        TextCall::Tool { server, tool, arguments } => {
            let arguments = Value::Object(arguments.clone());
            format!("{}/{tool} {arguments}", server.as_deref().unwrap_or_default())
        }
        TextCall::Resource { server, uri } => format!("{server} {uri}"),
        other => panic!("{other:?}"),
    }
}

/// Findings in a growing text stay in the whole text; nothing is found after an incomplete call.
fn grows_steadily(text: &str, form: CallForm) {
    let whole = read(text, form);
    for (end, _) in text.char_indices() {
        let part = read(&text[..end], form);
        // A line may continue, and a block may grow.
        let settled = |finding: &&agentwire_hub_names::llm::Finding| {
            finding.call.is_ok() && (form == CallForm::Xml || text[finding.span.end..end].contains('\n'))
        };
        for finding in part.iter().filter(settled) {
            assert!(whole.contains(finding), "{finding:?} of {:?} is not in {whole:?}", &text[..end]);
        }
    }
}

/// Generates texts of these words and one more, of white space and of other characters.
fn texts(words: &'static str, more: &'static str) -> impl Strategy<Value = String> {
    let pieces: Vec<_> = words.split(' ').chain([more, " ", "\n"]).collect();
    let piece = prop_oneof![prop::sample::select(pieces).prop_map(str::to_owned), "\\PC{0,5}"];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

#[test]
fn the_native_form_reads_nothing_from_text() {
    let text = json!({"tool": "t", "arguments": {}}).to_string();
    assert_eq!(found(&text, CallForm::Native), []);
    assert_eq!(found(&text, CallForm::Xml), []);
    assert_eq!(found(&text, CallForm::Json), [Ok("/t {}".to_owned())]);
}

#[test]
fn advice_names_the_error_and_the_form() {
    let [finding] = &read("{\"tool\": \"t\", \"args\": {}}", CallForm::Json)[..] else { panic!() };
    let advice = finding.call.as_ref().unwrap_err().advice();
    assert!(
        advice.contains("`args` has no place in it") && advice.contains("{\"tool\": \"NAME OF"),
        "{advice}"
    );
    let [finding] = &read("<use_mcp_tool></use_mcp_tool>", CallForm::Xml)[..] else { panic!() };
    let advice = finding.call.as_ref().unwrap_err().advice();
    assert!(advice.contains("`server_name` is missing") && advice.contains("<tool_name>"), "{advice}");
}
