//! Runs a client's request until it has a result or needs input.

use std::{pin::pin, time::Duration};

use rmcp::{
    ErrorData, RoleServer,
    model::{InputResponses, ProgressNotificationParam, ServerResult},
    service::RequestContext,
};
use tokio::{
    sync::{
        broadcast::{self, error::RecvError},
        mpsc,
    },
    time::timeout,
};

use super::{
    Caller, Gateway, is_stateless,
    rounds::{QUESTIONS, Running},
};
use crate::{Progress, call::ClientSide, client::forwarded};

/// The input in a repeated request.
pub(super) struct Repetition {
    pub(super) responses: Option<InputResponses>,
    pub(super) state: Option<String>,
}

impl Gateway {
    /// Starts a request, or continues it if the client repeats it. Returns its result, or that it needs input.
    ///
    /// `found` returns the work on the item that the request names; a repetition needs no such item.
    pub(super) async fn run<W, F>(
        &self,
        subject: (&'static str, String),
        again: Repetition,
        found: impl Future<Output = Result<W, ErrorData>>,
        context: &RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData>
    where
        W: FnOnce(ClientSide) -> F,
        F: Future<Output = Result<ServerResult, ErrorData>> + Send + 'static,
    {
        let mut running = match again.state {
            Some(state) => {
                let mut running = self.waiting.take(&state, &subject)?;
                if running.answer(again.responses.unwrap_or_default()) {
                    return Ok(ServerResult::InputRequiredResult(self.waiting.keep(running)));
                }
                running
            }
            None => {
                let work = found.await?;
                let (questions, asked) = mpsc::channel(QUESTIONS);
                let (progress, received) = broadcast::channel(UNSENT);
                let rounds = is_stateless(context).then_some(questions);
                let asks_callers = self.hub.handlers().asks_callers;
                let caller = asks_callers.then(|| Caller::new(context, &self.client, rounds));
                let client = ClientSide {
                    gateway_client: caller,
                    // A slow client misses the oldest progress.
                    on_progress: Some(Box::new(move |step| drop(progress.send(step)))),
                    meta: forwarded(context.meta.clone()).unwrap_or_default(),
                };
                let early = again.responses.unwrap_or_default();
                Running::start(subject, early, work(client), asked, received)
            }
        };
        match unless_cancelled(async { Ok(next(&mut running, context).await) }, context).await? {
            Some(done) => {
                if let Some(logs) = self.logs.get()
                    && timeout(FLUSH_TIMEOUT, logs.flush()).await.is_err()
                {
                    tracing::debug!("log messages were not passed on: the client does not take them");
                }
                done
            }
            None => Ok(ServerResult::InputRequiredResult(self.waiting.keep(running))),
        }
    }
}

/// Waits as [`Running::next`] does and forwards the progress, all of it before the result.
async fn next(
    running: &mut Running,
    context: &RequestContext<RoleServer>,
) -> Option<Result<ServerResult, ErrorData>> {
    let Some(token) = context.meta.get_progress_token() else { return running.next().await };
    let pass_on = async |step: Progress| {
        let mut params = ProgressNotificationParam::new(token.clone(), step.progress);
        (params.total, params.message) = (step.total, step.message);
        if let Err(error) = context.peer.notify_progress(params).await {
            tracing::debug!(%error, "progress was not passed on");
        }
    };
    let Some(mut received) = running.progress.take() else { return running.next().await };
    let next = {
        // Concurrent with the call: a client that reads nothing must not stop the time limit.
        let mut passing = pin!(async {
            loop {
                match received.recv().await {
                    Ok(step) => pass_on(step).await,
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => break,
                }
            }
        });
        let (next, is_more) = tokio::select! {
            next = running.next() => (next, true),
            () = &mut passing => (running.next().await, false),
        };
        if is_more && next.is_some() && timeout(FLUSH_TIMEOUT, passing).await.is_err() {
            tracing::debug!("progress was not passed on: the client does not take it");
        }
        next
    };
    running.progress = Some(received);
    next
}

/// Waits for a result unless the client cancels the request. The error of a cancelled request is never sent.
pub(super) async fn unless_cancelled<T>(
    request: impl Future<Output = Result<T, ErrorData>>,
    context: &RequestContext<RoleServer>,
) -> Result<T, ErrorData> {
    tokio::select! {
        biased;
        () = context.ct.cancelled() => Err(ErrorData::internal_error("the request was cancelled", None)),
        result = request => result,
    }
}

/// How long the outcome of a call waits until its progress, and the log messages before it, are forwarded.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);
/// The capacity of the channel for progress.
const UNSENT: usize = 64;
