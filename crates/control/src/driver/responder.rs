//! The trait for answering the CLI's requests.

use std::{future::Future, pin::Pin, sync::Arc};

use agentwire_protocol::{InboundRequest, RawJson, RequestId};
use tokio_util::sync::CancellationToken;

use super::{CallbackError, Config, Control, Prepared};

/// Answers requests of the CLI.
///
/// Each answer runs as a task of its own, so a slow one delays nothing else.
pub trait Responder: Send + Sync + 'static {
    /// Starts to answer `request`, or returns `None` if this responder does not handle it.
    ///
    /// The reading task calls this in the order of the requests: return at once, and do the work in the future.
    fn respond(&self, request: InboundRequest, context: CallContext) -> Option<Reply>;

    /// Returns whether this responder may handle `request`. If not, a list of responders skips this one, and copies neither
    /// the request nor the context for it. `true` by default.
    fn may_answer(&self, request: &InboundRequest) -> bool {
        let _ = request;
        true
    }

    /// Returns whether this responder handles any request.
    ///
    /// In a session without such a responder, reading stops at
    /// [`Config::unread_soft_limit`](crate::Config::unread_soft_limit), because no request can lie behind unread messages.
    fn may_answer_any(&self) -> bool {
        true
    }

    /// Returns how to refuse `request`, if this responder guards an action with it.
    ///
    /// The driver calls this when a request arrives, and sends the refusal if no responder handles the request, if the
    /// callback panics, or if the input or the session ends while the request is open.
    /// A request without a refusal, or with one that panics, gets an error then, after which the CLI may go ahead.
    /// Called under the session's lock: return at once. Calling the session from here deadlocks.
    fn refusal(&self, request: &InboundRequest) -> Option<RefusalFn> {
        let _ = request;
        None
    }

    /// Returns whether the CLI would go ahead with a guarded action without this responder: see [`Driver`](crate::Driver).
    ///
    /// True for hooks that can refuse. False for permission handlers, because the CLI denies when it can't ask.
    fn guards(&self) -> bool {
        false
    }
}

/// Returns the `response` that refuses a request for the given reason, or `None` to send an error.
pub type RefusalFn = fn(&str) -> Option<RawJson>;

/// The future of an answer: the `response` of a success, or an error.
///
/// A panic becomes the request's refusal, or an error without one.
/// When the CLI cancels the request, the context's token is cancelled. After a grace period the future is dropped; no answer
/// is sent.
pub type Reply = Pin<Box<dyn Future<Output = Result<RawJson, CallbackError>> + Send>>;

/// The context of a request: its id, its cancellation, and the session.
#[derive(Clone)]
#[non_exhaustive]
pub struct CallContext {
    /// The request's id.
    pub request_id: RequestId,
    /// Cancelled when the CLI cancels the request, and when the CLI's input or the session ends.
    pub cancelled: CancellationToken,
    /// A handle to the session. Calls from inside a callback work.
    pub control: Control,
}

impl CallContext {
    /// Creates the context of a request that no driver serves, for a host that runs a [`Router`](crate::Router) itself.
    ///
    /// `cancelled` is cancelled only by the host, and calls of `control` fail with
    /// [`ControlError::Closed`](crate::ControlError::Closed).
    pub fn without_driver(request_id: RequestId) -> Self {
        let prepared = Prepared::of(Arc::new(NoResponder), None, Config::default());
        Self::new(request_id, CancellationToken::new(), prepared.control().clone())
    }

    pub(crate) fn new(request_id: RequestId, cancelled: CancellationToken, control: Control) -> Self {
        Self { request_id, cancelled, control }
    }
}

agentwire_transport::debug_by_name!(CallContext { request_id });

/// A responder without handlers. Every request gets an error; for a permission request the CLI then denies the tool.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct NoResponder;

impl Responder for NoResponder {
    fn respond(&self, _: InboundRequest, _: CallContext) -> Option<Reply> {
        None
    }

    fn may_answer_any(&self) -> bool {
        false
    }
}

/// Offers each request to every responder in turn. The first that handles it answers.
impl<R: Responder> Responder for Vec<R> {
    fn respond(&self, request: InboundRequest, context: CallContext) -> Option<Reply> {
        let mut candidates = self.iter().filter(|responder| responder.may_answer(&request));
        let mut responder = candidates.next()?;
        // Moves the request to the last responder, which is usually the only one.
        for next in candidates {
            if let Some(reply) = responder.respond(request.clone(), context.clone()) {
                return Some(reply);
            }
            responder = next;
        }
        responder.respond(request, context)
    }

    fn may_answer(&self, request: &InboundRequest) -> bool {
        self.iter().any(|responder| responder.may_answer(request))
    }

    fn may_answer_any(&self) -> bool {
        self.iter().any(Responder::may_answer_any)
    }

    fn refusal(&self, request: &InboundRequest) -> Option<RefusalFn> {
        self.iter().filter(|responder| responder.may_answer(request)).find_map(|one| one.refusal(request))
    }

    fn guards(&self) -> bool {
        self.iter().any(Responder::guards)
    }
}

/// Implements the trait for a pointer to a responder.
macro_rules! forward {
    ($($pointer:ident)+) => { $(
        impl<R: Responder + ?Sized> Responder for $pointer<R> {
            fn respond(&self, request: InboundRequest, context: CallContext) -> Option<Reply> {
                (**self).respond(request, context)
            }

            fn may_answer(&self, request: &InboundRequest) -> bool {
                (**self).may_answer(request)
            }

            fn may_answer_any(&self) -> bool {
                (**self).may_answer_any()
            }

            fn refusal(&self, request: &InboundRequest) -> Option<RefusalFn> {
                (**self).refusal(request)
            }

            fn guards(&self) -> bool {
                (**self).guards()
            }
        }
    )+ };
}

forward! { Box Arc }
