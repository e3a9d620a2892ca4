//! Callbacks: each runs as a task that the session owns.

use std::sync::Arc;

use agentwire_protocol::{RawJson, RequestId};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::{Host, Shared, effects::refuse, shared::PendingCallback};
use crate::{
    CallContext, CallbackError, Control, RefusalFn, Reply,
    panics::{catch_call, catch_panic, excerpt},
};

/// A running callback. Its task ends with the answer, or a grace period after its cancellation.
#[derive(Debug)]
pub(super) struct RunningCallback {
    /// Distinguishes it from another callback with the same request id.
    pub(super) number: u64,
    pub(super) cancelled: CancellationToken,
    /// How to refuse the request.
    pub(super) refusal: Option<RefusalFn>,
}

/// Starts a callback, or refuses the request if no responder handles it.
pub(super) fn start(host: &Host, callback: PendingCallback) {
    let PendingCallback { id, number, cancelled, request, line } = callback;
    let guard = AnswerGuard { shared: Arc::clone(&host.shared), id, number, done: false };
    let Some(handle) = host.handle.upgrade() else {
        return guard.refuse("the session was dropped");
    };
    let context = CallContext::new(guard.id.clone(), cancelled.clone(), Control::new(handle));
    let subtype: Box<str> = request.kind().into();
    match catch_call(|| host.responder.respond(request, context)) {
        Ok(Some(reply)) => run(guard, cancelled, reply),
        Ok(None) => {
            host.shared.push_line(line);
            guard.refuse(&format!("no handler for a request of subtype `{subtype}`"));
        }
        Err(panic) => guard.refuse(&panicked(&panic)),
    }
}

/// Spawns the task of a callback.
fn run(guard: AnswerGuard, cancelled: CancellationToken, reply: Reply) {
    tokio::spawn(async move {
        let grace = guard.shared.config.callback_grace;
        let grace_over = async {
            cancelled.cancelled().await;
            sleep(grace).await;
        };
        tokio::select! {
            biased;
            answer = catch_panic(reply) => match answer {
                Ok(answer) => guard.answer(answer),
                Err(panic) => guard.refuse(&panicked(&panic)),
            },
            () = grace_over => {}
        }
    });
}

/// Refuses its request when it is dropped unanswered, as when the task is aborted.
struct AnswerGuard {
    shared: Arc<Shared>,
    id: RequestId,
    number: u64,
    done: bool,
}

impl AnswerGuard {
    fn answer(mut self, answer: Result<RawJson, CallbackError>) {
        let answer = answer.or_else(|error| error.answer);
        self.close(|_| answer);
    }

    /// Answers with the refusal of a guarding responder, or else with an error.
    fn refuse(mut self, why: &str) {
        self.close(|refusal| refuse(refusal, why));
    }

    fn close(&mut self, answer: impl FnOnce(Option<RefusalFn>) -> Result<RawJson, String>) {
        self.done = true;
        if self.shared.answer(&self.id, self.number, answer).is_err() {
            tracing::debug!(id = %self.id, "an answer came after its request was cancelled");
        }
    }
}

impl Drop for AnswerGuard {
    fn drop(&mut self) {
        if !self.done {
            self.close(|refusal| refuse(refusal, "the callback ended without an answer"));
        }
    }
}

fn panicked(panic: &str) -> String {
    excerpt(&format!("the callback panicked: {panic}")).into_owned()
}
