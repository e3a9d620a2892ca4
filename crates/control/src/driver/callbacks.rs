//! Running callbacks: each a task, owned by the session.

use std::{
    any::Any,
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    task::Poll,
};

use agentwire_codec::{Frame, Incoming, Line};
use agentwire_protocol::{Message, RawJson, RequestId};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::{Host, Shared, shared::Asked};
use crate::{CallContext, CallbackError, Control, Delivery, FailureKind, Refusal, Reply};

/// A callback that runs: its task ends when it has answered, or a grace after it was cancelled.
#[derive(Debug)]
pub(super) struct Running {
    /// Tells it from another one whose request has the same id.
    pub(super) number: u64,
    pub(super) cancelled: CancellationToken,
    /// How to refuse the request.
    pub(super) refusal: Option<Refusal>,
}

impl Running {
    /// Fires the callback's token; its task does the rest.
    pub(super) fn cancel(self) {
        self.cancelled.cancel();
    }
}

/// Starts the answer to a request, or answers that nobody does.
///
/// Where nothing can be sent any more, nothing is started, and the request is shown to the user.
pub(super) fn start(host: &Host, asked: Asked) {
    let Asked { id, number, cancelled, request, line } = asked;
    let Some(cancelled) = cancelled else {
        // No answer can be sent, so nothing may be done on the strength of the request.
        show(&host.shared, line);
        return close(&host.shared, &id);
    };
    let duty = ReplyGuard { shared: Arc::clone(&host.shared), id, number, done: false };
    let Some(handle) = host.handle.upgrade() else {
        return duty.answer(Err("the session is being given up".into()));
    };
    let context = CallContext::new(duty.id.clone(), cancelled.clone(), Control::new(handle));
    match catch_unwind(AssertUnwindSafe(|| host.responder.respond(request, context))) {
        Ok(Some(reply)) => run(duty, cancelled, reply),
        Ok(None) => {
            let kind = show(&host.shared, line);
            duty.answer(Err(format!("no handler for a request of subtype `{kind}`").into()));
        }
        Err(panic) => duty.answer(Err(panicked(&*panic))),
    }
}

/// Lets the answer run as a task.
fn run(duty: ReplyGuard, cancelled: CancellationToken, reply: Reply) {
    tokio::spawn(async move {
        let grace = duty.shared.config().callback_grace;
        let grace_over = async {
            cancelled.cancelled().await;
            sleep(grace).await;
        };
        tokio::select! {
            biased;
            reply = catch_panic(reply) => duty.answer(reply),
            () = grace_over => {}
        }
    });
}

/// The duty to answer: a task that ends without an answer, by whatever cause, is answered for.
struct ReplyGuard {
    shared: Arc<Shared>,
    id: RequestId,
    number: u64,
    done: bool,
}

impl ReplyGuard {
    fn answer(mut self, reply: Result<RawJson, CallbackError>) {
        self.done = true;
        let answer = reply.or_else(|error| error.answer);
        if self.shared.answer(&self.id, self.number, answer).is_err() {
            tracing::debug!(id = %self.id, "an answer came after its request was cancelled");
        }
    }
}

impl Drop for ReplyGuard {
    fn drop(&mut self) {
        if !self.done {
            let reply = Err("the callback ended without an answer".to_owned());
            if self.shared.answer(&self.id, self.number, reply).is_err() {
                tracing::debug!(id = %self.id, "a callback ended after its request was cancelled");
            }
        }
    }
}

/// Shows a request that nobody handles to the user, and gives its subtype.
fn show(shared: &Shared, line: Line) -> Box<str> {
    // It was a request once already, when it was routed.
    let Incoming::Message(message, line) = Incoming::decode(Frame::new(line)) else { return Box::default() };
    let kind = match &message {
        Message::ControlRequest(asked) => asked.request.kind().into(),
        _ => Box::default(),
    };
    shared.deliver(Delivery::Incoming(Incoming::Unhandled(message, line)));
    kind
}

/// Closes a request that can't be answered.
fn close(shared: &Shared, id: &RequestId) {
    let answered = shared.with_router(|router| router.answer(id, Err("nothing can be sent".to_owned())));
    if answered.is_err() {
        tracing::debug!(%id, "a request came when nothing could be sent any more");
    }
}

/// Awaits the reply; a panic becomes an error.
async fn catch_panic(mut reply: Reply) -> Result<RawJson, CallbackError> {
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| reply.as_mut().poll(context))) {
        Ok(poll) => poll,
        Err(panic) => Poll::Ready(Err(panicked(&*panic))),
    })
    .await
}

fn panicked(panic: &(dyn Any + Send)) -> CallbackError {
    let text =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let text = excerpt(format!("the callback panicked: {}", text.unwrap_or("no text")));
    CallbackError::new(FailureKind::Panic, text)
}

/// Cuts a text that goes to the CLI, and from there perhaps to its model.
fn excerpt(mut text: String) -> String {
    if text.len() > LONGEST_TEXT {
        let most = LONGEST_TEXT - ELLIPSIS.len();
        let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
        text.truncate(end);
        text.push_str(ELLIPSIS);
    }
    text
}

/// The most bytes of a panic's text that are passed on: enough to find it by.
const LONGEST_TEXT: usize = 1000;
const ELLIPSIS: &str = "…";
