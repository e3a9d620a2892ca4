//! The prompts that wait for an answer, and how their turns ended. No I/O.

use std::collections::VecDeque;

use agent_client_protocol::{Error, v1::schema::StopReason};
use agentwire::{
    Message, System,
    protocol::{
        Uuid,
        message::{
            AssistantError, CommandState, ResultSubtype, SessionState, StopReason as ModelStop,
            TerminalReason, TurnResult,
        },
    },
};
use tokio::time::Instant;

use crate::failure::{internal, not_logged_in};

/// The outcome of a prompt.
pub(crate) type Outcome = Result<StopReason, Error>;

/// The prompts without an answer, in the order in which they were sent.
///
/// A result names the prompts that its turn answered: a prompt that was sent while a turn ran may be absorbed by that
/// turn, and then shares its result. A CLI that names none (2.1.197) answers in order, if it gets one at a time.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    waiting: VecDeque<Waiting>,
    /// Whether the CLI reports the states of prompts.
    reports: bool,
    /// The kind of the last API error of the turn.
    failure: Option<AssistantError>,
}

#[derive(Debug)]
struct Waiting {
    prompt: Uuid,
    state: Option<CommandState>,
    /// When the client cancelled it first, if it did.
    cancelled: Option<Instant>,
}

impl Turns {
    /// Adds a prompt.
    pub(crate) fn sent(&mut self, prompt: Uuid) {
        self.waiting.push_back(Waiting { prompt, state: None, cancelled: None });
    }

    /// Returns whether the next prompt must wait for the result of the last one: a CLI that does not report the states of
    /// prompts (2.1.197) may absorb it without a sign.
    pub(crate) fn must_hold(&self) -> bool {
        !self.reports && !self.waiting.is_empty()
    }

    /// Removes a prompt that was not sent after all.
    pub(crate) fn not_sent(&mut self, prompt: &Uuid) {
        self.waiting.retain(|waiting| waiting.prompt != *prompt);
    }

    /// Marks all prompts as cancelled, regardless of their results.
    pub(crate) fn cancel(&mut self) {
        let now = Instant::now();
        for waiting in &mut self.waiting {
            waiting.cancelled.get_or_insert(now);
        }
    }

    /// Returns the earliest time at which the client cancelled a prompt that still waits.
    pub(crate) fn cancelled_at(&self) -> Option<Instant> {
        self.waiting.iter().filter_map(|waiting| waiting.cancelled).min()
    }

    /// Removes the prompts that were cancelled at this time.
    pub(crate) fn drain_cancelled(&mut self, at: Instant) -> Vec<Uuid> {
        let removed = self.remove(|waiting| waiting.cancelled == Some(at));
        removed.into_iter().map(|waiting| waiting.prompt).collect()
    }

    /// Returns the prompts that this message settles, with their outcomes.
    pub(crate) fn settled(&mut self, message: &Message) -> Vec<(Uuid, Outcome)> {
        match message {
            Message::Assistant(answer) if answer.parent_tool_use_id.is_none() => {
                self.failure.clone_from(&answer.error);
                Vec::new()
            }
            Message::CommandLifecycle(change) => {
                self.reports = true;
                if change.state == CommandState::Cancelled {
                    let removed = self.remove(|waiting| waiting.prompt == change.command_uuid);
                    return removed.into_iter().map(|one| (one.prompt, Ok(StopReason::Cancelled))).collect();
                }
                for waiting in self.waiting.iter_mut().filter(|one| one.prompt == change.command_uuid) {
                    waiting.state = Some(change.state.clone());
                }
                Vec::new()
            }
            Message::Result(result) => self.answered(result),
            // A command of the CLI may end without a result.
            Message::System(System::SessionStateChanged(change)) if change.state == SessionState::Idle => {
                let over = self.remove(|waiting| waiting.state == Some(CommandState::Completed));
                over.into_iter().map(|one| one.ended(Ok(StopReason::EndTurn))).collect()
            }
            _ => Vec::new(),
        }
    }

    fn answered(&mut self, result: &TurnResult) -> Vec<(Uuid, Outcome)> {
        let outcome = outcome(result, self.failure.take());
        let named: Vec<&Uuid> =
            result.user_message_uuids.iter().flatten().chain(&result.user_message_uuid).collect();
        let answered = if named.is_empty() {
            // A turn of background work answers no prompt that waits in the queue.
            let reports = self.reports;
            let begun =
                self.waiting.iter().position(|one| !reports || one.state == Some(CommandState::Started));
            begun.and_then(|at| self.waiting.remove(at)).into_iter().collect()
        } else {
            self.remove(|waiting| named.contains(&&waiting.prompt))
        };
        answered.into_iter().map(|one| one.ended(outcome.clone())).collect()
    }

    fn remove(&mut self, which: impl Fn(&Waiting) -> bool) -> Vec<Waiting> {
        let (removed, kept): (Vec<_>, Vec<_>) = self.waiting.drain(..).partition(which);
        self.waiting = kept.into();
        removed
    }
}

impl Waiting {
    fn ended(self, outcome: Outcome) -> (Uuid, Outcome) {
        (self.prompt, if self.cancelled.is_some() { Ok(StopReason::Cancelled) } else { outcome })
    }
}

/// Returns how a turn ended.
fn outcome(result: &TurnResult, failure: Option<AssistantError>) -> Outcome {
    if let Some(TerminalReason::AbortedStreaming | TerminalReason::AbortedTools) = result.terminal_reason {
        return Ok(StopReason::Cancelled);
    }
    match (&result.subtype, &result.stop_reason) {
        (ResultSubtype::ErrorMaxTurns, _) => return Ok(StopReason::MaxTurnRequests),
        (_, Some(ModelStop::Refusal)) => return Ok(StopReason::Refusal),
        (_, Some(ModelStop::MaxTokens | ModelStop::ContextWindowExceeded)) => {
            return Ok(StopReason::MaxTokens);
        }
        _ => {}
    }
    match (result.error_text(), failure) {
        (None, _) => Ok(StopReason::EndTurn),
        (Some(text), Some(AssistantError::AuthenticationFailed)) => Err(not_logged_in(text)),
        // The reason of the result is `stop_sequence` then (2.1.330).
        (Some(_), Some(AssistantError::MaxOutputTokens)) => Ok(StopReason::MaxTokens),
        (Some(text), _) => Err(internal(text)),
    }
}

#[cfg(test)]
mod tests {
    use agent_client_protocol::ErrorCode;

    use super::*;

    fn message(text: &str) -> Message {
        Message::from_line(text).unwrap()
    }

    fn result(fields: &str) -> Message {
        message(&format!(r#"{{"type":"result","subtype":"success","is_error":false{fields}}}"#))
    }

    fn waiting(prompts: &[&str]) -> Turns {
        let mut turns = Turns::default();
        prompts.iter().for_each(|prompt| turns.sent(Uuid::from(*prompt)));
        turns
    }

    #[test]
    fn absorbed_prompt_shares_the_result() {
        let mut turns = waiting(&["a", "b", "c"]);
        let settled = turns.settled(&result(r#","user_message_uuid":"a","user_message_uuids":["a","b"]"#));
        let ended = |prompt| (Uuid::from(prompt), Ok(StopReason::EndTurn));
        assert_eq!(settled, [ended("a"), ended("b")]);
        assert_eq!(turns.waiting[0].prompt, "c");
    }

    #[test]
    fn result_without_names_answers_the_first_prompt_of_an_old_cli() {
        assert_eq!(waiting(&["a", "b"]).settled(&result("")).len(), 1);
    }

    #[test]
    fn result_of_background_work_answers_no_queued_prompt() {
        let mut turns = waiting(&["a"]);
        turns.settled(&message(r#"{"type":"command_lifecycle","command_uuid":"a","state":"queued"}"#));
        assert!(turns.settled(&result("")).is_empty());
    }

    #[test]
    fn command_without_a_result_ends_when_the_cli_is_idle() {
        let mut turns = waiting(&["a"]);
        turns.settled(&message(r#"{"type":"command_lifecycle","command_uuid":"a","state":"completed"}"#));
        let idle = message(r#"{"type":"system","subtype":"session_state_changed","state":"idle"}"#);
        assert_eq!(turns.settled(&idle), [(Uuid::from("a"), Ok(StopReason::EndTurn))]);
    }

    #[test]
    fn cancelled_prompt_is_cancelled_whatever_its_result_is() {
        let mut turns = waiting(&["a"]);
        turns.cancel();
        turns.sent(Uuid::from("b"));
        let settled = turns.settled(&result(r#","user_message_uuids":["a","b"]"#));
        let expected = [("a", StopReason::Cancelled), ("b", StopReason::EndTurn)];
        assert_eq!(settled, expected.map(|(prompt, stop)| (Uuid::from(prompt), Ok(stop))));
    }

    #[test]
    fn second_cancel_does_not_delay_the_answer_to_the_first() {
        let mut turns = waiting(&["a"]);
        turns.cancel();
        let first = turns.cancelled_at().unwrap();
        turns.cancel();
        assert_eq!(turns.cancelled_at(), Some(first));
        assert_eq!(turns.drain_cancelled(first), [Uuid::from("a")]);
        assert!(turns.cancelled_at().is_none());
    }

    #[test]
    fn failed_login_asks_for_authentication() {
        let mut turns = waiting(&["a"]);
        turns.settled(&message(
            r#"{"type":"assistant","message":{"id":"m","content":[]},"parent_tool_use_id":null,"error":"authentication_failed"}"#,
        ));
        let failed = r#"{"type":"result","subtype":"success","is_error":true,"result":"Log in first."}"#;
        let [(_, Err(error))] = &turns.settled(&message(failed))[..] else { panic!("it did not fail") };
        assert_eq!(error.code, ErrorCode::AUTH_REQUIRED);
    }

    #[test]
    fn prompt_is_held_unless_the_cli_reports_the_states_of_prompts() {
        let mut turns = Turns::default();
        assert!(!turns.must_hold());
        turns.sent(Uuid::from("a"));
        assert!(turns.must_hold());
        turns.settled(&message(r#"{"type":"command_lifecycle","command_uuid":"a","state":"queued"}"#));
        assert!(!turns.must_hold());
    }

    #[test]
    fn limit_of_the_output_is_a_stop_reason() {
        let mut turns = waiting(&["a"]);
        turns.settled(&message(
            r#"{"type":"assistant","message":{"id":"m","content":[]},"parent_tool_use_id":null,"error":"max_output_tokens"}"#,
        ));
        let failed = r#"{"type":"result","subtype":"success","is_error":true,"stop_reason":"stop_sequence","result":"Too long."}"#;
        assert_eq!(turns.settled(&message(failed)), [(Uuid::from("a"), Ok(StopReason::MaxTokens))]);
    }

    #[test]
    fn limits_are_stop_reasons() {
        for (fields, stop) in [
            (r#","stop_reason":"max_tokens""#, StopReason::MaxTokens),
            (r#","stop_reason":"model_context_window_exceeded""#, StopReason::MaxTokens),
            (r#","stop_reason":"refusal""#, StopReason::Refusal),
            (r#","terminal_reason":"aborted_tools""#, StopReason::Cancelled),
        ] {
            assert_eq!(waiting(&["a"]).settled(&result(fields))[0].1, Ok(stop));
        }
    }
}
