//! Reports printed output as progress while a call runs.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{CallToolResult, ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tokio_util::sync::CancellationToken;

/// The caller of one call.
pub(super) struct Progress {
    peer: Peer<RoleServer>,
    /// `None` if the caller requests no progress.
    token: Option<ProgressToken>,
    cancelled: CancellationToken,
    started: Instant,
    last: f64,
}

impl Progress {
    pub(super) fn new(context: &RequestContext<RoleServer>) -> Self {
        Self {
            peer: context.peer.clone(),
            token: context.meta.get_progress_token(),
            cancelled: context.ct.clone(),
            started: Instant::now(),
            last: 0.0,
        }
    }

    /// Waits for the outcome and reports printed output; returns `None` if the call was cancelled.
    pub(super) async fn follow(
        mut self,
        mut outcome: oneshot::Receiver<CallToolResult>,
        mut printed: mpsc::Receiver<String>,
    ) -> Option<CallToolResult> {
        let mut signs = interval_at(Instant::now() + SIGN_OF_LIFE, SIGN_OF_LIFE);
        signs.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                () = self.cancelled.cancelled() => return None,
                Some(first) = printed.recv() => {
                    let mut text = first;
                    while let Ok(more) = printed.try_recv() {
                        text.push_str(&more);
                    }
                    self.send(&text).await;
                }
                outcome = &mut outcome => return outcome.ok(),
                _tick = signs.tick() => {
                    let seconds = self.started.elapsed().as_secs();
                    self.send(&format!("[{seconds} s]")).await;
                }
            }
        }
    }

    /// Sends progress in elapsed seconds, which must increase with each notification.
    async fn send(&mut self, text: &str) {
        let Some(token) = &self.token else { return };
        let skipped = text.chars().count().saturating_sub(MAX_CHARS);
        let text: String = text.chars().skip(skipped).collect();
        self.last = self.started.elapsed().as_secs_f64().max(self.last + 1e-6);
        let progress = ProgressNotificationParam::new(token.clone(), self.last).with_message(text);
        // A closed connection is detected elsewhere.
        let _gone = self.peer.notify_progress(progress).await;
    }
}

/// The interval of progress notifications while the code prints nothing.
const SIGN_OF_LIFE: Duration = Duration::from_secs(10);
const MAX_CHARS: usize = 2_000;
