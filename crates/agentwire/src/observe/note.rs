//! Records a session's events in its tree of activities.

use std::time::{Duration, Instant};

use agentwire_control::{RawEvent, TurnEnd};
use agentwire_protocol::{
    Block, Message, RawJson, System,
    message::{TerminalReason, ToolResultMeta, TurnResult, User},
};

use super::{ActivityOutcome, Totals, Verdict, activity_tree::ActivityTree};

impl ActivityTree {
    /// Records an event that arrived at this time; `contents` includes inputs and outputs.
    pub(super) fn note(&mut self, at: Instant, event: RawEvent, contents: bool) {
        let RawEvent::Incoming(line, turn) = event else { return };
        if let Some(message) = line.decode().message() {
            if turn.has_begun && turn.end != Some(TurnEnd::Result) {
                let model = match message {
                    Message::System(System::Init(init)) => Some(init.model.clone()),
                    _ => None,
                };
                self.turn(at, message.session_id(), &turn, model);
            }
            match message {
                Message::Assistant(message) => {
                    for used in message.message.content.iter().filter_map(Block::as_tool_use) {
                        self.tool_use(at, used, message.parent_tool_use_id.clone(), contents);
                    }
                }
                Message::User(user) => self.tool_results(at, user, contents),
                Message::Result(result) => self.result(at, result, contents),
                _ => {}
            }
        }
        if matches!(turn.end, Some(TurnEnd::Unreadable | TurnEnd::Missing)) {
            self.end_turn(at, ActivityOutcome::Cut, None, None);
        }
    }

    fn tool_results(&mut self, at: Instant, user: &User, contents: bool) {
        for result in user.message.content.blocks().iter().filter_map(Block::as_tool_result) {
            let id = &result.tool_use_id;
            let meta = user.tool_result_meta.iter().flatten().find(|meta| meta.id == *id);
            let outcome = match result.is_error {
                Some(true) => failed_use(meta),
                _ => ActivityOutcome::Done,
            };
            self.end_tool_use(at, id, outcome, result.content.clone().filter(|_| contents));
        }
    }

    fn result(&mut self, at: Instant, result: &TurnResult, contents: bool) {
        let reason = result.terminal_reason.as_ref();
        let outcome = match reason {
            _ if result.was_aborted() => ActivityOutcome::Interrupted,
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
            cost_usd: result.cost_since_last_result(),
            session_cost_usd: result.total_cost_usd,
        };
        let text = || result.error_text().or_else(|| result.result.clone());
        let output = contents.then(text).flatten().and_then(|text| RawJson::encode(&text).ok());
        if let Some(deferred) = &result.deferred_tool_use {
            self.end_tool_use(at, &deferred.id, ActivityOutcome::Decided(Verdict::Defer), None);
        }
        self.end_turn(at, outcome, output, Some(Box::new(totals)));
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
