//! The spans of the example `opentelemetry` for the quickstart's session.

#[expect(clippy::print_stdout, reason = "it is a part of a program for people")]
#[path = "../../examples/quickstart/callbacks.rs"]
mod callbacks;
#[path = "../../examples/opentelemetry/export.rs"]
mod export;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use agentwire::{Options, Session};
use agentwire_testkit::{Replay, Transcript};
use opentelemetry::trace::{SpanId, Status, TracerProvider};
use opentelemetry_sdk::{
    error::OTelSdkResult,
    trace::{SdkTracerProvider, SpanData, SpanExporter},
};
use serde_json::{Value, json};

#[derive(Clone, Debug, Default)]
struct Kept(Arc<Mutex<Vec<SpanData>>>);

impl SpanExporter for Kept {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        self.0.lock().unwrap().extend(batch);
        Ok(())
    }
}

/// Returns the spans as a tree with their outcomes.
fn tree(spans: &[SpanData], parent: SpanId, depth: usize) -> Vec<String> {
    let mut below: Vec<_> = spans.iter().filter(|span| span.parent_span_id == parent).collect();
    below.sort_by_key(|span| span.start_time);
    let lines = below.into_iter().flat_map(|span| {
        assert!(span.start_time <= span.end_time);
        let line = format!("{}{} {}", "  ".repeat(depth), span.name, attribute(span, "agentwire.outcome"));
        [line].into_iter().chain(tree(spans, span.span_context.span_id(), depth + 1))
    });
    lines.collect()
}

fn attribute(span: &SpanData, name: &str) -> String {
    let found = span.attributes.iter().find(|attribute| attribute.key.as_str() == name);
    found.map(|attribute| attribute.value.to_string()).unwrap_or_default()
}

/// Returns the spans of the recorded session.
async fn exported(contents: bool) -> Vec<SpanData> {
    let kept = Kept::default();
    let provider = SdkTracerProvider::builder().with_simple_exporter(kept.clone()).build();
    let recording = include_bytes!("../../examples/quickstart/session.transcript");
    let builder = Session::builder();
    let builder = if contents { builder.observe_contents() } else { builder };
    let mut session = builder
        .options(Options::new().include_partial_messages().allowed_tools(["mcp__weather__forecast"]))
        .hooks(callbacks::hooks())
        .permissions(callbacks::permissions())
        // The recording contains the manifests: they arrive even on a slow machine.
        .mcp_servers(callbacks::mcp_servers().manifest_limit(Duration::from_secs(30)))
        .transport(Replay::new(&Transcript::parse(recording).unwrap()))
        .connect()
        .await
        .unwrap();
    let export = export::Export::new(provider.tracer("agentwire"));
    let exporting = tokio::spawn(export.run(session.observe()));
    let prompt = "What is the weather in Lisbon tomorrow? Keep it in note.txt.";
    session.ask(prompt).await.unwrap().finish().await.unwrap();
    session.close().await.unwrap();
    exporting.await.unwrap();
    let spans = kept.0.lock().unwrap();
    spans.clone()
}

#[tokio::test]
async fn the_recorded_session_becomes_a_tree_of_spans() {
    let spans = exported(false).await;
    let lines = tree(&spans, SpanId::INVALID, 0);
    assert_eq!(lines.len(), spans.len(), "{lines:#?}");
    let turn = lines.iter().position(|line| line.starts_with("  invoke_agent")).unwrap();
    assert_eq!(lines[0], "session done");
    assert_eq!(
        lines[turn..],
        [
            "  invoke_agent claude-code done",
            "    execute_tool Bash deny",
            "      hook PreToolUse deny",
            "    execute_tool mcp__weather__forecast done",
            "      tools/call forecast done",
            "    execute_tool Write done",
            "      permission Write allow",
        ]
    );
    let span = |name: &str| spans.iter().find(|span| span.name == name).unwrap();
    let turn = span("invoke_agent claude-code");
    assert_eq!(attribute(turn, "gen_ai.operation.name"), "invoke_agent");
    assert_eq!(attribute(turn, "gen_ai.provider.name"), "anthropic");
    assert_ne!(attribute(turn, "gen_ai.usage.input_tokens"), "");
    assert_ne!(attribute(turn, "gen_ai.request.model"), "");
    let id = attribute(span("session"), "gen_ai.conversation.id");
    assert!(!id.is_empty());
    assert_eq!(attribute(span("execute_tool Bash"), "gen_ai.conversation.id"), id);
    let call = span("tools/call forecast");
    assert_eq!(attribute(call, "mcp.method.name"), "tools/call");
    assert_eq!(attribute(call, "gen_ai.tool.name"), "forecast");
    assert_eq!(attribute(call, "gen_ai.operation.name"), "execute_tool");
    assert!(spans.iter().all(|span| span.status == Status::Unset));
    assert!(!format!("{spans:?}").contains("Lisbon"), "contents are hidden by default");
}

#[tokio::test]
async fn the_contents_of_a_turn_are_messages_of_the_conventions() {
    let spans = exported(true).await;
    let turn = spans.iter().find(|span| span.name == "invoke_agent claude-code").unwrap();
    let output: Value = serde_json::from_str(&attribute(turn, "gen_ai.output.messages")).unwrap();
    let [message] = &output.as_array().unwrap()[..] else { panic!("{output}") };
    assert_eq!((&message["role"], &message["finish_reason"]), (&json!("assistant"), &json!("stop")));
    assert_eq!(message["parts"][0]["type"], "text", "{output}");
    assert!(message["parts"][0]["content"].is_string(), "{output}");

    let text = |text: &str| json!({"type": "text", "content": text});
    let image = json!({"type": "image", "source": {}});
    let blocks = json!([{"type": "text", "text": "b"}, image]);
    assert_eq!(export::parts(&json!("a")), [text("a")]);
    assert_eq!(export::parts(&blocks), [text("b"), image.clone()]);
    assert_eq!(export::parts(&json!(["a", blocks])), [text("a"), text("b"), image]);
}
