//! What is noted of a message while the session's lock is held: little, and nothing of most.

use std::time::{Duration, Instant};

use agentwire_control::{Delivery, TurnEnd};
use agentwire_protocol::{
    Block, Message, RawJson, SessionId, System, ToolName, ToolUseId, Uuid,
    message::{Assistant, CommandState, TerminalReason, ToolResultMeta, TurnResult, User},
};

use super::{Outcome, Totals, Verdict};

/// Something that a message says of turns and tool uses.
#[derive(Debug)]
pub(super) struct Note {
    pub(super) at: Instant,
    pub(super) said: Said,
}

#[derive(Debug)]
pub(super) enum Said {
    /// A turn begins, or goes on and says more of itself.
    Turn { session_id: Option<SessionId>, prompts: Vec<Uuid>, model: Option<Box<str>> },
    /// The model wants a tool.
    ToolUse { id: ToolUseId, tool: ToolName, parent: Option<ToolUseId>, input: Option<RawJson> },
    /// A tool use has its result.
    ToolResult { id: ToolUseId, outcome: Outcome, output: Option<RawJson> },
    /// A turn has its result.
    Result { outcome: Outcome, totals: Box<Totals>, output: Option<RawJson> },
    /// A turn has ended without one that could be read.
    TurnLost,
}

/// Takes note of what was delivered; `contents` says whether of inputs and outputs too.
///
/// Pieces of an answer that streams, which are most of all messages, say nothing here.
pub(super) fn take(delivery: &Delivery, contents: bool, mut note: impl FnMut(Said)) {
    match delivery {
        Delivery::Incoming(incoming) => match incoming.message() {
            Some(Message::Assistant(said)) => assistant(said, contents, note),
            Some(Message::User(user)) => tool_results(user, contents, note),
            Some(Message::Result(result)) => note(of_result(result, contents)),
            Some(Message::System(System::Init(init))) => note(Said::Turn {
                session_id: Some(init.session_id.clone()),
                prompts: init.user_message_uuids.clone().unwrap_or_default(),
                model: Some(init.model.clone()),
            }),
            Some(Message::CommandLifecycle(told)) if told.state == CommandState::Started => {
                let prompts = vec![told.command_uuid.clone()];
                note(Said::Turn { session_id: told.session_id.clone(), prompts, model: None });
            }
            _ => {}
        },
        Delivery::TurnEnded(TurnEnd::Unreadable | TurnEnd::Missing | TurnEnd::NoResult) => {
            note(Said::TurnLost);
        }
        _ => {}
    }
}

fn assistant(said: &Assistant, contents: bool, mut note: impl FnMut(Said)) {
    if said.parent_tool_use_id.is_none() {
        let prompts = said.user_message_uuids.clone().unwrap_or_default();
        note(Said::Turn { session_id: said.session_id.clone(), prompts, model: None });
    }
    for block in &said.message.content {
        if let Block::ToolUse(used) = block {
            note(Said::ToolUse {
                id: used.id.clone(),
                tool: used.name.clone(),
                parent: said.parent_tool_use_id.clone(),
                input: contents.then(|| used.input.clone()),
            });
        }
    }
}

fn tool_results(user: &User, contents: bool, mut note: impl FnMut(Said)) {
    for block in user.message.content.blocks() {
        if let Block::ToolResult(result) = block {
            let id = &result.tool_use_id;
            let meta = user.tool_result_meta.iter().flatten().find(|meta| meta.id == *id);
            let outcome = match result.is_error {
                Some(true) => failed_use(meta),
                _ => Outcome::Done,
            };
            let output = result.content.clone().filter(|_| contents);
            note(Said::ToolResult { id: id.clone(), outcome, output });
        }
    }
}

/// What an error result of a tool means: it was refused, interrupted, or has failed.
fn failed_use(meta: Option<&ToolResultMeta>) -> Outcome {
    let decision = meta.and_then(|meta| meta.permission_decision.as_ref());
    let kind = meta.and_then(|meta| meta.non_execution_kind.as_deref());
    match (decision, kind) {
        (Some(decision), _) if &*decision.decision == "reject" => Outcome::Decided(Verdict::Deny),
        // An interrupt is told as if the user had said no, though nobody was asked.
        (None, Some("user-rejected")) => Outcome::Interrupted,
        (_, kind) => Outcome::Error { kind: kind.map(Into::into) },
    }
}

fn of_result(result: &TurnResult, contents: bool) -> Said {
    let reason = result.terminal_reason.as_ref();
    let outcome = match reason {
        Some(TerminalReason::AbortedStreaming | TerminalReason::AbortedTools) => Outcome::Interrupted,
        _ if !result.is_error => Outcome::Done,
        Some(reason) if *reason != TerminalReason::Completed => Outcome::error(reason.as_str()),
        // An error of the API's comes as a success by its subtype.
        _ => Outcome::of_subtype(&result.subtype),
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
    Said::Result { outcome, totals: Box::new(totals), output }
}
