//! The result that ends the turn.

use agentwire::{
    Incoming, Message, System,
    protocol::{
        Uuid,
        message::{CommandState, SessionState},
    },
};

use crate::outcome::Outcome;

/// The prompt whose result ends the turn, once the CLI is idle.
///
/// The CLI also starts turns of its own, as when a background agent has ended, and each has a result.
#[derive(Debug, Default)]
pub(crate) struct Awaited {
    /// `None` for a turn that continues a deferred tool use, without a prompt.
    prompt: Option<Uuid>,
    /// Whether the turn of the prompt has begun.
    has_begun: bool,
    /// Whether the CLI reports the states of prompts, which 2.1.197 does not.
    reports_states: bool,
    /// Whether the CLI has begun a turn, and has sent no result since.
    owes_result: bool,
    /// Whether the last reported state of the CLI is not idle. 2.1.197 reports none.
    is_busy: bool,
    /// Whether the prompt has its result, and the turn lasts until the CLI is idle.
    awaits_idle: bool,
    /// The final state of the prompt, if the CLI has reported it.
    settled: Option<CommandState>,
    /// Whether the CLI went idle with the prompt completed and without a result.
    is_completed: bool,
    /// The prompts that were sent into the turn, and that the CLI has not answered.
    steered: Vec<Uuid>,
    /// The notes that were sent into the turn, and that may wait in the CLI. They have no answer.
    notes: Vec<Uuid>,
    /// Whether the awaited prompt was one of `steered`.
    is_steered: bool,
}

impl Awaited {
    /// Awaits the result of this prompt from now on.
    pub(crate) fn start(&mut self, prompt: Option<Uuid>) {
        (self.prompt, self.has_begun, self.settled, self.is_completed) = (prompt, false, None, false);
        (self.is_steered, self.awaits_idle) = (false, false);
    }

    /// Awaits this prompt too, which the CLI may answer in a turn of its own.
    pub(crate) fn steer(&mut self, prompt: Uuid) {
        if self.steered.len() < STEERED {
            self.steered.push(prompt);
        }
    }

    /// Remembers a note, which the CLI does not answer.
    pub(crate) fn note(&mut self, note: Uuid) {
        if self.notes.len() < STEERED {
            self.notes.push(note);
        }
    }

    /// Forgets the prompts and notes that were sent into the turn and may wait in the CLI, and returns them.
    pub(crate) fn forget_steered(&mut self) -> Vec<Uuid> {
        let mut waiting = std::mem::take(&mut self.steered);
        waiting.append(&mut self.notes);
        waiting
    }

    /// Awaits the result of an unanswered prompt that was sent into the turn, if any, and returns whether there is one.
    pub(crate) fn await_steered(&mut self) -> bool {
        // A CLI that reports no states may have answered it.
        if !self.reports_states || self.steered.is_empty() {
            return false;
        }
        let next = self.steered.remove(0);
        self.start(Some(next));
        self.is_steered = true;
        true
    }

    /// Awaits the results until the CLI is idle. Returns `false` if it is idle already or reports no states.
    ///
    /// Background agents keep the CLI busy, and each of their ends starts a turn.
    pub(crate) fn await_idle(&mut self) -> bool {
        if self.is_busy {
            self.start(None);
            self.awaits_idle = true;
        }
        self.is_busy
    }

    /// Returns whether only the idle CLI is awaited: the turn has its results, and the CLI has begun no other turn.
    pub(crate) fn awaits_idle(&self) -> bool {
        self.awaits_idle && !self.owes_result
    }

    /// Returns the outcome of a turn that has ended without a result, as those of some commands of the CLI do.
    pub(crate) fn without_result(&self) -> Outcome {
        let (is_error, text) = match (self.is_completed, self.has_begun) {
            (true, true) => (false, ""),
            (true, false) => (true, "the session already has a prompt with this id"),
            (false, _) => (true, "the turn has no result"),
        };
        Outcome::Done { is_error, text: text.to_owned() }
    }

    /// Returns whether a message answers what is awaited. A turn without a result ends when the CLI goes idle.
    pub(crate) fn is_answered_by(&mut self, incoming: &Incoming) -> bool {
        match incoming {
            Incoming::Message(Message::CommandLifecycle(change), _) => {
                self.reports_states = true;
                let is_settled = matches!(change.state, CommandState::Completed | CommandState::Cancelled);
                if is_settled {
                    self.steered.retain(|steered| *steered != change.command_uuid);
                    self.notes.retain(|note| *note != change.command_uuid);
                }
                if self.prompt.as_ref() == Some(&change.command_uuid) {
                    self.has_begun |= change.state == CommandState::Started;
                    if is_settled {
                        self.settled = Some(change.state.clone());
                        // The CLI may be idle already, for example if it knew the prompt.
                        return self.is_steered && !self.owes_result;
                    }
                }
                false
            }
            Incoming::Message(Message::System(System::Init(_)), _) => {
                self.owes_result = true;
                false
            }
            Incoming::Message(Message::System(System::SessionStateChanged(changed)), _) => {
                // A CLI that marks states for the host also reports the states of prompts; 2.1.197 does neither.
                self.reports_states |= changed.sdk_host_only;
                self.is_busy = changed.state != SessionState::Idle;
                if self.is_busy {
                    return false;
                }
                let (owes_result, settled) = (std::mem::take(&mut self.owes_result), self.settled.take());
                self.is_completed = !owes_result && settled == Some(CommandState::Completed);
                owes_result || settled.is_some() || self.awaits_idle
            }
            Incoming::Message(Message::Result(result), _) => {
                self.owes_result = false;
                let mut named = result.user_message_uuids.iter().flatten().chain(&result.user_message_uuid);
                self.steered.retain(|steered| !named.clone().any(|named| named == steered));
                match &self.prompt {
                    Some(prompt) if named.clone().next().is_some() => named.any(|named| named == prompt),
                    Some(_) => self.has_begun || !self.reports_states,
                    None => true,
                }
            }
            incoming => incoming.ends_turn(),
        }
    }
}

/// How many prompts that were sent into a turn are awaited, and how many notes are remembered.
const STEERED: usize = 64;

#[cfg(test)]
mod tests {
    use agentwire::codec::{Frame, Line};
    use serde_json::{Value, json};

    use super::*;

    const PROMPT: &str = "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11";

    fn awaited() -> Awaited {
        let mut awaited = Awaited::default();
        awaited.start(Some(PROMPT.into()));
        awaited
    }

    /// Returns which of the messages end the turn.
    fn ends(awaited: &mut Awaited, messages: &[Value]) -> Vec<bool> {
        let incoming = |message: &Value| Incoming::decode(Frame::new(Line::new(message.to_string())));
        messages.iter().map(|message| awaited.is_answered_by(&incoming(message))).collect()
    }

    fn result(prompts: &[&str]) -> Value {
        json!({"type": "result", "subtype": "success", "is_error": false, "user_message_uuids": prompts})
    }

    fn started(prompt: &str) -> Value {
        lifecycle(prompt, "started")
    }

    #[test]
    fn result_of_another_turn_does_not_end_the_turn() {
        let of_background = [result(&[]), started(PROMPT), result(&["other"]), result(&[PROMPT])];
        let mut awaited = awaited();
        ends(&mut awaited, &[started("earlier")]);
        assert_eq!(ends(&mut awaited, &of_background), [false, false, false, true]);
    }

    #[test]
    fn turn_about_agents_of_an_earlier_process_does_not_end_the_turn() {
        let mut running = state("running");
        running["sdk_host_only"] = true.into();
        let messages = [running, json!({"type": "system", "subtype": "init"}), result(&[]), state("idle")];
        assert_eq!(ends(&mut awaited(), &messages), [false; 4], "the prompt has not begun");
    }

    #[test]
    fn any_result_ends_the_turn_if_the_cli_names_no_prompts() {
        assert_eq!(ends(&mut awaited(), &[result(&[])]), [true]);
        assert_eq!(ends(&mut Awaited::default(), &[result(&["other"])]), [true], "there is no prompt");
    }

    fn lifecycle(prompt: &str, state: &str) -> Value {
        json!({"type": "command_lifecycle", "command_uuid": prompt, "state": state})
    }

    fn state(state: &str) -> Value {
        json!({"type": "system", "subtype": "session_state_changed", "state": state})
    }

    #[test]
    fn command_without_a_result_ends_its_turn_when_the_cli_is_idle() {
        let messages = [started(PROMPT), lifecycle("earlier", "completed"), state("idle")];
        let mut awaited = awaited();
        assert_eq!(ends(&mut awaited, &messages), [false, false, false]);
        let messages = [lifecycle(PROMPT, "completed"), state("idle"), state("idle")];
        assert_eq!(ends(&mut awaited, &messages[..2]), [false, true]);
        assert_eq!(awaited.without_result(), Outcome::Done { is_error: false, text: String::new() });
        assert_eq!(ends(&mut awaited, &messages[2..]), [false]);
    }

    #[test]
    fn prompt_that_a_resumed_session_has_is_not_answered_again() {
        let mut awaited = awaited();
        assert_eq!(ends(&mut awaited, &[lifecycle(PROMPT, "completed"), state("idle")]), [false, true]);
        let text = "the session already has a prompt with this id".to_owned();
        assert_eq!(awaited.without_result(), Outcome::Done { is_error: true, text });
    }

    #[test]
    fn turn_goes_on_with_unanswered_prompts() {
        let mut awaited = awaited();
        ["merged", "later", "withdrawn"].into_iter().for_each(|prompt| awaited.steer(prompt.into()));
        let messages = [started(PROMPT), lifecycle("withdrawn", "cancelled"), result(&[PROMPT, "merged"])];
        assert_eq!(ends(&mut awaited, &messages), [false, false, true]);
        assert!(awaited.await_steered());
        let init = json!({"type": "system", "subtype": "init"});
        let messages = [lifecycle(PROMPT, "completed"), started("later"), init, result(&["later"])];
        assert_eq!(ends(&mut awaited, &messages), [false, false, false, true]);
        assert!(!awaited.await_steered());
    }

    #[test]
    fn prompt_that_the_cli_knows_ends_the_turn_without_a_result() {
        let mut awaited = awaited();
        awaited.steer("known".into());
        assert_eq!(
            ends(&mut awaited, &[started(PROMPT), result(&[PROMPT]), state("idle")]),
            [false, true, false]
        );
        assert!(awaited.await_steered());
        assert_eq!(ends(&mut awaited, &[lifecycle("known", "completed")]), [true]);
    }

    #[test]
    fn turn_goes_on_until_the_cli_is_idle() {
        let mut awaited = awaited();
        let messages = [state("running"), started(PROMPT), result(&[PROMPT])];
        assert_eq!(ends(&mut awaited, &messages), [false, false, true]);
        assert!(awaited.await_idle());
        let init = json!({"type": "system", "subtype": "init"});
        let messages = [state("requires_action"), state("running"), init, result(&[])];
        assert_eq!(ends(&mut awaited, &messages), [false, false, false, true]);
        assert!(awaited.await_idle());
        assert_eq!(ends(&mut awaited, &[state("idle")]), [true]);
        assert!(!awaited.await_idle());
    }

    #[test]
    fn turn_of_an_agent_is_not_a_wait_for_the_idle_cli() {
        let mut awaited = awaited();
        ends(&mut awaited, &[state("running"), started(PROMPT), result(&[PROMPT])]);
        assert!(!awaited.awaits_idle() && awaited.await_idle() && awaited.awaits_idle());
        ends(&mut awaited, &[json!({"type": "system", "subtype": "init"})]);
        assert!(!awaited.awaits_idle());
        ends(&mut awaited, &[result(&[])]);
        assert!(awaited.await_idle() && awaited.awaits_idle());
    }

    #[test]
    fn waiting_notes_are_cancelled_and_not_awaited() {
        let mut awaited = awaited();
        ["read", "waiting"].into_iter().for_each(|note| awaited.note(note.into()));
        ends(&mut awaited, &[started(PROMPT), lifecycle("read", "completed"), result(&[PROMPT])]);
        assert!(!awaited.await_steered());
        assert_eq!(awaited.forget_steered(), [Uuid::from("waiting")]);
        assert!(awaited.forget_steered().is_empty());
    }

    #[test]
    fn turn_ends_if_the_cli_reports_no_states_of_prompts() {
        let mut awaited = awaited();
        awaited.steer("later".into());
        assert_eq!(ends(&mut awaited, &[result(&[])]), [true]);
        assert!(!awaited.await_steered());
    }

    #[test]
    fn turn_without_a_readable_result_ends() {
        let unreadable = json!({"type": "result", "result": "no subtype"});
        assert_eq!(ends(&mut awaited(), &[unreadable]), [true]);
        let init = json!({"type": "system", "subtype": "init"});
        assert_eq!(
            ends(&mut awaited(), &[state("idle"), init, state("idle"), state("idle")]),
            [false, false, true, false]
        );
    }
}
