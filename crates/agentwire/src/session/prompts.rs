//! Prompts: sending, cancelling and waiting for them.

use std::{
    future::{Future, poll_fn},
    pin::pin,
};

use agentwire_control::{Control, PromptState};
use agentwire_protocol::{Uuid, message::UserInput};
use futures_core::Stream;

use super::Session;
use crate::{Error, Turn, turn::ExpectedTurn, uuids};

impl Session {
    /// Sends a prompt. Its turn starts when the turns before it have ended.
    ///
    /// Returns its id: [`UserInput::uuid`] or a fresh one.
    /// Results and `command_lifecycle` messages contain it, and [`settled`](Self::settled) waits for the outcome of the
    /// prompt.
    /// The CLI merges prompts that wait together into one turn. A prompt sent while a tool runs is absorbed by the
    /// running turn, unless its [`priority`](UserInput::priority) is `later`.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future before it is ready sends nothing.
    ///
    /// # Errors
    ///
    /// If the session or its input has ended;
    /// [`ControlError::Backlogged`](crate::ControlError::Backlogged) if the write buffer has no room, and reading has
    /// stopped at the limit of unread messages (read messages, then send again);
    /// [`ControlError::NotSent`](crate::ControlError::NotSent) if the CLI does not read its input and the write buffer
    /// has no room within [`Config::call_limit`](crate::control::Config::call_limit).
    /// In all cases nothing of the prompt was sent.
    pub async fn send(&self, prompt: impl Into<UserInput>) -> Result<Uuid, Error> {
        let (prompt, uuid) = with_id(prompt.into());
        self.control.send(&prompt).await?;
        Ok(uuid)
    }

    /// Sends every prompt of a stream. The stream is polled only when there is room to write.
    ///
    /// The future does not borrow the session, so it can run while another task reads.
    /// It ends with the session, even while it waits for the stream. The input stays open afterwards.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing: every prompt taken from the stream was sent.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send). If the input ended while the stream was polled, the last prompt taken from it was not sent.
    pub fn send_all<S>(&self, prompts: S) -> impl Future<Output = Result<(), Error>> + Send + use<S>
    where
        S: Stream<Item: Into<UserInput>> + Send,
    {
        send_all(self.control.clone(), prompts)
    }

    /// Returns the messages up to the next result, for any prompt.
    pub fn turn(&mut self) -> Turn<'_> {
        Turn::new(self, None)
    }

    /// Sends a prompt and returns its turn only.
    ///
    /// Messages of other turns, such as the rest of an interrupted one, are skipped:
    /// [`leftovers`](Self::leftovers) and [`next`](Self::next) return them.
    /// See [`Turn`] for which messages belong to a turn.
    /// The CLI ignores a prompt with the id of an earlier one of this session: if that was answered, failed or was
    /// cancelled, the turn ends without a result.
    ///
    /// # Cancel safety
    ///
    /// As [`send`](Self::send).
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub async fn ask(&mut self, prompt: impl Into<UserInput>) -> Result<Turn<'_>, Error> {
        let (prompt, uuid) = with_id(prompt.into());
        let (after, is_ignored) = self.control.send_counting(&prompt).await?;
        Ok(Turn::new(self, Some(ExpectedTurn { prompt: uuid, after, is_ignored })))
    }

    /// Waits until a prompt was answered, failed or cancelled.
    ///
    /// Works without reading the session, up to the limit of unread messages.
    /// [`control`](Self::control) has more: `prompt_state`, `prompt_begun`, `cancel_async_message`.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future has no effect.
    ///
    /// # Errors
    ///
    /// As [`Control::prompt_settled`].
    pub async fn settled(&self, prompt: &Uuid) -> Result<PromptState, Error> {
        Ok(self.control.prompt_settled(prompt).await?)
    }

    /// Cancels a queued prompt; returns `false` if it is unknown or has begun.
    ///
    /// # Cancel safety
    ///
    /// As [`interrupt`](Self::interrupt).
    ///
    /// # Errors
    ///
    /// As [`interrupt`](Self::interrupt).
    pub async fn cancel_prompt(&self, prompt: &Uuid) -> Result<bool, Error> {
        Ok(self.control.cancel_async_message(prompt.clone()).await?.cancelled)
    }
}

/// Sends each prompt; takes none from the stream before it can be sent.
pub(crate) async fn send_all<S>(control: Control, prompts: S) -> Result<(), Error>
where
    S: Stream<Item: Into<UserInput>> + Send,
{
    let mut prompts = pin!(prompts);
    loop {
        control.ready().await?;
        let prompt = tokio::select! {
            biased;
            // First, so that no prompt is taken after the end. `ready` returns the error.
            _ = control.ended() => continue,
            prompt = poll_fn(|context| prompts.as_mut().poll_next(context)) => prompt,
        };
        let Some(prompt) = prompt else { return Ok(()) };
        control.send_now(&with_id(prompt.into()).0)?;
    }
}

/// Returns the prompt with an id, and the id.
fn with_id(mut prompt: UserInput) -> (UserInput, Uuid) {
    let uuid = prompt.uuid.get_or_insert_with(uuids::random).clone();
    (prompt, uuid)
}
