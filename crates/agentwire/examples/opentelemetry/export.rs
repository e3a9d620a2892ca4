//! Exports observations as OpenTelemetry spans, with the names of the conventions for generative AI and MCP where they
//! exist.
//!
//! The conventions are still in development, so this is an example to adapt and not part of the crate.

use std::collections::HashMap;

use agentwire::{Activity, ActivityOutcome, Began, Ended, Observation, Observations, RawJson, Totals};
use opentelemetry::{
    Context, KeyValue,
    trace::{SpanKind, Status, TraceContextExt, Tracer},
};
use serde_json::{Value, json};

/// Creates a span for each activity.
pub(crate) struct Export<T> {
    tracer: T,
    /// The spans of open activities, by number.
    open: HashMap<u64, Context>,
}

impl<T: Tracer> Export<T>
where
    T::Span: Send + Sync + 'static,
{
    /// Creates an exporter with this tracer; the session's span becomes a child of the current span.
    pub(crate) fn new(tracer: T) -> Self {
        Self { tracer, open: HashMap::new() }
    }

    /// Runs until the end of the session.
    pub(crate) async fn run(mut self, mut observations: Observations) {
        while let Some(observation) = observations.next().await {
            self.take(&observation);
        }
    }

    fn take(&mut self, observation: &Observation) {
        match observation {
            Observation::Began(began) => self.begin(began),
            Observation::Ended(ended) => self.end(ended),
            // Ends without a span may follow; they are ignored.
            Observation::Lagged(lost) => {
                for context in self.open.values() {
                    context.span().add_event("lost", vec![KeyValue::new("count", lost.to_string())]);
                }
            }
            _ => {}
        }
    }

    fn begin(&mut self, began: &Began) {
        let parent = began.parent.and_then(|parent| self.open.get(&parent).cloned());
        let (name, kind, mut attributes) = describe(&began.activity);
        if let Some(id) = &began.session_id {
            attributes.push(KeyValue::new("gen_ai.conversation.id", id.to_string()));
        }
        attributes.extend(began.input.iter().map(|input| describe_input(&began.activity, input)));
        let span = self.tracer.span_builder(name).with_kind(kind).with_start_time(began.at);
        let span = span.with_attributes(attributes);
        let parent = parent.unwrap_or_else(Context::current);
        let span = span.start_with_context(&self.tracer, &parent);
        self.open.insert(began.id, parent.with_span(span));
    }

    fn end(&mut self, ended: &Ended) {
        let Some(context) = self.open.remove(&ended.began.id) else { return };
        let span = context.span();
        span.set_attribute(KeyValue::new("agentwire.outcome", ended.outcome.as_str()));
        span.set_attributes(ended.output.iter().map(|output| describe_output(ended, output)));
        if let Some(totals) = &ended.totals {
            span.set_attributes(usage(totals));
        }
        if let Activity::Turn { model: Some(model), .. } = &ended.began.activity {
            span.set_attribute(KeyValue::new("gen_ai.request.model", model.to_string()));
        }
        if ended.began.activity == Activity::Session
            && let Some(id) = &ended.session_id
        {
            span.set_attribute(KeyValue::new("gen_ai.conversation.id", id.to_string()));
        }
        if ended.outcome.is_fault() {
            let (kind, text) = fault(&ended.outcome);
            if matches!(ended.began.activity, Activity::Mcp { .. }) && kind.parse::<i64>().is_ok() {
                span.set_attribute(KeyValue::new("rpc.response.status_code", kind.clone()));
            }
            span.set_attribute(KeyValue::new("error.type", kind));
            span.set_status(Status::error(text));
        }
        span.end_with_timestamp(ended.at);
    }
}

/// Returns the name, the kind and the attributes of a span.
fn describe(activity: &Activity) -> (String, SpanKind, Vec<KeyValue>) {
    let text = |name: &'static str, value: &str| KeyValue::new(name, value.to_owned());
    let mut attributes = Vec::new();
    let mut kind = SpanKind::Internal;
    let name = match activity {
        Activity::Turn { .. } => {
            attributes.push(text("gen_ai.operation.name", "invoke_agent"));
            attributes.push(text("gen_ai.provider.name", "anthropic"));
            attributes.push(text("gen_ai.agent.name", AGENT));
            format!("invoke_agent {AGENT}")
        }
        Activity::ToolUse { id, tool, .. } => {
            attributes.push(text("gen_ai.operation.name", "execute_tool"));
            attributes.push(text("gen_ai.tool.name", tool));
            attributes.push(text("gen_ai.tool.call.id", id.as_str()));
            format!("execute_tool {tool}")
        }
        Activity::Hook { callback_id, event, .. } => {
            attributes.push(text("agentwire.hook.callback_id", callback_id));
            attributes.extend(event.iter().map(|event| text("agentwire.hook.event", event)));
            format!("hook {}", event.as_deref().unwrap_or(callback_id))
        }
        Activity::Permission { tool, tool_use_id, .. } => {
            attributes.push(text("gen_ai.tool.name", tool));
            attributes.push(text("gen_ai.tool.call.id", tool_use_id.as_str()));
            format!("permission {tool}")
        }
        Activity::Mcp { server, method, jsonrpc_id, tool, .. } => {
            kind = SpanKind::Server;
            attributes.push(text("agentwire.mcp.server", server));
            attributes.extend(method.iter().map(|method| text("mcp.method.name", method)));
            attributes.extend(jsonrpc_id.iter().map(|id| text("jsonrpc.request.id", id.trim_matches('"'))));
            attributes.extend(tool.iter().map(|tool| text("gen_ai.tool.name", tool)));
            attributes.extend(tool.iter().map(|_| text("gen_ai.operation.name", "execute_tool")));
            let words = [Some(method.as_deref().unwrap_or("response")), tool.as_deref()];
            words.into_iter().flatten().collect::<Vec<_>>().join(" ")
        }
        other => other.name().to_owned(),
    };
    (name, kind, attributes)
}

/// Returns the attribute for an input, if contents are observed.
fn describe_input(activity: &Activity, input: &RawJson) -> KeyValue {
    match activity {
        Activity::ToolUse { .. } => KeyValue::new("gen_ai.tool.call.arguments", input.to_string()),
        Activity::Turn { .. } => {
            let message = json!({"role": "user", "parts": parts(&value(input))});
            KeyValue::new("gen_ai.input.messages", json!([message]).to_string())
        }
        _ => KeyValue::new("agentwire.input", input.to_string()),
    }
}

/// Returns the attribute for an output, if contents are observed.
fn describe_output(ended: &Ended, output: &RawJson) -> KeyValue {
    match ended.began.activity {
        Activity::ToolUse { .. } => KeyValue::new("gen_ai.tool.call.result", output.to_string()),
        Activity::Turn { .. } => {
            let reason = if ended.outcome == ActivityOutcome::Done { "stop" } else { "error" };
            let message =
                json!({"role": "assistant", "parts": parts(&value(output)), "finish_reason": reason});
            KeyValue::new("gen_ai.output.messages", json!([message]).to_string())
        }
        _ => KeyValue::new("agentwire.output", output.to_string()),
    }
}

fn value(contents: &RawJson) -> Value {
    contents.decode().unwrap_or_default()
}

/// Converts a text, a content block or a list of them to the parts of a message; the contents of several prompts are
/// lists in a list.
pub(crate) fn parts(contents: &Value) -> Vec<Value> {
    match contents {
        Value::Array(contents) => contents.iter().flat_map(parts).collect(),
        Value::String(text) => vec![json!({"type": "text", "content": text})],
        block if block["type"] == "text" => vec![json!({"type": "text", "content": block["text"]})],
        // The conventions accept parts of any other type.
        block => vec![block.clone()],
    }
}

/// The conventions count cached tokens as input tokens.
fn usage(totals: &Totals) -> Vec<KeyValue> {
    let Some(usage) = &totals.usage else { return Vec::new() };
    let count =
        |name: &'static str, tokens: u64| KeyValue::new(name, i64::try_from(tokens).unwrap_or(i64::MAX));
    let read = usage.cache_read_input_tokens.unwrap_or_default();
    let made = usage.cache_creation_input_tokens.unwrap_or_default();
    vec![
        count("gen_ai.usage.input_tokens", usage.input_tokens.saturating_add(read).saturating_add(made)),
        count("gen_ai.usage.output_tokens", usage.output_tokens),
        count("gen_ai.usage.cache_read.input_tokens", read),
        count("gen_ai.usage.cache_creation.input_tokens", made),
    ]
}

/// Returns the kind and the description of a fault.
fn fault(outcome: &ActivityOutcome) -> (String, String) {
    match outcome {
        // An MCP tool that returned an error.
        ActivityOutcome::Error { kind: Some(kind), .. } if **kind == *"tool" => {
            ("tool_error".to_owned(), String::new())
        }
        ActivityOutcome::Error { kind: Some(kind), .. } => (kind.to_string(), String::new()),
        ActivityOutcome::Failed { failure, reason, .. } => {
            (format!("handler_{}", failure.as_str()), reason.as_deref().unwrap_or_default().to_owned())
        }
        other => (other.as_str().to_owned(), String::new()),
    }
}

const AGENT: &str = "claude-code";
