//! The embedded engine: one process, a folder, and no server.

mod engine;
mod record;

use std::{io, path::PathBuf};

use agentwire::protocol::{ToolUseId, Uuid};
use serde::{Deserialize, Serialize};
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinSet,
};

use crate::{
    config::WorkerConfig,
    ledger::Ledger,
    machine::Phase,
    outcome::{Outcome, TurnReport},
    panics::caught,
    recovery::{LossPolicy, RecoveryError},
    turn::{Answer, Question, SessionName, TurnSpec},
    worker::{Worker, WorkerError},
};
use engine::Engine;

/// An engine in this process: prompts of a session run one after the other, and its state outlives the process in a
/// folder.
///
/// If there is no room for all turns, a session with further prompts waits behind those that wait already.
///
/// Dropping it ends all processes; [`close`](Self::close) lets running turns finish. Either way the next `Local` on the
/// folder continues: parked questions stay open, queued prompts run, and a turn that was cut is treated by its
/// [`LossPolicy`].
#[derive(Debug)]
pub struct Local {
    requests: mpsc::Sender<Request>,
    worker: WorkerGuard,
    /// The task of the engine.
    engine: JoinSet<()>,
}

/// The state of a session in an engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LocalStatus {
    /// The phase.
    pub phase: Phase,
    /// The questions that wait for an answer, parked or not.
    pub questions: Vec<Question>,
    /// How many prompts have not ended.
    pub prompts: usize,
    /// The last prompt that has ended, and its outcome.
    pub last: Option<(Uuid, Outcome)>,
}

/// An error of [`Local`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LocalError {
    /// The folder can't be read or written, or another process uses it.
    #[error("the engine's folder {}: {source}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The worker can't be started.
    #[error(transparent)]
    Worker(#[from] WorkerError),
    /// The state of a turn that was cut can't be read.
    #[error(transparent)]
    Recovery(#[from] RecoveryError),
    /// The turn does not start with a prompt, the tenant can't be the name of a folder, or the session's id is not a
    /// UUID.
    #[error("the turn of {session} can't be queued: {why}")]
    Invalid {
        /// The session.
        session: SessionName,
        /// The cause.
        why: String,
    },
    /// Too many prompts of the session wait.
    #[error("{session} has {limit} prompts that have not ended")]
    Full {
        /// The session.
        session: SessionName,
        /// The limit.
        limit: usize,
    },
    /// The session has no such prompt, or it ended too long ago.
    #[error("{session} has no prompt {prompt}")]
    Unknown {
        /// The session.
        session: SessionName,
        /// The prompt.
        prompt: Uuid,
    },
    /// The engine has ended.
    #[error("the engine has ended")]
    Ended,
}

impl Local {
    /// Opens a folder and starts the worker. `limits` are those of each tenant. A lease of the worker is ignored.
    ///
    /// Waits up to two seconds while another engine uses the folder.
    ///
    /// # Errors
    ///
    /// [`LocalError`] if the folder is in use or can't be read, or the worker can't be started.
    pub async fn open(
        folder: impl Into<PathBuf>,
        worker: WorkerConfig,
        policy: LossPolicy,
        limits: Ledger,
    ) -> Result<Self, LocalError> {
        let (sender, requests) = mpsc::channel(REQUESTS);
        let mut config = worker;
        let on_end = config.on_end;
        // No other worker takes the sessions over, and nothing would renew the lease.
        config.lease = None;
        let ends = sender.downgrade();
        config.on_end = std::sync::Arc::new(move |end| {
            let (on_end, ends) = (std::sync::Arc::clone(&on_end), ends.clone());
            Box::pin(async move {
                // The engine needs the end even if the function panics.
                let _ = caught("on_end", async { on_end(end.clone()).await }).await;
                if let Some(ends) = ends.upgrade() {
                    // If the engine is gone, the next engine on the folder decides about the turn.
                    let _ = ends.send(Request::Ended(end)).await;
                }
            })
        });
        let worker = Worker::new(config)?;
        let engine = Engine::open(folder.into(), worker.clone(), policy, limits).await?;
        let mut task = JoinSet::new();
        task.spawn(engine.run(requests));
        Ok(Self { requests: sender, worker: WorkerGuard(worker), engine: task })
    }

    /// Queues a turn that starts with a prompt. A prompt with a known id is not queued again; of the ended prompts of a
    /// session, the last 1,000 are known.
    ///
    /// When it returns, the prompt is on disk.
    ///
    /// # Errors
    ///
    /// [`LocalError`] if the prompt is not queued.
    pub async fn prompt(&self, session: &SessionName, turn: TurnSpec) -> Result<(), LocalError> {
        self.request(|reply| Request::Prompt(session.clone(), Box::new(turn), reply)).await?
    }

    /// Waits for the end of a prompt, across parked questions.
    ///
    /// # Errors
    ///
    /// [`LocalError::Unknown`], and [`LocalError::Ended`].
    pub async fn ended(&self, session: &SessionName, prompt: &Uuid) -> Result<Outcome, LocalError> {
        let unknown = LocalError::Unknown { session: session.clone(), prompt: prompt.clone() };
        let waiting = self.request(|reply| Request::Await(session.clone(), prompt.clone(), reply)).await?;
        waiting.ok_or(unknown)?.await.map_err(|_| LocalError::Ended)
    }

    /// Answers a question, parked or not, and returns whether it was open.
    ///
    /// When it returns, the answer to a parked question is on disk. The turn continues when all questions that were
    /// parked together are answered.
    ///
    /// # Errors
    ///
    /// [`LocalError`] if the answer can't be stored; send it again.
    pub async fn answer(
        &self,
        session: &SessionName,
        question: &ToolUseId,
        answer: Answer,
    ) -> Result<bool, LocalError> {
        self.request(|reply| Request::Answer(session.clone(), question.clone(), answer, reply)).await?
    }

    /// Cancels all prompts of a session, and returns whether there was one.
    ///
    /// # Errors
    ///
    /// [`LocalError`] if the state can't be stored.
    pub async fn cancel(&self, session: &SessionName) -> Result<bool, LocalError> {
        self.request(|reply| Request::Cancel(session.clone(), reply)).await?
    }

    /// Returns the state of a session; `None` if it is unknown.
    ///
    /// # Errors
    ///
    /// [`LocalError::Ended`].
    pub async fn status(&self, session: &SessionName) -> Result<Option<LocalStatus>, LocalError> {
        self.request(|reply| Request::Status(session.clone(), reply)).await
    }

    /// Returns the names of all sessions, in order.
    ///
    /// # Errors
    ///
    /// [`LocalError::Ended`].
    pub async fn sessions(&self) -> Result<Vec<SessionName>, LocalError> {
        self.request(Request::Sessions).await
    }

    /// Returns the worker, to interrupt and to steer running turns.
    pub fn worker(&self) -> &Worker {
        &self.worker.0
    }

    /// Parks open questions, waits `grace` for running turns, and ends the others.
    pub async fn close(mut self, grace: std::time::Duration) {
        self.worker.0.drain(grace).await;
        // The engine ends when it has stored the ends that are queued.
        drop(self.requests);
        self.engine.join_next().await;
    }

    async fn request<T>(&self, request: impl FnOnce(oneshot::Sender<T>) -> Request) -> Result<T, LocalError> {
        let (reply, answer) = oneshot::channel();
        self.requests.send(request(reply)).await.map_err(|_| LocalError::Ended)?;
        answer.await.map_err(|_| LocalError::Ended)
    }
}

/// Ends the worker when it is dropped, since the user may have a clone.
#[derive(Debug)]
struct WorkerGuard(Worker);

impl Drop for WorkerGuard {
    fn drop(&mut self) {
        self.0.expire();
    }
}

type Reply<T> = oneshot::Sender<Result<T, LocalError>>;

/// A request to the engine's task.
#[derive(Debug)]
enum Request {
    Prompt(SessionName, Box<TurnSpec>, Reply<()>),
    Await(SessionName, Uuid, oneshot::Sender<Option<oneshot::Receiver<Outcome>>>),
    Answer(SessionName, ToolUseId, Answer, Reply<bool>),
    Cancel(SessionName, Reply<bool>),
    Status(SessionName, oneshot::Sender<Option<LocalStatus>>),
    Sessions(oneshot::Sender<Vec<SessionName>>),
    Ended(TurnReport),
}

/// How many requests may wait.
const REQUESTS: usize = 256;

#[cfg(test)]
mod tests;
