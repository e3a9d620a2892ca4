//! Activities as `tracing` spans.

use std::time::Duration;

use agentwire_control::panics::truncated;
use agentwire_protocol::{RawJson, SessionId, ToolUseId, Uuid};
use tracing::{Span, dispatcher, field::Empty, info_span};

use super::{Activity, ActivityOutcome, Totals};

/// Opens the span of an activity, as a child of its parent; the parent of a session is the current span.
///
/// All spans of a session go to the subscriber of its first span: another would not know their parents.
pub(super) fn open(activity: &Activity, parent: Option<&Span>, session_id: Option<&SessionId>) -> Span {
    let Some(parent) = parent else { return session() };
    let Some(dispatch) = parent.with_subscriber(|(_, dispatch)| dispatch.clone()) else {
        return Span::none();
    };
    dispatcher::with_default(&dispatch, || part(activity, parent, session_id.map_or("", SessionId::as_str)))
}

/// Records the outcome.
pub(super) fn close(
    span: &Span,
    activity: &Activity,
    outcome: &ActivityOutcome,
    took: Duration,
    totals: Option<&Totals>,
) {
    if span.is_disabled() {
        return;
    }
    span.record("outcome", outcome.as_str());
    span.record("duration_us", u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
    match outcome {
        ActivityOutcome::Error { kind: Some(kind) } => {
            span.record("error", &**kind);
        }
        ActivityOutcome::Failed { failure, reason } => {
            span.record("error", failure.as_str());
            span.record("reason", reason.as_deref());
        }
        _ => {}
    }
    if outcome.is_fault() {
        span.record("otel.status_code", "ERROR");
    }
    let Some(totals) = totals else { return };
    // Exporters write a field that is recorded twice as two.
    if !matches!(activity, Activity::Turn { prompts, .. } if *prompts == totals.prompts) {
        span.record("prompts", joined(&totals.prompts));
    }
    span.record("subtype", totals.subtype.as_str());
    span.record("terminal_reason", totals.terminal_reason.as_ref().map(|reason| reason.as_str()));
    span.record("rounds", totals.rounds);
    span.record("cost_usd", totals.cost_usd);
    span.record("session_cost_usd", totals.session_cost_usd);
    if let Some(usage) = &totals.usage {
        span.record("input_tokens", usage.input_tokens);
        span.record("output_tokens", usage.output_tokens);
        span.record("cache_read_input_tokens", usage.cache_read_input_tokens.unwrap_or_default());
        span.record("cache_creation_input_tokens", usage.cache_creation_input_tokens.unwrap_or_default());
    }
}

/// Records the input or output, truncated if it is long.
pub(super) fn contents(span: &Span, field: &str, contents: Option<&RawJson>) {
    if let Some(contents) = contents
        && !span.is_disabled()
    {
        span.record(field, &*truncated(contents.as_str(), MAX_CONTENT));
    }
}

fn session() -> Span {
    info_span!(
        target: TARGET, "session", session_id = Empty, outcome = Empty, error = Empty, duration_us = Empty,
        otel.status_code = Empty,
    )
}

/// Creates a span with these fields and the common ones.
macro_rules! part {
    ($parent:expr, $name:literal, $($fields:tt)*) => {
        info_span!(
            target: TARGET, parent: $parent, $name, $($fields)*, outcome = Empty, error = Empty, reason = Empty,
            duration_us = Empty, input = Empty, output = Empty, otel.status_code = Empty
        )
    };
}

fn part(activity: &Activity, parent: &Span, session_id: &str) -> Span {
    match activity {
        Activity::Session => session(),
        Activity::Turn { number, prompts, model } => part!(
            parent,
            "turn",
            number,
            session_id,
            prompts = joined(prompts),
            model = model.as_deref(),
            subtype = Empty,
            terminal_reason = Empty,
            rounds = Empty,
            cost_usd = Empty,
            session_cost_usd = Empty,
            input_tokens = Empty,
            output_tokens = Empty,
            cache_read_input_tokens = Empty,
            cache_creation_input_tokens = Empty
        ),
        Activity::ToolUse { id, tool, parent_tool_use_id } => part!(
            parent,
            "tool_use",
            tool_use_id = id.as_str(),
            tool = &**tool,
            parent_tool_use_id = parent_tool_use_id.as_ref().map(ToolUseId::as_str)
        ),
        Activity::Hook { request_id, callback_id, event, tool_use_id } => part!(
            parent,
            "hook",
            request_id = request_id.as_str(),
            callback_id = &**callback_id,
            event = event.as_deref(),
            tool_use_id = tool_use_id.as_ref().map(ToolUseId::as_str)
        ),
        Activity::Permission { request_id, tool_use_id, tool, agent_id } => part!(
            parent,
            "permission",
            request_id = request_id.as_str(),
            tool_use_id = tool_use_id.as_str(),
            tool = &**tool,
            agent_id = agent_id.as_deref()
        ),
        Activity::Mcp { request_id, server, method, jsonrpc_id, tool, tool_use_id } => part!(
            parent,
            "mcp",
            request_id = request_id.as_str(),
            server = &**server,
            method = method.as_deref(),
            jsonrpc_id = jsonrpc_id.as_deref(),
            tool = tool.as_deref(),
            tool_use_id = tool_use_id.as_ref().map(ToolUseId::as_str)
        ),
        Activity::Elicitation { request_id, server } => {
            part!(parent, "elicitation", request_id = request_id.as_str(), server = &**server)
        }
        Activity::Dialog { request_id, kind, tool_use_id } => part!(
            parent,
            "dialog",
            request_id = request_id.as_str(),
            kind = &**kind,
            tool_use_id = tool_use_id.as_ref().map(ToolUseId::as_str)
        ),
        Activity::Request { request_id, subtype } => {
            part!(parent, "request", request_id = request_id.as_str(), subtype = &**subtype)
        }
    }
}

fn joined(prompts: &[Uuid]) -> String {
    prompts.iter().map(Uuid::as_str).collect::<Vec<_>>().join(",")
}

/// The target of all spans.
const TARGET: &str = "agentwire";
/// The limit of content bytes in a span.
const MAX_CONTENT: usize = 16 << 10;
