//! Requests of clients without a handshake. The gateway can't send requests to such a client, so a question to the user is
//! sent as the response (`input_required`), and the client sends its request again with the input.

use std::{
    collections::{BTreeMap, VecDeque},
    hash::{BuildHasher as _, RandomState},
    sync::{
        Mutex, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use rmcp::{
    ErrorData,
    model::{InputRequiredResult, InputResponses, ServerResult},
};
use serde_json::Value;
use tokio::{
    sync::{broadcast, mpsc},
    time::{Instant, sleep},
};
use tokio_util::task::AbortOnDropHandle;

use crate::{Progress, client::Question, lock::locked};

/// A request in flight. Dropping it cancels the request.
#[derive(Debug)]
pub(super) struct Running {
    /// The method and the name, which must be the same in the repeated request.
    subject: (&'static str, String),
    work: AbortOnDropHandle<Result<ServerResult, ErrorData>>,
    questions: mpsc::Receiver<Question>,
    /// The open questions, by their keys.
    open: BTreeMap<String, Question>,
    /// Answers that the client sent before the questions.
    early: InputResponses,
    asked: u64,
    /// `None` while the progress is being forwarded.
    pub(super) progress: Option<broadcast::Receiver<Progress>>,
}

impl Running {
    pub(super) fn start(
        subject: (&'static str, String),
        early: InputResponses,
        work: impl Future<Output = Result<ServerResult, ErrorData>> + Send + 'static,
        questions: mpsc::Receiver<Question>,
        progress: broadcast::Receiver<Progress>,
    ) -> Self {
        let work = AbortOnDropHandle::new(tokio::spawn(work));
        Self { subject, work, questions, open: BTreeMap::new(), early, asked: 0, progress: Some(progress) }
    }

    /// Waits for the result, which it returns once. Returns `None` as soon as there are open questions. Cancel-safe.
    pub(super) async fn next(&mut self) -> Option<Result<ServerResult, ErrorData>> {
        loop {
            // Questions are already open if an earlier future was dropped while it collected more.
            if !self.open.is_empty() {
                // Collect the questions that arrive together.
                sleep(QUESTION_BATCH_WINDOW).await;
                while let Ok(question) = self.questions.try_recv() {
                    self.ask(question);
                }
                return None;
            }
            tokio::select! {
                biased;
                Some(question) = self.questions.recv() => self.ask(question),
                done = &mut self.work => {
                    let failed = |_| Err(ErrorData::internal_error("the request has failed", None));
                    return Some(done.unwrap_or_else(failed));
                }
            }
        }
    }

    /// Answers questions and ignores unknown keys. Returns whether questions are still open.
    pub(super) fn answer(&mut self, answers: InputResponses) -> bool {
        for (key, answer) in answers {
            if let Some(question) = self.open.remove(&key) {
                // An error means that the request has ended.
                let _ = question.answer.send(answer);
            }
        }
        self.open.retain(|_, question| !question.answer.is_closed());
        !self.open.is_empty()
    }

    /// Adds an open question, under the server's key if that key is free.
    fn ask(&mut self, mut question: Question) {
        let key = question.key.take();
        let early = key.as_ref().and_then(|key| self.early.remove(key));
        if let Some(answer) = early.filter(Value::is_object) {
            // An error means that the request has ended.
            let _ = question.answer.send(answer);
            return;
        }
        self.asked += 1;
        let free = key.filter(|key| !self.open.contains_key(key));
        self.open.insert(free.unwrap_or_else(|| format!("input-{}", self.asked)), question);
    }
}

/// The requests that wait for input of their clients, oldest first.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    all: Mutex<VecDeque<(String, Running)>>,
    /// The time of the first request of clients without a handshake, whose next request may reach another clone.
    pub(super) since: OnceLock<Instant>,
    /// Makes states that can't be guessed, with random keys of the operating system.
    keys: RandomState,
    next: AtomicU64,
}

impl Waiting {
    /// Stores a request until its client repeats it. If too many wait, the oldest is cancelled.
    pub(super) fn keep(&self, running: Running) -> InputRequiredResult {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let half = |half: u8| self.keys.hash_one((number, half));
        let state = format!("{number:x}-{:016x}{:016x}", half(0), half(1));
        let open = running.open.iter().map(|(key, question)| (key.clone(), question.request.clone()));
        let required = InputRequiredResult::new(Some(open.collect()), Some(state.clone()));
        let mut all = locked(&self.all);
        all.push_back((state, running));
        let oldest = if all.len() > MAX_WAITING { all.pop_front() } else { None };
        drop(all);
        drop(oldest);
        required
    }

    /// Removes and returns the request that the client repeats.
    pub(super) fn take(&self, state: &str, subject: &(&'static str, String)) -> Result<Running, ErrorData> {
        let mut all = locked(&self.all);
        let index = all.iter().position(|(kept, running)| kept == state && running.subject == *subject);
        let running = index.and_then(|index| all.remove(index)).map(|(_, running)| running);
        running.ok_or_else(|| {
            ErrorData::invalid_params("no request waits for input with this `requestState`", None)
        })
    }
}

/// The maximum number of waiting requests. Each ends at the longest time of its call.
const MAX_WAITING: usize = 64;
const QUESTION_BATCH_WINDOW: Duration = Duration::from_millis(10);

/// The capacity of the channel for the questions of one request.
pub(super) const QUESTIONS: usize = 64;

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use serde_json::json;
    use tokio::{sync::oneshot, time::timeout};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn question_is_not_lost_with_a_future_that_collects_questions() {
        let (sender, questions) = mpsc::channel(1);
        let (_progress, progress) = broadcast::channel(1);
        let subject = ("resources/read", "test://a".to_owned());
        let mut running =
            Running::start(subject, InputResponses::default(), std::future::pending(), questions, progress);
        let request = serde_json::from_value(json!({"method": "roots/list"})).unwrap();
        let (answer, _answered) = oneshot::channel();
        sender.send(Question { key: None, request, answer }).await.unwrap();
        assert!(running.next().now_or_never().is_none());
        let next = timeout(Duration::from_secs(1), running.next()).await;
        assert!(matches!(next, Ok(None)), "the question is lost");
    }
}
