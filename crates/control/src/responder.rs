//! The one trait by which the crates above answer the CLI's requests.

use std::{fmt, future::Future, pin::Pin, sync::Arc};

use agentwire_protocol::{InboundRequest, RawJson, RequestId};
use tokio_util::sync::CancellationToken;

use crate::{CallbackError, Config, Control, driver::Prepared};

/// Answers requests of the CLI's.
///
/// Each answer runs as a task of its own, so a slow one holds up nothing.
pub trait Responder: Send + Sync + 'static {
    /// Starts to answer `request`; `None` where it is not this responder's to answer.
    ///
    /// Called in the order of the requests, from the task that reads: return at once, and do the work in the future.
    fn respond(&self, request: InboundRequest, context: CallContext) -> Option<Reply>;

    /// Whether `request` may be this responder's to answer: where it says no, [`respond`](Self::respond) is not called.
    ///
    /// It spares whoever asks several responders a copy of the request and a context for each; a responder need not say
    /// anything here.
    fn may_answer(&self, request: &InboundRequest) -> bool {
        let _ = request;
        true
    }

    /// Returns whether there is any request that this responder answers.
    ///
    /// While no responder of the session does, reading stops at
    /// [`Config::unread_soft_limit`](crate::Config::unread_soft_limit): no request can wait behind unread messages.
    fn may_answer_any(&self) -> bool {
        true
    }

    /// Returns how to refuse `request`, where this responder guards something by it.
    ///
    /// The driver asks when a request arrives, and sends the refusal if the session ends while the request is open.
    /// A request without a refusal gets an error then, which the CLI may take for leave to go ahead.
    /// Return at once: this runs on the task that reads.
    fn refusal(&self, request: &InboundRequest) -> Option<Refusal> {
        let _ = request;
        None
    }

    /// Whether the CLI would go ahead without this responder where it should ask: see [`Driver`](crate::Driver).
    ///
    /// Hooks that can refuse do; a permission handler does not, since the CLI denies what it can't ask about.
    fn guards(&self) -> bool {
        false
    }
}

/// Writes the `response` that refuses a request, for the given reason; `None` where an error is all there is.
pub type Refusal = fn(&str) -> Option<RawJson>;

/// An answer in the making: the `response` of a success, or the text of an error.
///
/// A panic becomes an error.
/// When the CLI takes the request back, the context's token fires; the future is dropped after a grace, and nothing is
/// sent.
pub type Reply = Pin<Box<dyn Future<Output = Result<RawJson, CallbackError>> + Send>>;

/// What a callback may know of the request that it answers.
#[derive(Clone)]
#[non_exhaustive]
pub struct CallContext {
    /// The request's id.
    pub request_id: RequestId,
    /// Fires when the CLI takes the request back, and when the session ends.
    pub cancelled: CancellationToken,
    /// The session: calls from inside a callback work.
    pub control: Control,
}

impl CallContext {
    /// Creates the context of a request that no driver serves, for a host that runs a [`Router`](crate::Router) itself.
    ///
    /// `cancelled` fires only when the host fires it, and calls of `control` fail with
    /// [`ControlError::Closed`](crate::ControlError::Closed).
    pub fn without_driver(request_id: RequestId) -> Self {
        let prepared = Prepared::of(Arc::new(NoResponder), None, Config::default());
        Self::new(request_id, CancellationToken::new(), prepared.control().clone())
    }

    pub(crate) fn new(request_id: RequestId, cancelled: CancellationToken, control: Control) -> Self {
        Self { request_id, cancelled, control }
    }
}

impl fmt::Debug for CallContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallContext").field("request_id", &self.request_id).finish_non_exhaustive()
    }
}

/// Answers nothing: every request gets an error that says so, and the CLI denies.
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

/// Asks each in turn; the first that takes a request answers it.
impl<R: Responder> Responder for Vec<R> {
    fn respond(&self, request: InboundRequest, context: CallContext) -> Option<Reply> {
        let mut asked = self.iter().filter(|responder| responder.may_answer(&request));
        let mut responder = asked.next()?;
        // The last one gets the request and the context themselves: mostly it is the only one.
        for next in asked {
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

    fn refusal(&self, request: &InboundRequest) -> Option<Refusal> {
        self.iter().filter(|responder| responder.may_answer(request)).find_map(|one| one.refusal(request))
    }

    fn guards(&self) -> bool {
        self.iter().any(Responder::guards)
    }
}

impl<R: Responder + ?Sized> Responder for Box<R> {
    fn respond(&self, request: InboundRequest, context: CallContext) -> Option<Reply> {
        (**self).respond(request, context)
    }

    fn may_answer(&self, request: &InboundRequest) -> bool {
        (**self).may_answer(request)
    }

    fn may_answer_any(&self) -> bool {
        (**self).may_answer_any()
    }

    fn refusal(&self, request: &InboundRequest) -> Option<Refusal> {
        (**self).refusal(request)
    }

    fn guards(&self) -> bool {
        (**self).guards()
    }
}

impl<R: Responder + ?Sized> Responder for Arc<R> {
    fn respond(&self, request: InboundRequest, context: CallContext) -> Option<Reply> {
        (**self).respond(request, context)
    }

    fn may_answer(&self, request: &InboundRequest) -> bool {
        (**self).may_answer(request)
    }

    fn may_answer_any(&self) -> bool {
        (**self).may_answer_any()
    }

    fn refusal(&self, request: &InboundRequest) -> Option<Refusal> {
        (**self).refusal(request)
    }

    fn guards(&self) -> bool {
        (**self).guards()
    }
}
