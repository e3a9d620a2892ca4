//! The prompts that wait for an answer, and how their turns ended. No I/O.

use std::collections::VecDeque;

use agent_client_protocol::{Error, v1::schema::StopReason};
use agentwire::{
    Block, Message, System,
    protocol::{
        Uuid,
        message::{
            AssistantError, BackgroundTask, CommandState, ResultSubtype, SessionState,
            StopReason as ModelStop, TerminalReason, TurnResult,
        },
    },
};
use tokio::time::Instant;

use crate::failure::{internal, is_missing_login, not_logged_in};

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
    /// Whether the CLI has reported that it works, and not that it is idle since.
    is_active: bool,
    /// Whether an agent has worked in the background since the CLI was idle.
    has_agents: bool,
    /// The kind of the last API error of the turn.
    failure: Option<AssistantError>,
}

#[derive(Debug)]
struct Waiting {
    prompt: Uuid,
    state: Option<CommandState>,
    /// Whether its turn has ended while an agent worked in the background.
    is_held: bool,
    /// When the client cancelled it first, if it did.
    cancelled: Option<Instant>,
}

impl Turns {
    /// Adds a prompt.
    pub(crate) fn sent(&mut self, prompt: Uuid) {
        self.waiting.push_back(Waiting { prompt, state: None, is_held: false, cancelled: None });
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

    /// Returns whether this message is the text of a missing login that the error of a prompt will contain. Editors have
    /// no `/login`, which the text asks for.
    pub(crate) fn will_report(&self, message: &Message) -> bool {
        let Message::Assistant(answer) = message else { return false };
        let mut texts = answer.message.content.iter().filter_map(Block::as_text);
        !self.waiting.is_empty() && texts.any(|text| is_missing_login(answer.error.as_ref(), text))
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
                    return self
                        .end(|waiting| waiting.prompt == change.command_uuid, &Ok(StopReason::Cancelled));
                }
                for waiting in self.waiting.iter_mut().filter(|one| one.prompt == change.command_uuid) {
                    waiting.state = Some(change.state.clone());
                }
                // What the CLI does from now on belongs to the prompt that has started.
                if change.state == CommandState::Started {
                    self.end(|waiting| waiting.is_held, &Ok(StopReason::EndTurn))
                } else {
                    Vec::new()
                }
            }
            Message::System(System::BackgroundTasksChanged(changed)) => {
                self.has_agents |= changed.tasks.iter().any(is_agent);
                Vec::new()
            }
            Message::Result(result) => self.answered(result),
            Message::System(System::SessionStateChanged(change)) => {
                self.is_active = change.state != SessionState::Idle;
                if self.is_active {
                    return Vec::new();
                }
                self.has_agents = false;
                // A command of the CLI may end without a result.
                let is_over = |one: &Waiting| one.is_held || one.state == Some(CommandState::Completed);
                self.end(is_over, &Ok(StopReason::EndTurn))
            }
            _ => Vec::new(),
        }
    }

    fn answered(&mut self, result: &TurnResult) -> Vec<(Uuid, Outcome)> {
        let outcome = outcome(result, self.failure.take());
        let named: Vec<&Uuid> =
            result.user_message_uuids.iter().flatten().chain(&result.user_message_uuid).collect();
        let mut answered = if named.is_empty() {
            // A turn of background work answers no prompt that waits in the queue.
            let reports = self.reports;
            let is_begun = |one: &Waiting| !reports || one.state == Some(CommandState::Started);
            let begun = self.waiting.iter().position(|one| !one.is_held && is_begun(one));
            begun.and_then(|at| self.waiting.remove(at)).into_iter().collect()
        } else {
            self.remove(|waiting| named.contains(&&waiting.prompt))
        };
        // Editors show an agent's work, and its permission requests, only until the prompt is answered. When the agent
        // has ended, the CLI starts a turn with its result, which names no prompt, and is idle after that.
        if outcome != Ok(StopReason::EndTurn) {
            if named.is_empty() && answered.is_empty() {
                answered = self.remove(|one| one.is_held);
            }
        } else if self.is_active && self.has_agents {
            let held = answered.extract_if(.., |one| one.cancelled.is_none());
            self.waiting.extend(held.map(|one| Waiting { is_held: true, ..one }));
        }
        answered.into_iter().map(|one| one.ended(outcome.clone())).collect()
    }

    /// Removes these prompts, and returns them with this outcome.
    fn end(&mut self, which: impl Fn(&Waiting) -> bool, outcome: &Outcome) -> Vec<(Uuid, Outcome)> {
        self.remove(which).into_iter().map(|one| one.ended(outcome.clone())).collect()
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

/// Returns whether a task runs agents, whose end the CLI reports to the model.
fn is_agent(task: &BackgroundTask) -> bool {
    task.ambient != Some(true) && matches!(&*task.task_type, "local_agent" | "local_workflow")
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
        (Some(text), kind) if is_missing_login(kind.as_ref(), &text) => Err(not_logged_in(&text)),
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
        assert_eq!(turns.settled(&message(IDLE)), [(Uuid::from("a"), Ok(StopReason::EndTurn))]);
    }

    const RUNNING: &str = r#"{"type":"system","subtype":"session_state_changed","state":"running"}"#;
    const IDLE: &str = r#"{"type":"system","subtype":"session_state_changed","state":"idle"}"#;

    /// Returns the state after a first result as in `agent-background.transcript`, and the prompts that it settles.
    fn with_task(state: &str, kind: &str) -> (Turns, usize) {
        let mut turns = waiting(&["a"]);
        let started = r#"{"type":"command_lifecycle","command_uuid":"a","state":"started"}"#;
        let task = format!(r#"{{"task_id":"t","task_type":{kind},"description":""}}"#);
        let tasks = format!(r#"{{"type":"system","subtype":"background_tasks_changed","tasks":[{task}]}}"#);
        for text in [state, started, &tasks] {
            assert!(turns.settled(&message(text)).is_empty());
        }
        let settled = turns.settled(&result(r#","user_message_uuids":["a"]"#)).len();
        (turns, settled)
    }

    fn with_agent() -> Turns {
        let (turns, settled) = with_task(RUNNING, r#""local_agent""#);
        assert_eq!(settled, 0);
        turns
    }

    #[test]
    fn prompt_ends_with_its_turn_without_an_agent_or_a_state_to_wait_for() {
        for (state, kind) in [
            (IDLE, r#""local_agent""#),
            (RUNNING, r#""local_bash""#),
            (RUNNING, r#""local_agent","ambient":true"#),
        ] {
            assert_eq!(with_task(state, kind).1, 1, "{state} {kind}");
        }
    }

    #[test]
    fn failure_of_the_turn_after_a_background_agent_is_that_of_the_prompt() {
        let login = "Login expired · Please run /login";
        let text = format!(
            r#"{{"type":"assistant","message":{{"id":"m","content":[{{"type":"text","text":"{login}"}}]}},"parent_tool_use_id":null,"error":"authentication_failed"}}"#
        );
        let mut turns = with_agent();
        assert!(turns.will_report(&message(&text)));
        turns.settled(&message(&text));
        let failed = format!(r#"{{"type":"result","subtype":"success","is_error":true,"result":"{login}"}}"#);
        let settled = turns.settled(&message(&failed));
        assert!(matches!(&settled[..], [(_, Err(error))] if error.code == ErrorCode::AUTH_REQUIRED));
        assert!(!turns.will_report(&message(&text)));
        let limit = r#"{"type":"result","subtype":"error_max_turns","is_error":true}"#;
        let ended = [(Uuid::from("a"), Ok(StopReason::MaxTurnRequests))];
        assert_eq!(with_agent().settled(&message(limit)), ended);
    }

    #[test]
    fn prompt_is_open_until_its_background_agent_is_reported() {
        let mut turns = with_agent();
        for text in [
            r#"{"type":"command_lifecycle","command_uuid":"a","state":"completed"}"#,
            r#"{"type":"system","subtype":"background_tasks_changed","tasks":[]}"#,
        ] {
            assert!(turns.settled(&message(text)).is_empty());
        }
        assert!(turns.settled(&result("")).is_empty());
        assert_eq!(turns.settled(&message(IDLE)), [(Uuid::from("a"), Ok(StopReason::EndTurn))]);
        turns.sent(Uuid::from("b"));
        assert_eq!(turns.settled(&result(r#","user_message_uuids":["b"]"#)).len(), 1);
    }

    #[test]
    fn prompt_with_a_background_agent_ends_when_it_is_cancelled_or_another_starts() {
        let mut turns = with_agent();
        turns.cancel();
        assert_eq!(turns.settled(&message(IDLE)), [(Uuid::from("a"), Ok(StopReason::Cancelled))]);
        let mut turns = with_agent();
        turns.sent(Uuid::from("b"));
        let state =
            |state: &str| format!(r#"{{"type":"command_lifecycle","command_uuid":"b","state":"{state}"}}"#);
        assert!(turns.settled(&message(&state("queued"))).is_empty());
        let ended = [(Uuid::from("a"), Ok(StopReason::EndTurn))];
        assert_eq!(turns.settled(&message(&state("started"))), ended);
    }

    #[test]
    fn failure_is_reported_while_a_background_agent_works() {
        let mut turns = with_agent();
        turns.sent(Uuid::from("b"));
        let failed = r#"{"type":"result","subtype":"success","is_error":true,"result":"No.","user_message_uuids":["b"]}"#;
        assert!(matches!(&turns.settled(&message(failed))[..], [(_, Err(_))]));
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
        let failed = |kind: &str, text: &str| {
            let mut turns = waiting(&["a"]);
            let answer = r#"{"type":"assistant","message":{"id":"m","content":[]},"parent_tool_use_id":null"#;
            turns.settled(&message(&format!(r#"{answer},"error":"{kind}"}}"#)));
            let failed = r#"{"type":"result","subtype":"success","is_error":true"#;
            let settled = turns.settled(&message(&format!(r#"{failed},"result":"{text}"}}"#)));
            let [(_, Err(error))] = &settled[..] else { panic!("it did not fail") };
            (error.code, error.message.clone())
        };
        for (kind, text, cause) in [
            ("authentication_failed", "Invalid API key", "(Invalid API key)"),
            ("authentication_failed", "Not logged in · Please run /login", "(Not logged in)"),
            ("authentication_failed", "Expired. Please run /login to sign in again.", "(Expired)"),
            ("invalid_request", "Login expired · Run /login to sign in again", "(Login expired)"),
        ] {
            let (code, message) = failed(kind, text);
            assert_eq!(code, ErrorCode::AUTH_REQUIRED);
            assert!(message.contains(cause) && message.contains("`agentwire-acp login`"), "{message}");
        }
        assert_eq!(failed("invalid_request", "Too long.").0, ErrorCode::INTERNAL_ERROR);
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
