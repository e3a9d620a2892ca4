//! The ledger of turns: what runs, and when the run is over.

use agentwire_protocol::{
    Message, System,
    message::{SessionState, TurnResult},
};

/// What the messages tell of the run.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// Whether a prompt waits for a result, or a turn has begun and has none.
    ///
    /// Prompts that wait together may share a turn, so that they can't be counted against results.
    awaiting_result: bool,
    /// Whether any result came.
    had_result: bool,
    /// The last state that the CLI told, if it tells it at all.
    state: Option<SessionState>,
    /// The last result, where it was an error and no ordinary message followed.
    error_result: Option<Box<TurnResult>>,
    /// Whether the end of the run was told.
    told: bool,
}

impl Ledger {
    pub(super) fn prompt_sent(&mut self) {
        self.awaiting_result = true;
        self.told = false;
    }

    pub(super) fn result(&mut self, result: Option<&TurnResult>) {
        self.awaiting_result = false;
        self.had_result = true;
        self.error_result = result.filter(|result| result.is_error).map(|result| Box::new(result.clone()));
    }

    pub(super) fn message(&mut self, message: &Message) {
        match message {
            Message::System(System::SessionStateChanged(changed)) => {
                self.state = Some(changed.state.clone());
                if changed.state != SessionState::Idle {
                    self.told = false;
                }
            }
            // It comes once for each turn, so this is the turn of a prompt that waited behind the last result.
            Message::System(System::Init(_)) => {
                self.awaiting_result = true;
                self.told = false;
                self.error_result = None;
            }
            // The conversation went on, so an exit that follows is no echo of the old error.
            Message::Assistant(_) | Message::User(_) | Message::StreamEvent(_) => self.error_result = None,
            _ => {}
        }
    }

    /// Whether a turn is cut, if the session ends now.
    ///
    /// A CLI that is still busy after the result, or never said that it is not, has cut no turn.
    pub(super) fn in_turn(&self) -> bool {
        self.awaiting_result
    }

    pub(super) fn take_error_result(&mut self) -> Option<Box<TurnResult>> {
        self.error_result.take()
    }

    /// A result ends a turn, not the run: background agents hold the state at `running`.
    /// A CLI that tells no state is taken to be idle after a result.
    pub(super) fn run_is_over(&self) -> bool {
        self.had_result && self.is_idle()
    }

    /// Whether no prompt waits for its result and the CLI is not known to be busy.
    pub(super) fn is_idle(&self) -> bool {
        !self.awaiting_result && self.state.as_ref().is_none_or(|state| *state == SessionState::Idle)
    }

    /// Whether the run is over and that was not told yet.
    pub(super) fn take_run_over(&mut self) -> bool {
        self.run_is_over() && !std::mem::replace(&mut self.told, true)
    }
}
