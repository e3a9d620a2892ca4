//! Prompts: one, many, and what becomes of them.

use std::{
    future::{Future, poll_fn},
    pin::pin,
};

use agentwire_control::{Control, PromptState};
use agentwire_protocol::{Uuid, message::UserInput};
use futures_core::Stream;

use super::{Session, place::ExpectedTurn, prompt_id};
use crate::{Error, Turn};

impl Session {
    /// Sends a prompt; its turn starts when the turns before it have ended.
    ///
    /// Gives its id: that of [`UserInput::uuid`], or a fresh one.
    /// Results and receipts name it, and [`settled`](Self::settled) waits for what becomes of it.
    /// Prompts that wait together are merged into one turn by the CLI, and one that is sent while a tool runs is taken
    /// into the running turn, unless its [`priority`](UserInput::priority) is `later`.
    ///
    /// # Cancellation
    ///
    /// A future that is dropped before it is done has sent nothing.
    ///
    /// # Errors
    ///
    /// When the session has ended, or its input was; [`ControlError::Backlogged`](crate::ControlError::Backlogged)
    /// when so much is unread that nothing moves: read, and send again; and
    /// [`ControlError::NotSent`](crate::ControlError::NotSent) when there is no room within
    /// [`Config::call_limit`](crate::control::Config::call_limit), since the CLI does not read its input.
    /// Nothing of the prompt was sent then.
    pub async fn send(&self, prompt: impl Into<UserInput>) -> Result<Uuid, Error> {
        let (prompt, uuid) = self.composed(prompt);
        self.control.send(&prompt).await?;
        Ok(uuid)
    }

    /// Sends every prompt of a stream, each as soon as there is room to write it: the stream is not polled before.
    ///
    /// The future borrows nothing of the session, so that it can run beside whoever reads.
    /// The input stays open after it.
    ///
    /// # Cancellation
    ///
    /// Dropping the future loses nothing: a prompt that was taken from the stream was sent.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub fn send_all<S>(&self, prompts: S) -> impl Future<Output = Result<(), Error>> + Send + use<S>
    where
        S: Stream<Item: Into<UserInput>> + Send,
    {
        send_all(self.control.clone(), self.client_composed, prompts)
    }

    /// What comes until the next result, whichever prompt it answers.
    pub fn turn(&mut self) -> Turn<'_> {
        Turn::new(self, None)
    }

    /// Sends a prompt and gives its turn, and no other's.
    ///
    /// What is left of turns before, such as one that was interrupted, and turns that begin by themselves, are set aside:
    /// [`leftovers`](Self::leftovers) and [`next`](Self::next) give them.
    /// See [`Turn`] for what belongs to which.
    ///
    /// # Cancellation
    ///
    /// As [`send`](Self::send).
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub async fn ask(&mut self, prompt: impl Into<UserInput>) -> Result<Turn<'_>, Error> {
        let (prompt, uuid) = self.composed(prompt);
        let after = self.control.send_counting(&prompt).await?;
        Ok(Turn::new(self, Some(ExpectedTurn { prompt: uuid, after })))
    }

    /// Waits until a prompt was answered, has failed, or was cancelled.
    ///
    /// Reading the session is not needed for it, up to the limits of what may lie unread.
    /// More is on [`control`](Self::control): `prompt_state`, `prompt_begun`, `cancel_async_message`.
    ///
    /// # Errors
    ///
    /// As [`Control::prompt_settled`].
    pub async fn settled(&self, prompt: &Uuid) -> Result<PromptState, Error> {
        Ok(self.control.prompt_settled(prompt).await?)
    }

    /// Takes back a prompt that waits; `false` for one that is unknown or has begun.
    ///
    /// # Errors
    ///
    /// As [`interrupt`](Self::interrupt).
    pub async fn cancel_prompt(&self, prompt: &Uuid) -> Result<bool, Error> {
        Ok(self.control.cancel_async_message(prompt.clone()).await?.cancelled)
    }
}

impl Session {
    /// Whether prompts of this session say that the host put them together.
    pub(crate) fn client_composed(&self) -> bool {
        self.client_composed
    }

    fn composed(&self, prompt: impl Into<UserInput>) -> (UserInput, Uuid) {
        with_id(prompt.into(), self.client_composed)
    }
}

/// Sends each, and takes none from the stream before it can be sent.
pub(crate) async fn send_all<S>(control: Control, client_composed: bool, prompts: S) -> Result<(), Error>
where
    S: Stream<Item: Into<UserInput>> + Send,
{
    let mut prompts = pin!(prompts);
    loop {
        control.ready().await?;
        let Some(prompt) = poll_fn(|context| prompts.as_mut().poll_next(context)).await else {
            return Ok(());
        };
        control.send_now(&with_id(prompt.into(), client_composed).0)?;
    }
}

/// The prompt with an id, and the id; what the prompt itself says of being put together counts first.
fn with_id(mut prompt: UserInput, client_composed: bool) -> (UserInput, Uuid) {
    let uuid = prompt.uuid.get_or_insert_with(prompt_id::fresh).clone();
    if client_composed {
        prompt.client_composed.get_or_insert(true);
    }
    (prompt, uuid)
}
