//! Answers `hook_callback`.

use agentwire_control::{CallContext, Reply, Responder, note_failure};
use agentwire_protocol::{InboundRequest, control::HookCallback};

use crate::{HookContext, Hooks, excerpt};

/// Answers every `hook_callback`, one of an id that was never declared with an error.
impl Responder for Hooks {
    fn respond(&self, request: &InboundRequest, context: CallContext) -> Option<Reply> {
        let InboundRequest::HookCallback(callback) = request else { return None };
        Some(self.call(callback, context))
    }
}

impl Hooks {
    fn call(&self, callback: &HookCallback, context: CallContext) -> Reply {
        let Some(registration) = self.find(&callback.callback_id) else {
            let why = format!("no hook has the callback id `{}`", excerpt(&callback.callback_id));
            return Box::pin(async { Err(why) });
        };
        let registration = registration.clone();
        let (input, context) = (callback.input.clone(), HookContext::new(callback, context));
        Box::pin(async move {
            match (registration.callback)(input, context).await {
                Ok(reply) => Ok(reply),
                Err(error) => {
                    let (event, failure) = (&*registration.event, error.kind());
                    // The reason may quote the hook's input: it goes to the CLI, and to whoever asked for such things.
                    tracing::warn!(event, failure = failure.as_str(), "a hook has failed");
                    let reason = format!("the {event} hook {error}");
                    note_failure(failure, &*reason);
                    registration.failed(reason)
                }
            }
        })
    }
}
