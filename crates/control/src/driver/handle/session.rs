//! Requests about the session itself: handshake, interrupt, title, side questions, end.

use agentwire_protocol::control::{
    ClaimSession, ClaimSessionReply, EndSession, GenerateSessionTitle, GenerateSessionTitleReply, Initialize,
    InitializeReply, Interrupt, InterruptReply, RenameSession, RenameSource, SetColor, SideQuestion,
    SideQuestionReply,
};

use super::{Control, calls, with};

calls! {
    /// Repeats the handshake (`initialize`), as after a gap in the connection.
    ///
    /// This request's hooks replace the earlier ones. The CLI no longer waits for open callbacks of the earlier hooks,
    /// and refuses the tool uses that these guard; the model may try again.
    /// Everything else stays as the first handshake set it.
    /// Declare only hooks that the session's responder answers: the facade's `Session::reinitialize` repeats the first
    /// handshake.
    fn reinitialize(request: &Initialize) -> InitializeReply = request;

    /// Interrupts the running turn (`interrupt`). Allowed at any time, even when no turn runs.
    ///
    /// The reply arrives before the turn's result, and lists the queued prompts that will still run.
    fn interrupt() -> InterruptReply = &Interrupt::default();

    /// Like [`interrupt`](Self::interrupt), and cancels queued prompts (`cancel_queued`).
    fn interrupt_and_cancel_queued() -> InterruptReply =
        &with(Interrupt::default(), |request| request.cancel_queued = Some(true));

    /// Sets the title of the session (`rename_session`), as a title that the user of the host chose (`source: host`).
    /// `system/session_title_changed` follows. The CLI refuses an empty title.
    fn rename_session(title: impl Into<String>) -> () =
        &with(RenameSession::new(title), |request| request.source = Some(RenameSource::Host));

    /// Generates a title for the session (`generate_session_title`), with one call of a small model.
    ///
    /// The CLI does not declare this request.
    fn generate_session_title(request: &GenerateSessionTitle) -> GenerateSessionTitleReply = request;

    /// Sets the colour of the session (`set_color`).
    /// CLI 2.1.197 and 2.1.330 refuse it on stdio, with `unsupported_request`.
    fn set_color(color: impl Into<Box<str>>) -> () = &SetColor::new(color);

    /// Asks the model a question about the conversation, without adding to it (`side_question`).
    ///
    /// `system/control_request_progress` reports the progress. The CLI does not declare this request.
    fn side_question(question: impl Into<String>) -> SideQuestionReply = &SideQuestion::new(question);

    /// Starts the session of a spare process (`claim_session`), which was started with `--await-claim`.
    ///
    /// The CLI does not declare this request. CLI 2.1.197 does not support it.
    /// The text of a refusal starts with its reason, such as `cwd_not_found:` or `not_a_spare:`.
    fn claim_session(request: &ClaimSession) -> ClaimSessionReply = request;

    /// Ends the session (`end_session`): the CLI replies, then exits with code 0.
    ///
    /// `reason` is free text. The CLI does not declare this request.
    fn end_session(reason: Option<&str>) -> () =
        &with(EndSession::default(), |request| request.reason = reason.map(Into::into));
}
