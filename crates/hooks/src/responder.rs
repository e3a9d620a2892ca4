//! Answers `hook_callback`.

use std::sync::Arc;

use agentwire_control::{CallContext, RefusalFn, Reply, Responder, panics::excerpt};
use agentwire_protocol::InboundRequest;

use crate::Hooks;

/// Answers every `hook_callback`; an undeclared id gets an error.
impl Responder for Hooks {
    fn respond(&self, request: InboundRequest, context: CallContext) -> Option<Reply> {
        let InboundRequest::HookCallback(callback) = request else { return None };
        let Some(registration) = self.find(&callback.callback_id) else {
            let why = format!("no hook has the callback id `{}`", excerpt(&callback.callback_id));
            return Some(Box::pin(async { Err(why.into()) }));
        };
        Some(Arc::clone(registration).call(*callback, context))
    }

    fn may_answer(&self, request: &InboundRequest) -> bool {
        matches!(request, InboundRequest::HookCallback(_))
    }

    fn may_answer_any(&self) -> bool {
        !self.is_empty()
    }

    fn refusal(&self, request: &InboundRequest) -> Option<RefusalFn> {
        let InboundRequest::HookCallback(callback) = request else { return None };
        self.find(&callback.callback_id)?.refusal()
    }

    fn guards(&self) -> bool {
        self.registrations.iter().any(|registration| registration.guards())
    }
}
