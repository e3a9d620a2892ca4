//! Requests of clients without a handshake: a server can't send them requests, so questions to the user go out as the
//! answer (`input_required`), and the client sends its request again with what it was asked for.

use std::{
    collections::{BTreeMap, VecDeque},
    hash::{BuildHasher as _, RandomState},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use rmcp::{
    ErrorData,
    model::{CallToolResult, GetPromptResult, InputRequiredResult, InputResponses, ReadResourceResult},
};
use serde_json::Value;
use tokio::{sync::mpsc, task::JoinSet, time::sleep};

use crate::{Progress, client::Question};

/// What a request has given.
#[derive(Debug)]
pub(super) enum Done {
    Tool(CallToolResult),
    Prompt(GetPromptResult),
    Resource(ReadResourceResult),
}

/// A request that is under way. Dropping it cancels the request.
#[derive(Debug)]
pub(super) struct Running {
    /// The method and the name, which must be the same when the request is sent again.
    subject: (&'static str, String),
    work: JoinSet<Result<Done, ErrorData>>,
    questions: mpsc::Receiver<Question>,
    /// The questions without an answer, by their keys.
    open: BTreeMap<String, Question>,
    /// Answers that the client sent before it was asked.
    early: InputResponses,
    asked: u64,
    /// `None` while it is passed on.
    pub(super) progress: Option<mpsc::Receiver<Progress>>,
}

impl Running {
    pub(super) fn start(
        subject: (&'static str, String),
        early: InputResponses,
        work: impl Future<Output = Result<Done, ErrorData>> + Send + 'static,
        questions: mpsc::Receiver<Question>,
        progress: mpsc::Receiver<Progress>,
    ) -> Self {
        let mut running = JoinSet::new();
        running.spawn(work);
        let open = BTreeMap::new();
        Self { subject, work: running, questions, open, early, asked: 0, progress: Some(progress) }
    }

    /// Waits for the result, or for questions. Cancel-safe.
    pub(super) async fn next(&mut self) -> Next {
        loop {
            tokio::select! {
                biased;
                Some(question) = self.questions.recv() => {
                    self.ask(question);
                    // Questions that belong together come at the same time.
                    sleep(TOGETHER).await;
                    self.ask_more();
                    if !self.open.is_empty() {
                        return Next::Asks;
                    }
                }
                done = self.work.join_next() => {
                    let done = done.and_then(Result::ok);
                    let failed = || Err(ErrorData::internal_error("the request has failed", None));
                    return Next::Done(done.unwrap_or_else(failed));
                }
            }
        }
    }

    /// Answers questions; keys that were not asked for are ignored. Returns whether some are still open.
    pub(super) fn answer(&mut self, answers: InputResponses) -> bool {
        for (key, answer) in answers {
            if let Some(question) = self.open.remove(&key) {
                // The request may have ended meanwhile.
                let _ = question.answer.send(answer);
            }
        }
        self.open.retain(|_, question| !question.answer.is_closed());
        !self.open.is_empty()
    }

    /// The open questions, with the state by which the request is found again.
    pub(super) fn required(&self, state: String) -> InputRequiredResult {
        let open = self.open.iter().map(|(key, question)| (key.clone(), question.request.clone()));
        InputRequiredResult::new(Some(open.collect()), Some(state))
    }

    /// Notes an open question, under the key that the server gave it if that is free.
    fn ask(&mut self, mut question: Question) {
        let key = question.key.take();
        let early = key.as_ref().and_then(|key| self.early.remove(key));
        if let Some(answer) = early.filter(Value::is_object) {
            // The request may have ended meanwhile.
            let _ = question.answer.send(answer);
            return;
        }
        self.asked += 1;
        let free = key.filter(|key| !self.open.contains_key(key));
        self.open.insert(free.unwrap_or_else(|| format!("input-{}", self.asked)), question);
    }

    fn ask_more(&mut self) {
        while let Ok(question) = self.questions.try_recv() {
            self.ask(question);
        }
    }
}

/// What happens to a request next.
pub(super) enum Next {
    /// Questions of it are open.
    Asks,
    Done(Result<Done, ErrorData>),
}

/// The requests that wait for their clients, oldest first.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    all: Mutex<VecDeque<(String, Running)>>,
    /// Makes states that can't be guessed, with keys of the operating system's.
    keys: RandomState,
    next: AtomicU64,
}

impl Waiting {
    /// Keeps a request until its client sends it again. Where too many wait, the oldest is cancelled.
    pub(super) fn keep(&self, running: Running) -> InputRequiredResult {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let half = |half: u8| self.keys.hash_one((number, half));
        let state = format!("{number:x}-{:016x}{:016x}", half(0), half(1));
        let required = running.required(state.clone());
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.push_back((state, running));
        let oldest = if all.len() > MAX_WAITING { all.pop_front() } else { None };
        drop(all);
        drop(oldest);
        required
    }

    /// Takes the request that is sent again.
    ///
    /// # Errors
    ///
    /// If there is none with this state, or it is of another kind.
    pub(super) fn take(&self, state: &str, subject: &(&'static str, String)) -> Result<Running, ErrorData> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let index = all.iter().position(|(kept, running)| kept == state && running.subject == *subject);
        let running = index.and_then(|index| all.remove(index)).map(|(_, running)| running);
        running.ok_or_else(|| {
            ErrorData::invalid_params("no request waits for input with this `requestState`", None)
        })
    }
}

/// So many requests may wait for their clients; each ends by itself when its call has taken the longest time.
const MAX_WAITING: usize = 64;
const TOGETHER: Duration = Duration::from_millis(10);

/// So many questions of one request wait to be passed on.
pub(super) const QUESTIONS: usize = 64;
