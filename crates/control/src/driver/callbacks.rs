//! Running callbacks: each a task, owned by the session.

use std::{
    any::Any,
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::Arc,
};

use agentwire_codec::Incoming;
use agentwire_protocol::{Message, RawJson, decode::decode_bytes};
use tokio_util::sync::CancellationToken;

use super::{Shared, shared::Asked};
use crate::{CallContext, Control, Delivery, Reply, Responder};

/// A callback that runs: its task ends when it has answered, or a grace after it was cancelled.
#[derive(Debug)]
pub(super) struct Running {
    cancelled: CancellationToken,
}

impl Running {
    /// Fires the callback's token; its task does the rest.
    pub(super) fn cancel(self) {
        self.cancelled.cancel();
    }
}

/// Starts the answer to a request, or answers that nobody does.
pub(super) fn start(shared: &Arc<Shared>, responder: &dyn Responder, asked: Asked) {
    let Asked { id, request, line } = asked;
    let cancelled = CancellationToken::new();
    let context = CallContext::new(id.clone(), cancelled.clone(), Control::new(Arc::clone(shared)));
    let reply = match catch_unwind(AssertUnwindSafe(|| responder.respond(&request, context))) {
        Ok(Some(reply)) => reply,
        Ok(None) => {
            let why = format!("no handler for a request of subtype `{}`", request.kind());
            return refuse(shared, &id, why, Some(line));
        }
        Err(panic) => return refuse(shared, &id, panic_text(&*panic), None),
    };
    shared.state().callbacks.insert(id.clone(), Running { cancelled: cancelled.clone() });
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        let grace = shared.settings().callback_grace;
        let taken_back = async {
            cancelled.cancelled().await;
            tokio::time::sleep(grace).await;
        };
        let reply = tokio::select! {
            reply = settle(reply) => reply,
            () = taken_back => return,
        };
        if shared.answer(&id, reply).is_err() {
            tracing::debug!(%id, "an answer came after its request was taken back");
        }
    });
}

/// Answers with an error; with a line, the request is shown to the user too.
fn refuse(
    shared: &Shared,
    id: &agentwire_protocol::RequestId,
    why: String,
    line: Option<agentwire_codec::Line>,
) {
    if let Some(line) = line
        && let Ok(message) = decode_bytes::<Message>(line.as_bytes())
    {
        shared.deliver(Delivery::Incoming(Incoming::Unhandled(message, line)));
    }
    if shared.answer(id, Err(why)).is_err() {
        tracing::debug!(%id, "a request was taken back before it could be refused");
    }
}

/// The reply, or an error where making it panics.
async fn settle(reply: Reply) -> Result<RawJson, String> {
    let mut reply = pin!(reply);
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| reply.as_mut().poll(context))) {
        Ok(poll) => poll,
        Err(panic) => std::task::Poll::Ready(Err(panic_text(&*panic))),
    })
    .await
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("the callback panicked: {}", text.unwrap_or("no text"))
}
