//! Prompts: how they are sent, and what is known of them.

use agentwire_codec::encode;
use agentwire_protocol::{Uuid, message::UserInput};
use bytes::Bytes;

use super::{PromptState, Router, transmit::Kind};
use crate::ControlError;

impl Router {
    /// Sends a prompt.
    ///
    /// # Errors
    ///
    /// [`ControlError::Encode`] when the prompt can't be written as JSON; [`ControlError::Closed`] or
    /// [`ControlError::InputEnded`] where nothing can be sent any more.
    pub fn send_user(&mut self, input: &UserInput) -> Result<(), ControlError> {
        let line = encode(input).map_err(|source| ControlError::Encode { subtype: "user".into(), source })?;
        self.send_prompt(input.uuid.clone(), line)
    }

    /// Sends a prompt that is written already, as one line with its newline, and has this id.
    ///
    /// # Errors
    ///
    /// As [`send_user`](Self::send_user).
    pub fn send_prompt(&mut self, uuid: Option<Uuid>, line: Bytes) -> Result<(), ControlError> {
        self.check_input("user")?;
        self.turns.prompt_sent(uuid.is_some());
        if let Some(uuid) = uuid {
            self.receipts.sent(uuid);
        }
        self.transmit.push(line, Kind::Prompt);
        Ok(())
    }

    /// What is known of the prompt that was sent with this id; `None` where none was, or thousands were sent after it.
    pub fn prompt_state(&self, prompt: &Uuid) -> Option<PromptState> {
        self.receipts.state(prompt)
    }

    /// Whether the CLI has told what becomes of a prompt, so that it names prompts wherever it can.
    pub fn names_prompts(&self) -> bool {
        self.receipts.told()
    }

    /// Returns whether the CLI was given work: a prompt or a line was sent, or a turn has begun by itself.
    pub fn was_given_work(&self) -> bool {
        self.turns.was_given_work()
    }

    /// How many turns have ended so far.
    pub fn turns_ended(&self) -> u64 {
        self.turns.turns_ended()
    }
}
