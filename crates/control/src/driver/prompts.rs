//! Sending prompts, and waiting for their states.

use std::borrow::Cow;

use agentwire_codec::encode;
use agentwire_protocol::{Uuid, message::UserInput};
use bytes::Bytes;

use super::{Control, shared::State};
use crate::{ControlError, PromptState, Router};

impl Control {
    /// Sends a prompt. Returns when it is queued, behind the prompts of all calls that have returned.
    ///
    /// Waits for room in the write buffer, up to the handle's time limit. Calls that wait at the same time are queued in
    /// any order. Reading goes on meanwhile, up to [`Config::unread_hard_limit`](crate::Config::unread_hard_limit).
    /// After a failed write, waits a grace period for an end of the session that names the cause.
    ///
    /// A prompt without a [`uuid`](UserInput::uuid) is sent as it is: the CLI does not name it in the messages of its
    /// turn, so these may count as those of a later prompt.
    ///
    /// # Cancel safety
    ///
    /// A future that is dropped before it completes has sent nothing.
    ///
    /// # Errors
    ///
    /// On each error nothing was sent, and the prompt can be sent again:
    /// [`ControlError::Closed`] or [`ControlError::InputEnded`] if the input takes no prompts,
    /// [`ControlError::NotSent`] if the CLI does not read its input within the time limit,
    /// [`ControlError::Backlogged`] if there is no room and reading stopped at the hard limit, and
    /// [`ControlError::Encode`].
    pub async fn send(&self, input: &UserInput) -> Result<(), ControlError> {
        self.send_counting(input).await.map(|_| ())
    }

    /// Like [`send`](Self::send), and returns how many turns come before the prompt's turn, and whether an earlier
    /// prompt with its id was settled already.
    ///
    /// A running turn counts if the CLI reports session states with `sdk_host_only`; such a CLI names the prompts that it
    /// merges into the turn. The CLI ignores a prompt with the id of an earlier one.
    ///
    /// # Cancel safety
    ///
    /// See [`send`](Self::send).
    ///
    /// # Errors
    ///
    /// See [`send`](Self::send).
    pub async fn send_counting(&self, input: &UserInput) -> Result<(u64, bool), ControlError> {
        // Encode before taking the lock: a prompt may contain megabytes of images.
        let line = self.encoded(input)?;
        self.shared().observe(|observer| observer.sending(input));
        let uuid = input.uuid.clone();
        let send = |State { router, .. }: &mut State| {
            // Under one lock: an earlier prompt may be settled while this one waits for room.
            let is_settled =
                uuid.as_ref().and_then(|id| router.prompt_state(id)).is_some_and(PromptState::is_settled);
            router.send_prompt(uuid, line).map(|()| (router.turns_before_a_prompt(), is_settled))
        };
        self.when_writable("user", send).await
    }

    /// Waits until the write buffer has room for a prompt, to be sent with [`send_now`](Self::send_now).
    ///
    /// For callers that take a prompt from a stream only when it can be sent.
    ///
    /// # Cancel safety
    ///
    /// Cancel-safe: dropping the future has no effect.
    ///
    /// # Errors
    ///
    /// See [`send`](Self::send).
    pub async fn ready(&self) -> Result<(), ControlError> {
        self.when_writable("user", |state| state.router.check_input("user")).await
    }

    /// Sends a prompt without waiting for room.
    ///
    /// # Errors
    ///
    /// See [`send`](Self::send), except for [`ControlError::NotSent`] and [`ControlError::Backlogged`].
    pub fn send_now(&self, input: &UserInput) -> Result<(), ControlError> {
        let line = self.encoded(input)?;
        self.shared().observe(|observer| observer.sending(input));
        let sent = self.shared().with_router(|router| router.send_prompt(input.uuid.clone(), line));
        self.shared().prompt_changed.notify_waiters();
        sent
    }

    /// Sends a raw line, newline included: a frame of a kind that this version does not know.
    ///
    /// The CLI exits on a line that is not JSON.
    /// Send prompts with [`send`](Self::send): [`end_input`](Self::end_input) does not wait for the turn of a prompt in a raw
    /// line, and after the end of its input the CLI runs that turn without the session's hooks.
    ///
    /// # Cancel safety
    ///
    /// See [`send`](Self::send).
    ///
    /// # Errors
    ///
    /// See [`send`](Self::send).
    pub async fn send_line(&self, line: Bytes) -> Result<(), ControlError> {
        self.when_writable("line", |state| state.router.send_line(line)).await
    }

    /// Returns the state of the prompt with this id, or `None` if none was sent or thousands were sent after it.
    ///
    /// Reflects all output read from the CLI, which may be ahead of [`Messages`](crate::Messages).
    pub fn prompt_state(&self, prompt: &Uuid) -> Option<PromptState> {
        self.shared().read_router(|router| router.prompt_state(prompt))
    }

    /// Waits until the prompt's turn has begun, or never will.
    ///
    /// # Cancel safety
    ///
    /// Cancel-safe: dropping the future has no effect.
    ///
    /// # Errors
    ///
    /// [`ControlError::UnknownPrompt`], [`ControlError::Closed`] if the session ends first, and
    /// [`ControlError::Backlogged`] if reading stopped at the hard limit.
    pub async fn prompt_begun(&self, prompt: &Uuid) -> Result<PromptState, ControlError> {
        self.when_prompt(prompt, PromptState::has_begun).await
    }

    /// Waits until the prompt was answered, failed or was cancelled.
    ///
    /// The CLI reports this just after the turn's result; for a prompt that was merged into a running turn, before it.
    ///
    /// # Cancel safety
    ///
    /// See [`prompt_begun`](Self::prompt_begun).
    ///
    /// # Errors
    ///
    /// See [`prompt_begun`](Self::prompt_begun).
    pub async fn prompt_settled(&self, prompt: &Uuid) -> Result<PromptState, ControlError> {
        self.when_prompt(prompt, PromptState::is_settled).await
    }

    /// Returns whether the CLI has reported the state of a prompt. Such a CLI also names the prompts of a turn.
    pub fn names_prompts(&self) -> bool {
        self.shared().read_router(Router::names_prompts)
    }

    /// Returns how many turns have ended in the output read from the CLI.
    pub fn turns_ended(&self) -> u64 {
        self.shared().read_router(Router::turns_ended)
    }

    fn encoded(&self, prompt: &UserInput) -> Result<Bytes, ControlError> {
        let mut prompt = Cow::Borrowed(prompt);
        // As in the reference, no prompt can opt out.
        if self.shared().config.client_composed {
            prompt.to_mut().client_composed = Some(true);
        }
        encode(&*prompt).map_err(|source| ControlError::Encode { subtype: "user".into(), source })
    }
}
