//! The session itself: its handshake, its names, questions beside it, its end.

use agentwire_protocol::control::{
    ClaimSession, ClaimSessionReply, EndSession, GenerateSessionTitle, GenerateSessionTitleReply, Initialize,
    InitializeReply, Interrupt, InterruptReply, RenameSession, SetColor, SideQuestion, SideQuestionReply,
};

use crate::{Control, ControlError};

impl Control {
    /// Shakes hands again (`initialize`), as after a gap in the connection.
    ///
    /// The CLI takes this request's hooks in the place of those before, whose callbacks it no longer waits for: a tool use that such a hook guards is refused, and may be tried again.
    /// The rest of a session stays as the first handshake made it.
    /// Only send what the session's callbacks can answer: `Session::reinitialize` of the facade sends what it sent at first.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn reinitialize(&self, request: &Initialize) -> Result<InitializeReply, ControlError> {
        self.call(request).await
    }

    /// Stops the running turn (`interrupt`); allowed at any time, also when nothing runs.
    ///
    /// The reply comes before the turn's result, and tells which prompts still wait and will run.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    pub async fn interrupt(&self) -> Result<InterruptReply, ControlError> {
        self.call(&Interrupt::default()).await
    }

    /// As [`interrupt`](Self::interrupt), and drops the prompts that wait (`cancel_queued`).
    ///
    /// # Errors
    ///
    /// As [`interrupt`](Self::interrupt).
    pub async fn interrupt_and_cancel_queued(&self) -> Result<InterruptReply, ControlError> {
        let mut request = Interrupt::default();
        request.cancel_queued = Some(true);
        self.call(&request).await
    }

    /// Gives the session a title (`rename_session`); `system/session_title_changed` follows.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// The CLI refuses an empty title.
    pub async fn rename_session(&self, title: impl Into<String>) -> Result<(), ControlError> {
        self.done(&RenameSession::new(title)).await
    }

    /// Has the model make up a title (`generate_session_title`).
    ///
    /// The CLI asks a small model once. Not declared.
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

    /// Gives the session a colour (`set_color`).
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// CLI 2.1.197 and 2.1.330 refuse it on stdio, with `unsupported_request`.
    pub async fn set_color(&self, color: impl Into<Box<str>>) -> Result<(), ControlError> {
        self.done(&SetColor::new(color)).await
    }

    /// Asks the model beside the conversation (`side_question`): it answers from the conversation, and nothing is added to that.
    ///
    /// `system/control_request_progress` tells how it goes. Not declared.
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

    /// Makes a session of a spare process (`claim_session`), which was started with `--await-claim`.
    ///
    /// Not declared. CLI 2.1.197 does not know it.
    ///
    /// # Errors
    ///
    /// See [`ControlError`].
    /// The CLI's text starts with the reason of a refusal, such as `cwd_not_found:` or `not_a_spare:`.
    pub async fn claim_session(&self, request: &ClaimSession) -> Result<ClaimSessionReply, ControlError> {
        self.call(request).await
    }

    /// Ends the session (`end_session`): the reply comes, then the process ends with code 0.
    ///
    /// `reason` may be in any words. Not declared.
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
