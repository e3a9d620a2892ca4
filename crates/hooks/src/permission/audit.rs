//! Watching a permission handler: what it was asked, what came of it, and how long it took.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::{Duration, Instant},
};

use agentwire_protocol::{control::CanUseTool, permission::Decision};

use super::PermissionHandler;

/// One question, and what came of it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Audit<'a> {
    /// The question.
    pub request: &'a CanUseTool,
    /// What came of it.
    pub outcome: Outcome<'a>,
    /// How long the handler took.
    pub took: Duration,
}

/// What came of a question.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outcome<'a> {
    /// The handler has decided.
    Decided(&'a Decision),
    /// The handler left it open.
    LeftOpen,
    /// The handler erred or panicked, with this text; the CLI denies.
    Failed(&'a str),
    /// The question was cancelled, or the session ended, before the handler was done.
    Cancelled,
}

impl PermissionHandler {
    /// Tells `auditor` of each question and what came of it, before the answer is sent.
    ///
    /// It sees what this handler says: put it around the whole of a chain to see what is sent, around a part to see
    /// that part.
    /// A question that the CLI settles without asking is not among them.
    ///
    /// The auditor changes nothing: not by what it does with the decision, which it only borrows, and not by a panic,
    /// which is logged.
    /// It runs where the handler runs, so it must not block for long.
    #[must_use]
    pub fn audited(self, auditor: impl Fn(&Audit<'_>) + Send + Sync + 'static) -> Self {
        let auditor: Arc<Auditor> = Arc::new(auditor);
        Self::erased(move |request, context| {
            let (decide, auditor) = (Arc::clone(&self.decide), Arc::clone(&auditor));
            Box::pin(async move {
                let watch = Watch { request: request.clone(), since: Instant::now(), auditor, told: false };
                let decision = decide(request, context).await;
                watch.tell(match &decision {
                    Ok(Some(decision)) => Outcome::Decided(decision),
                    Ok(None) => Outcome::LeftOpen,
                    Err(error) => Outcome::Failed(error.answer.as_ref().err().unwrap_or(&error.reason)),
                });
                decision
            })
        })
    }
}

type Auditor = dyn Fn(&Audit<'_>) + Send + Sync;

/// Tells once, at the latest when it is dropped.
struct Watch {
    request: Box<CanUseTool>,
    since: Instant,
    auditor: Arc<Auditor>,
    told: bool,
}

impl Watch {
    fn tell(mut self, outcome: Outcome<'_>) {
        self.told = true;
        self.say(outcome);
    }

    fn say(&self, outcome: Outcome<'_>) {
        let audit = Audit { request: &self.request, outcome, took: self.since.elapsed() };
        if catch_unwind(AssertUnwindSafe(|| (self.auditor)(&audit))).is_err() {
            tracing::error!(tool = %self.request.tool_name, "the auditor of permission questions panicked");
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if !self.told {
            self.say(Outcome::Cancelled);
        }
    }
}
