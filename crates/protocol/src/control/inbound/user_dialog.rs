//! `request_user_dialog`: a dialog with the user.

use crate::{RawJson, ToolUseId};

/// A request for a dialog with the user (`request_user_dialog`).
///
/// An error reply does not close the dialog.
/// This host is only responsible for kinds that it declared in the handshake (`supportedDialogKinds`).
/// Leave other kinds unanswered, for another host or the CLI's own timeout.
#[wire]
pub struct RequestUserDialog {
    /// The kind of dialog, such as `refusal_fallback_prompt` (`dialog_kind`).
    pub dialog_kind: Box<str>,
    /// The content of the dialog; its format depends on the kind (`payload`).
    pub payload: RawJson,
    /// The tool use that it belongs to (`tool_use_id`).
    pub tool_use_id: Option<ToolUseId>,
}

/// The outcome of a dialog with the user.
#[wire(tag = "behavior")]
pub enum RequestUserDialogReply {
    /// The user made a choice.
    Completed(DialogChoice) = "completed",
    /// The user dismissed the dialog, and the CLI uses its default.
    Cancelled(DialogCancelled) = "cancelled",
}

impl RequestUserDialogReply {
    /// Returns a reply with the user's choice.
    pub fn completed(result: RawJson) -> Self {
        Self::Completed(DialogChoice { result })
    }

    /// Returns a reply for a dismissed dialog.
    pub fn cancelled() -> Self {
        Self::Cancelled(DialogCancelled {})
    }
}

/// The user's choice.
#[wire]
pub struct DialogChoice {
    /// The choice; its format depends on the kind of dialog (`result`).
    ///
    /// For `refusal_fallback_prompt` it is a string: with `"retry_fallback"` the CLI continues with the model that the
    /// dialog shows; with `"edit_prompt"` the turn is aborted, without an answer and an error result.
    /// With any other value the turn ends with an error, as if the user had dismissed the dialog.
    pub result: RawJson,
}

/// The user dismissed the dialog.
#[wire(Copy, Default, Eq)]
pub struct DialogCancelled {}
