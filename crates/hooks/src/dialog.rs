//! The dialog callback: answers `request_user_dialog`.

use std::{collections::BTreeSet, future::Future};

use agentwire_control::{CallContext, RefusalFn, Reply, Responder};
use agentwire_protocol::{
    InboundRequest, RawJson,
    control::{RequestUserDialog, RequestUserDialogReply},
};

use crate::{
    IntoAnswer,
    question::{self, Handler},
};

/// A handler that shows the CLI's dialogs of the declared kinds to the user (`request_user_dialog`).
///
/// The CLI sends a dialog only if its kind was declared in the handshake
/// ([`Initialize::supported_dialog_kinds`](agentwire_protocol::control::Initialize::supported_dialog_kinds)); otherwise
/// it takes its default action.
/// If the handler fails or panics, the dialog counts as dismissed, and the CLI takes its default action too.
/// Other responders may answer dialogs of other kinds. An error reply does not close a dialog.
/// When the CLI withdraws a dialog, the context's token is cancelled.
///
/// ```
/// use agentwire_hooks::DialogHandler;
/// use agentwire_protocol::control::RequestUserDialogReply;
///
/// let handler = DialogHandler::new(["refusal_fallback_prompt"], async |dialog, _cx| {
///     println!("{}", dialog.payload);
///     RequestUserDialogReply::cancelled()
/// });
/// assert!(handler.kinds().eq(["refusal_fallback_prompt"]));
/// ```
#[derive(Clone)]
pub struct DialogHandler {
    kinds: BTreeSet<Box<str>>,
    show: Handler<RequestUserDialog, RequestUserDialogReply>,
}

impl DialogHandler {
    /// Calls `handler` for each dialog of these kinds; dialogs may run concurrently.
    ///
    /// Name only kinds that the handler can show, since the CLI relies on this list.
    pub fn new<I, F, Fut>(kinds: I, handler: F) -> Self
    where
        I: IntoIterator<Item: Into<Box<str>>>,
        F: Fn(RequestUserDialog, CallContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoAnswer<RequestUserDialogReply>> + Send,
    {
        let kinds = kinds.into_iter().map(Into::into).collect();
        Self { kinds, show: question::erase("the handler", handler) }
    }

    /// Returns the kinds of dialogs, for the handshake.
    pub fn kinds(&self) -> impl Iterator<Item = &str> {
        self.kinds.iter().map(|kind| &**kind)
    }
}

agentwire_control::debug_by_name!(DialogHandler { kinds });

/// Answers every `request_user_dialog` of its kinds.
impl Responder for DialogHandler {
    fn respond(&self, request: InboundRequest, context: CallContext) -> Option<Reply> {
        let InboundRequest::UserDialog(dialog) = request else { return None };
        if !self.kinds.contains(&dialog.dialog_kind) {
            return None;
        }
        let kind = dialog.dialog_kind.clone();
        let reply = (self.show)(*dialog, context);
        let log = move || tracing::warn!(%kind, "a dialog is dismissed");
        Some(question::dismissing(reply, RequestUserDialogReply::cancelled(), log))
    }

    fn may_answer(&self, request: &InboundRequest) -> bool {
        matches!(request, InboundRequest::UserDialog(dialog) if self.kinds.contains(&dialog.dialog_kind))
    }

    fn refusal(&self, request: &InboundRequest) -> Option<RefusalFn> {
        self.may_answer(request).then_some(|_| RawJson::encode(&RequestUserDialogReply::cancelled()).ok())
    }
}
