//! Requests about the session itself: handshake, interrupt, title, side questions, end.

use agentwire_protocol::control::{
    ClaimSession, ClaimSessionReply, EndSession, GenerateSessionTitle, GenerateSessionTitleReply, Initialize,
    InitializeReply, Interrupt, InterruptReply, RenameSession, SetColor, SideQuestion, SideQuestionReply,
};

use crate::{Control, ControlError};

impl Control {
    /// Repeats the handshake (`initialize`), as after a gap in the connection.
    ///
    /// This request's hooks replace the earlier ones. The CLI no longer waits for open callbacks of those, and refuses the
    /// tool uses that they guard; the model may try again.
    /// Everything else stays as the first handshake set it.
    /// Declare only hooks that the session's responder answers: the facade's `Session::reinitialize` repeats the first
    /// handshake.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn reinitialize(&self, request: &Initialize) -> Result<InitializeReply, ControlError> {
        self.call(request).await
    }

    /// Interrupts the running turn (`interrupt`). Allowed at any time, also when no turn runs.
    ///
    /// The reply arrives before the turn's result, and lists the queued prompts that will still run.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn interrupt(&self) -> Result<InterruptReply, ControlError> {
        self.call(&Interrupt::default()).await
    }

    /// Like [`interrupt`](Self::interrupt), and cancels queued prompts (`cancel_queued`).
    ///
    /// # Errors
    ///
    /// See [`interrupt`](Self::interrupt).
    pub async fn interrupt_and_cancel_queued(&self) -> Result<InterruptReply, ControlError> {
        let mut request = Interrupt::default();
        request.cancel_queued = Some(true);
        self.call(&request).await
    }

    /// Sets the title of the session (`rename_session`). `system/session_title_changed` follows.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// The CLI refuses an empty title.
    pub async fn rename_session(&self, title: impl Into<String>) -> Result<(), ControlError> {
        self.done(&RenameSession::new(title)).await
    }

    /// Generates a title for the session (`generate_session_title`), with one call of a small model.
    ///
    /// The CLI does not declare this request.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn generate_session_title(
        &self,
        request: &GenerateSessionTitle,
    ) -> Result<GenerateSessionTitleReply, ControlError> {
        self.call(request).await
    }

    /// Sets the colour of the session (`set_color`).
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// CLI 2.1.197 and 2.1.330 refuse it on stdio, with `unsupported_request`.
    pub async fn set_color(&self, color: impl Into<Box<str>>) -> Result<(), ControlError> {
        self.done(&SetColor::new(color)).await
    }

    /// Asks the model a question about the conversation, without adding to it (`side_question`).
    ///
    /// `system/control_request_progress` reports the progress. The CLI does not declare this request.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn side_question(
        &self,
        question: impl Into<String>,
    ) -> Result<SideQuestionReply, ControlError> {
        self.call(&SideQuestion::new(question)).await
    }

    /// Starts the session of a spare process (`claim_session`), which was started with `--await-claim`.
    ///
    /// The CLI does not declare this request. CLI 2.1.197 does not support it.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// The text of a refusal starts with its reason, such as `cwd_not_found:` or `not_a_spare:`.
    pub async fn claim_session(&self, request: &ClaimSession) -> Result<ClaimSessionReply, ControlError> {
        self.call(request).await
    }

    /// Ends the session (`end_session`): the CLI replies, then exits with code 0.
    ///
    /// `reason` is free text. The CLI does not declare this request.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn end_session(&self, reason: Option<&str>) -> Result<(), ControlError> {
        let mut request = EndSession::default();
        request.reason = reason.map(Into::into);
        self.done(&request).await
    }
}
