//! One observed callback, from its request to its answer.

use std::{pin::pin, sync::Arc};

use agentwire_control::{CallbackError, CancellationToken, FailureKind, Reply};
use agentwire_protocol::RawJson;
use tracing::{Instrument, Span};

use super::{ActivityOutcome, Began, reply, watch::Watch};

/// An observed callback. If it is dropped before its end, the drop reports the outcome.
pub(crate) struct Call {
    pub(super) watch: Arc<Watch>,
    pub(super) began: Arc<Began>,
    pub(super) span: Span,
    pub(super) cancelled: CancellationToken,
    pub(super) reported: bool,
}

impl Call {
    /// Starts the callback inside its span.
    pub(crate) fn start<T>(&self, respond: impl FnOnce() -> T) -> T {
        self.span.in_scope(respond)
    }

    /// Runs the callback inside its span and reports its end; a cancelled one ends before its handler has cleaned up.
    pub(crate) async fn run(mut self, reply: Reply) -> Result<RawJson, CallbackError> {
        let reply = reply.instrument(self.span.clone());
        let (mut reply, cancelled) = (pin!(reply), self.cancelled.clone());
        let answered = tokio::select! {
            biased;
            answered = &mut reply => answered,
            () = cancelled.cancelled() => {
                self.report(ActivityOutcome::Cancelled, None);
                return reply.await;
            }
        };
        self.answered(&answered);
        answered
    }

    /// Reports that no handler accepts the request.
    pub(crate) fn unhandled(mut self) {
        self.report(ActivityOutcome::Unhandled, None);
    }

    fn answered(&mut self, answer: &Result<RawJson, CallbackError>) {
        if self.cancelled.is_cancelled() {
            return self.report(ActivityOutcome::Cancelled, None);
        }
        let contents = self.watch.contents;
        let outcome = reply::outcome(&self.began.activity, answer, contents);
        let sent = answer.as_ref().or_else(|error| error.answer.as_ref());
        let output = sent.ok().filter(|_| contents).cloned();
        self.report(outcome, output);
    }

    fn report(&mut self, outcome: ActivityOutcome, output: Option<RawJson>) {
        self.reported = true;
        self.watch.end(self.began.id, outcome, output);
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if self.reported {
            return;
        }
        let outcome = if std::thread::panicking() {
            ActivityOutcome::Failed { failure: FailureKind::Panic, reason: None }
        } else if self.cancelled.is_cancelled() {
            ActivityOutcome::Cancelled
        } else {
            ActivityOutcome::Cut
        };
        self.report(outcome, None);
    }
}
