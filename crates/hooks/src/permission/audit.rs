//! Audits of a permission handler: each request, its outcome and its duration.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use agentwire_control::panics::catch_call;
use agentwire_protocol::{control::CanUseTool, permission::Decision};

use super::PermissionHandler;

/// One request and its outcome.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PermissionAudit<'a> {
    /// The request.
    pub request: &'a CanUseTool,
    /// The outcome.
    pub outcome: AuditOutcome<'a>,
    /// The time that the handler took.
    pub took: Duration,
}

/// The outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum AuditOutcome<'a> {
    /// The handler has decided.
    Decided(&'a Decision),
    /// The handler has left the request open.
    LeftOpen,
    /// The handler failed or panicked, with this text; the CLI denies.
    Failed(&'a str),
    /// The CLI cancelled the request, or the session ended, before the handler answered; its answer is not sent.
    Cancelled,
}

impl PermissionHandler {
    /// Calls `auditor` with each request and its outcome, before the answer is sent.
    ///
    /// The auditor gets the outcome of this handler. Wrap a whole chain to audit the answers that are sent, or a part of
    /// it to audit that part.
    /// Questions that the CLI settles without asking do not appear.
    ///
    /// The auditor can't change the outcome: it borrows the decision, and its panic is logged.
    /// It runs on the handler's task, so it must not block for long.
    #[must_use]
    pub fn audited(self, auditor: impl Fn(&PermissionAudit<'_>) + Send + Sync + 'static) -> Self {
        let auditor: Arc<Auditor> = Arc::new(auditor);
        Self::erased(move |request, context| {
            let (decide, auditor) = (Arc::clone(&self.decide), Arc::clone(&auditor));
            Box::pin(async move {
                let watch =
                    Watch { request: request.clone(), since: Instant::now(), auditor, reported: false };
                let cancelled = context.cancelled.clone();
                let mut deciding = decide(request, context);
                let Some(decision) = cancelled.run_until_cancelled(&mut deciding).await else {
                    // The handler may run for a while.
                    watch.finish(AuditOutcome::Cancelled);
                    return deciding.await;
                };
                watch.finish(match &decision {
                    // The CLI ignores an answer that comes too late.
                    _ if cancelled.is_cancelled() => AuditOutcome::Cancelled,
                    Ok(Some(decision)) => AuditOutcome::Decided(decision),
                    Ok(None) => AuditOutcome::LeftOpen,
                    Err(error) => AuditOutcome::Failed(error.answer.as_ref().err().unwrap_or(&error.reason)),
                });
                decision
            })
        })
    }
}

type Auditor = dyn Fn(&PermissionAudit<'_>) + Send + Sync;

/// Reports the outcome once, at the latest when it is dropped.
struct Watch {
    request: Box<CanUseTool>,
    since: Instant,
    auditor: Arc<Auditor>,
    reported: bool,
}

impl Watch {
    fn finish(mut self, outcome: AuditOutcome<'_>) {
        self.reported = true;
        self.report(outcome);
    }

    fn report(&self, outcome: AuditOutcome<'_>) {
        let audit = PermissionAudit { request: &self.request, outcome, took: self.since.elapsed() };
        if catch_call(|| (self.auditor)(&audit)).is_err() {
            tracing::error!(tool = %self.request.tool_name, "the auditor of permission requests panicked");
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if !self.reported {
            self.report(AuditOutcome::Cancelled);
        }
    }
}
