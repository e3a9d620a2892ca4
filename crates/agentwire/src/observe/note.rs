//! Extracts observations from a session's events.

use std::{sync::Arc, time::Duration};

use agentwire_control::{RawEvent, TurnEnd, TurnInfo};
use agentwire_protocol::{
    Block, Message, RawJson, SessionId, System, ToolName, ToolUseId,
    message::{Assistant, TerminalReason, ToolResultMeta, TurnResult, User},
};

use super::{ActivityOutcome, Totals, Verdict};

#[derive(Debug)]
pub(super) enum Event {
    /// A turn begins or continues, perhaps with more details.
    Turn { session_id: Option<SessionId>, turn: Arc<TurnInfo>, model: Option<Box<str>> },
    /// The model requests a tool.
    ToolUse { id: ToolUseId, tool: ToolName, parent: Option<ToolUseId>, input: Option<RawJson> },
    /// A tool use has its result.
    ToolResult { id: ToolUseId, outcome: ActivityOutcome, output: Option<RawJson> },
    /// A turn has its result.
    Result { outcome: ActivityOutcome, totals: Box<Totals>, output: Option<RawJson> },
    /// A turn has ended without a readable result.
    TurnLost,
}

/// Extracts observations from an event; `contents` includes inputs and outputs.
pub(super) fn take(event: RawEvent, contents: bool, mut note: impl FnMut(Event)) {
    let RawEvent::Incoming(line, turn) = event else { return };
    let (has_begun, end) = (turn.has_begun, turn.end);
    if let Some(message) = line.decode().message() {
        if has_begun && end != Some(TurnEnd::Result) {
            let model = match message {
                Message::System(System::Init(init)) => Some(init.model.clone()),
                _ => None,
            };
            note(Event::Turn { session_id: message.session_id(), turn, model });
        }
        match message {
            Message::Assistant(message) => tool_uses(message, contents, &mut note),
            Message::User(user) => tool_results(user, contents, &mut note),
            Message::Result(result) => note(of_result(result, contents)),
            _ => {}
        }
    }
    if matches!(end, Some(TurnEnd::Unreadable | TurnEnd::Missing)) {
        note(Event::TurnLost);
    }
}

fn tool_uses(message: &Assistant, contents: bool, mut note: impl FnMut(Event)) {
    for block in &message.message.content {
        if let Block::ToolUse(used) = block {
            note(Event::ToolUse {
                id: used.id.clone(),
                tool: used.name.clone(),
                parent: message.parent_tool_use_id.clone(),
                input: contents.then(|| used.input.clone()),
            });
        }
    }
}

fn tool_results(user: &User, contents: bool, mut note: impl FnMut(Event)) {
    for block in user.message.content.blocks() {
        if let Block::ToolResult(result) = block {
            let id = &result.tool_use_id;
            let meta = user.tool_result_meta.iter().flatten().find(|meta| meta.id == *id);
            let outcome = match result.is_error {
                Some(true) => failed_use(meta),
                _ => ActivityOutcome::Done,
            };
            let output = result.content.clone().filter(|_| contents);
            note(Event::ToolResult { id: id.clone(), outcome, output });
        }
    }
}

/// Returns the meaning of a tool's error result: denied, interrupted or failed.
fn failed_use(meta: Option<&ToolResultMeta>) -> ActivityOutcome {
    let decision = meta.and_then(|meta| meta.permission_decision.as_ref());
    let kind = meta.and_then(|meta| meta.non_execution_kind.as_deref());
    match (decision, kind) {
        (Some(decision), _) if &*decision.decision == "reject" => ActivityOutcome::Decided(Verdict::Deny),
        // The CLI reports an interrupt like a rejection by the user, but without a permission decision.
        (None, Some("user-rejected")) => ActivityOutcome::Interrupted,
        (_, kind) => ActivityOutcome::Error { kind: kind.map(Into::into) },
    }
}

fn of_result(result: &TurnResult, contents: bool) -> Event {
    let reason = result.terminal_reason.as_ref();
    let outcome = match reason {
        Some(TerminalReason::AbortedStreaming | TerminalReason::AbortedTools) => ActivityOutcome::Interrupted,
        _ if !result.is_error => ActivityOutcome::Done,
        Some(reason) if *reason != TerminalReason::Completed => ActivityOutcome::error(reason.as_str()),
        // API errors have the subtype `success`.
        _ => ActivityOutcome::of_subtype(&result.subtype),
    };
    let mut prompts = result.user_message_uuids.clone().unwrap_or_default();
    prompts.extend(result.user_message_uuid.clone().filter(|prompt| !prompts.contains(prompt)));
    let totals = Totals {
        prompts,
        subtype: result.subtype.clone(),
        terminal_reason: result.terminal_reason.clone(),
        rounds: result.num_turns,
        api: Duration::from_millis(result.duration_api_ms),
        usage: result.usage.clone(),
        session_cost_usd: result.total_cost_usd,
    };
    let text = || result.error_text().or_else(|| result.result.clone());
    let output = contents.then(text).flatten().and_then(|text| RawJson::encode(&text).ok());
    Event::Result { outcome, totals: Box::new(totals), output }
}
