//! Sending prompts, and waiting for what becomes of them.

use agentwire_codec::encode;
use agentwire_protocol::{Uuid, message::UserInput};
use bytes::Bytes;

use crate::{Control, ControlError, PromptState, driver::State};

impl Control {
    /// Sends a prompt; returns when it is on its way, in the order of the calls.
    ///
    /// Waits while too much waits to be written, within the handle's limit; reading goes on meanwhile, up to
    /// [`Config::unread_hard_limit`](crate::Config::unread_hard_limit).
    /// Where the CLI has refused input, waits a grace for the ending that says why.
    ///
    /// # Cancellation
    ///
    /// A future that is dropped before it is done has sent nothing.
    ///
    /// # Errors
    ///
    /// [`ControlError::Closed`] or [`ControlError::InputEnded`] where nothing can be sent any more,
    /// [`ControlError::NotSent`] where the CLI reads none of its input within the limit,
    /// [`ControlError::Backlogged`] where there is no room and so much is unread that reading stopped, and
    /// [`ControlError::Encode`]; nothing was sent then, so that the prompt can be sent again.
    pub async fn send(&self, input: &UserInput) -> Result<(), ControlError> {
        self.send_counting(input).await.map(|_| ())
    }

    /// As [`send`](Self::send), and tells how many turns had ended at the moment when it was sent.
    ///
    /// None of those is the prompt's own, also where they end while it waits for room.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub async fn send_counting(&self, input: &UserInput) -> Result<u64, ControlError> {
        // Written before the lock is taken: a prompt may hold many megabytes of pictures.
        let line = encode(input).map_err(|source| ControlError::Encode { subtype: "user".into(), source })?;
        self.shared().tell_observer(input);
        let uuid = input.uuid.clone();
        let send =
            |state: &mut State| state.router.send_prompt(uuid, line).map(|()| state.router.turns_ended());
        self.shared().when_writable(self.limit(), "user", send).await
    }

    /// Waits until there is room for a prompt; [`send_now`](Self::send_now) need not wait then.
    ///
    /// For those who take prompts from somewhere, and must not lose one that they have taken.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub async fn ready(&self) -> Result<(), ControlError> {
        self.shared().when_writable(self.limit(), "user", |_| Ok(())).await
    }

    /// Sends a prompt without waiting for room.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send), but for [`ControlError::NotSent`] and [`ControlError::Backlogged`].
    pub fn send_now(&self, input: &UserInput) -> Result<(), ControlError> {
        self.shared().tell_observer(input);
        let sent = self.shared().with_router(|router| router.send_user(input));
        self.shared().prompt_sent();
        sent
    }

    /// Sends a line as it is, newline included.
    ///
    /// The CLI exits on a line that is no JSON: this is for frames of kinds that this version does not know.
    ///
    /// # Cancellation
    ///
    /// As [`send`](Self::send).
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub async fn send_line(&self, line: Bytes) -> Result<(), ControlError> {
        self.shared().when_writable(self.limit(), "line", |state| state.router.send_line(line)).await
    }

    /// What is known of the prompt that was sent with this id; `None` where none was, or thousands were sent after it.
    ///
    /// As of what was read from the CLI so far, which may be ahead of what [`Messages`](crate::Messages) has given out.
    pub fn prompt_state(&self, prompt: &Uuid) -> Option<PromptState> {
        self.shared().look(|router| router.prompt_state(prompt))
    }

    /// Waits until the prompt's turn has begun, or it is known that it never will.
    ///
    /// # Cancellation
    ///
    /// Cancel-safe: nothing is lost when the future is dropped.
    ///
    /// # Errors
    ///
    /// [`ControlError::UnknownPrompt`], [`ControlError::Closed`] where the session ends first, and
    /// [`ControlError::Backlogged`] where so much is unread that reading stopped.
    pub async fn prompt_begun(&self, prompt: &Uuid) -> Result<PromptState, ControlError> {
        self.shared().when_prompt(prompt, PromptState::has_begun).await
    }

    /// Waits until the prompt was answered, has failed, or was cancelled.
    ///
    /// The CLI says so just after the turn's result, and of a prompt that a running turn has taken in, before it.
    ///
    /// # Cancellation
    ///
    /// As [`prompt_begun`](Self::prompt_begun).
    ///
    /// # Errors
    ///
    /// As [`prompt_begun`](Self::prompt_begun).
    pub async fn prompt_settled(&self, prompt: &Uuid) -> Result<PromptState, ControlError> {
        self.shared().when_prompt(prompt, PromptState::is_settled).await
    }

    /// Whether the CLI has told what becomes of a prompt, so that it names the prompts that a turn answers.
    pub fn names_prompts(&self) -> bool {
        self.shared().names_prompts()
    }

    /// How many turns have ended, as of what was read from the CLI so far.
    pub fn turns_ended(&self) -> u64 {
        self.shared().look(crate::Router::turns_ended)
    }
}
