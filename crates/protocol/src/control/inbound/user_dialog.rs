//! `request_user_dialog`: a dialog for the user.

use serde::{Deserialize, Serialize};

use super::InboundCall;
use crate::{RawJson, ToolUseId, tagged::tagged};

/// Asks for a dialog with the user (`request_user_dialog`).
///
/// An error reply is no answer: the dialog stays open.
/// Only kinds that the handshake declared (`supportedDialogKinds`) are meant for this host.
/// One of another kind must be left without an answer, for another host or the CLI's own limit.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct RequestUserDialog {
    /// Which dialog, such as `refusal_fallback_prompt` (`dialog_kind`).
    pub dialog_kind: Box<str>,
    /// What the dialog shows, in a shape of its own for each kind (`payload`).
    pub payload: RawJson,
    /// The tool use that it belongs to (`tool_use_id`).
    pub tool_use_id: Option<ToolUseId>,
}

impl InboundCall for RequestUserDialog {
    const SUBTYPE: &'static str = "request_user_dialog";
    type Reply = RequestUserDialogReply;
}

tagged! {
    /// How a dialog with the user ended.
    pub enum RequestUserDialogReply by "behavior" {
        /// The user chose.
        Completed(DialogChoice) = "completed",
        /// The user dismissed it, and the CLI does what it does by default.
        Cancelled(DialogCancelled) = "cancelled",
    }
}

impl RequestUserDialogReply {
    /// The user chose this.
    pub fn completed(result: RawJson) -> Self {
        Self::Completed(DialogChoice { result })
    }

    /// The user dismissed it.
    pub fn cancelled() -> Self {
        Self::Cancelled(DialogCancelled {})
    }
}

/// What the user chose.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct DialogChoice {
    /// The choice, in a shape of its own for each kind of dialog (`result`).
    ///
    /// For `refusal_fallback_prompt` it is a text: with `"retry_fallback"` the CLI goes on with the model that the
    /// dialog names; with `"edit_prompt"` the turn ends without an answer and without an error.
    /// With anything else it ends as if the user had dismissed the dialog: with an error.
    pub result: RawJson,
}

/// The user dismissed the dialog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct DialogCancelled {}
