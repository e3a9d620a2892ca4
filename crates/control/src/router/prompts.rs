//! Sending prompts, and their states.

use std::sync::Arc;

use agentwire_codec::encode;
use agentwire_protocol::{Uuid, message::UserInput};
use bytes::Bytes;

use super::{PromptState, Router, TurnInfo, transmit::Kind};
use crate::ControlError;

impl Router {
    /// Sends a prompt.
    ///
    /// # Errors
    ///
    /// Returns [`ControlError::Encode`] if the prompt can't be written as JSON, and [`ControlError::Closed`] or
    /// [`ControlError::InputEnded`] if the input no longer takes lines.
    pub fn send_user(&mut self, input: &UserInput) -> Result<(), ControlError> {
        let line = encode(input).map_err(|source| ControlError::Encode { subtype: "user".into(), source })?;
        self.send_prompt(input.uuid.clone(), line)
    }

    /// Sends a prompt that is already encoded as one line with its newline, and has this id.
    pub(crate) fn send_prompt(&mut self, uuid: Option<Uuid>, line: Bytes) -> Result<(), ControlError> {
        self.check_input("user")?;
        self.turns.prompt_sent(uuid);
        self.transmit.push(line, Kind::Prompt);
        Ok(())
    }

    /// Returns the state of the prompt with this id, or `None` if none was sent or thousands were sent after it.
    pub fn prompt_state(&self, prompt: &Uuid) -> Option<PromptState> {
        self.turns.prompt_state(prompt)
    }

    /// Returns whether the CLI has reported the state of a prompt. Such a CLI also names the prompts of a turn.
    pub fn names_prompts(&self) -> bool {
        self.turns.reports_states()
    }

    /// Returns whether a prompt or a line was sent, or the CLI started a turn on its own.
    pub fn was_given_work(&self) -> bool {
        self.turns.was_given_work()
    }

    /// Returns how many turns have ended.
    pub fn turns_ended(&self) -> u64 {
        self.turn().index
    }

    pub(crate) fn turns_before_a_prompt(&self) -> u64 {
        self.turns.before_a_prompt()
    }

    /// Returns the turn of the next message.
    pub fn turn(&self) -> &Arc<TurnInfo> {
        self.turns.current()
    }
}
