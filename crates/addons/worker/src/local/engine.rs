//! The engine's task: it owns the state of all sessions.

mod files;
mod starts;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    fs::File,
    io,
    path::PathBuf,
    sync::Arc,
};

use agentwire::protocol::{ToolUseId, Uuid};
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, sleep, sleep_until},
};

use super::{
    LocalError, LocalStatus, Request,
    record::{self, Parked, Prompt, Record},
};
use crate::{
    launch::ENDING,
    ledger::Ledger,
    machine::Phase,
    outcome::{Outcome, TurnReport},
    recovery::{LossPolicy, Recovery, RecoveryError},
    turn::{Answer, SessionName, TurnInput, TurnSpec},
    worker::Worker,
};
use files::{SPENT, blocking, log, valid};

pub(super) struct Engine {
    folder: PathBuf,
    /// Locked until the engine is dropped and the file that it is writing is complete.
    lock: Arc<File>,
    worker: Worker,
    policy: LossPolicy,
    limits: Ledger,
    sessions: BTreeMap<SessionName, Record>,
    ledgers: HashMap<Box<str>, Ledger>,
    /// The reservations of running turns.
    budgets: HashMap<SessionName, Option<f64>>,
    /// Answers that came when their questions may have been about to be parked.
    early: HashMap<SessionName, Vec<(ToolUseId, Answer)>>,
    /// Sessions with a turn that has not started, in the order in which they are served.
    waiting: VecDeque<SessionName>,
    /// Sessions with a file that could not be stored.
    unsaved: BTreeSet<SessionName>,
    /// When they are stored again, and turns that could not be stored are started.
    again: Option<Instant>,
    listeners: HashMap<(SessionName, Uuid), Vec<oneshot::Sender<Outcome>>>,
}

impl Engine {
    /// Reads the folder, and decides about turns that were cut.
    pub(super) async fn open(
        folder: PathBuf,
        worker: Worker,
        policy: LossPolicy,
        limits: Ledger,
    ) -> Result<Self, LocalError> {
        let path = folder.clone();
        let read = move || -> io::Result<_> {
            let lock = record::lock(&path)?;
            let sessions = record::read_all(&path)?;
            let mut ledgers = HashMap::new();
            // Includes tenants whose sessions were deleted.
            for tenant in record::tenants(&path)? {
                let spent_usd = record::read(&path.join(&*tenant).join(SPENT))?.unwrap_or_default();
                ledgers.insert(tenant, Ledger { spent_usd, ..limits.clone() });
            }
            Ok((lock, sessions, ledgers, limits))
        };
        let (lock, sessions, ledgers, limits) =
            blocking(read).await.map_err(|source| LocalError::Folder { folder: folder.clone(), source })?;
        let mut engine = Self {
            folder,
            lock: Arc::new(lock),
            worker,
            policy,
            limits,
            sessions: sessions.into_iter().collect(),
            ledgers,
            budgets: HashMap::new(),
            early: HashMap::new(),
            waiting: VecDeque::new(),
            unsaved: BTreeSet::new(),
            again: None,
            listeners: HashMap::new(),
        };
        engine.decide_cut().await?;
        // Not before: an engine that can't be opened would cut turns that it has started.
        let due = engine.sessions.iter().filter(|(_, record)| record.is_due());
        engine.waiting = due.map(|(name, _)| name.clone()).collect();
        engine.start_waiting().await;
        Ok(engine)
    }

    /// Decides about the turns that an earlier engine has left.
    async fn decide_cut(&mut self) -> Result<(), LocalError> {
        let running = |(name, record): (&SessionName, &Record)| Some((name.clone(), record.running.clone()?));
        let cut: Vec<_> = self.sessions.iter().filter_map(running).collect();
        if !cut.is_empty() {
            // A process of a killed engine may live a moment longer, and two must not share a workspace.
            sleep(ENDING).await;
        }
        for (name, input) in cut {
            let recovery = match self.worker.recovery(&name, &input).await {
                // Such a session can't start.
                Err(RecoveryError::Key(_)) => Recovery::Unstarted,
                recovery => recovery?,
            };
            let why = "the engine ended in the turn".to_owned();
            self.lost(&name, &input, None, why, recovery).await?;
        }
        Ok(())
    }

    /// Runs until the handle is dropped and its requests are served.
    pub(super) async fn run(mut self, mut requests: mpsc::Receiver<Request>) {
        loop {
            let worker = self.worker.clone();
            let (has_waiting, again) = (!self.waiting.is_empty(), self.again);
            tokio::select! {
                request = requests.recv() => match request {
                    Some(request) => self.serve(request).await,
                    None => break,
                },
                () = worker.room(), if has_waiting => self.start_waiting().await,
                () = sleep_until(again.unwrap_or_else(Instant::now)), if again.is_some() => {
                    self.save_again().await;
                    self.start_waiting().await;
                }
            }
        }
        self.save_again().await;
    }

    async fn serve(&mut self, request: Request) {
        // A caller that has gone away needs no reply.
        match request {
            Request::Prompt(session, turn, reply) => drop(reply.send(self.prompt(&session, *turn).await)),
            Request::Await(session, prompt, reply) => drop(reply.send(self.listen(session, prompt))),
            Request::Answer(session, question, answer, reply) => {
                drop(reply.send(self.answer(&session, question, answer).await));
            }
            Request::Cancel(session, reply) => drop(reply.send(self.cancel(&session).await)),
            Request::Status(session, reply) => drop(reply.send(self.status(&session))),
            Request::Sessions(reply) => drop(reply.send(self.sessions.keys().cloned().collect())),
            Request::Ended(end) => log(self.ended(end).await),
        }
    }

    async fn prompt(&mut self, session: &SessionName, turn: TurnSpec) -> Result<(), LocalError> {
        let id = match &turn.input {
            TurnInput::Prompt { id, .. } => valid(session).map(|()| id.clone()),
            TurnInput::Answers(_) => Err("it does not start with a prompt".to_owned()),
        };
        let id = id.map_err(|why| LocalError::Invalid { session: session.clone(), why })?;
        let record = self.sessions.entry(session.clone()).or_default();
        if record.knows(&id) {
            return Ok(());
        }
        if record.prompts.len() >= PROMPTS {
            return Err(LocalError::Full { session: session.clone(), limit: PROMPTS });
        }
        record.prompts.push_back(Prompt { id: id.clone(), turn, restarts: 0 });
        if let Err(error) = self.save(session).await {
            // The caller may queue it again.
            if let Some(record) = self.sessions.get_mut(session) {
                record.prompts.retain(|prompt| prompt.id != id);
            }
            return Err(error);
        }
        self.step(session).await;
        Ok(())
    }

    fn listen(&mut self, session: SessionName, prompt: Uuid) -> Option<oneshot::Receiver<Outcome>> {
        let (sender, receiver) = oneshot::channel();
        let record = self.sessions.get(&session)?;
        if let Some(outcome) = record.end_of(&prompt) {
            // The receiver is below.
            let _ = sender.send(outcome.clone());
        } else if record.knows(&prompt) {
            let listeners = self.listeners.entry((session, prompt)).or_default();
            listeners.retain(|listener| !listener.is_closed());
            listeners.push(sender);
        } else {
            return None;
        }
        Some(receiver)
    }

    async fn answer(
        &mut self,
        session: &SessionName,
        question: ToolUseId,
        answer: Answer,
    ) -> Result<bool, LocalError> {
        let Some(record) = self.sessions.get_mut(session) else { return Ok(false) };
        let before = record.parked.clone();
        if record.answer(&question, answer.clone()) {
            if let Err(error) = self.save(session).await {
                // The caller may answer it again.
                if let Some(record) = self.sessions.get_mut(session) {
                    record.parked = before;
                }
                return Err(error);
            }
            self.step(session).await;
            return Ok(true);
        }
        if record.running.is_none() {
            return Ok(false);
        }
        let (_, open) = self.worker.phase(session);
        if !open.iter().any(|asked| asked.id == question) {
            return Ok(false);
        }
        self.worker.answer(session, &question, answer.clone());
        self.early.entry(session.clone()).or_default().push((question, answer));
        Ok(true)
    }

    async fn cancel(&mut self, session: &SessionName) -> Result<bool, LocalError> {
        let Some(record) = self.sessions.get_mut(session) else { return Ok(false) };
        let had_prompts = !record.prompts.is_empty();
        // The turn of the running prompt reports its own end.
        let ended = record.cancel();
        let saved = self.save(session).await;
        for id in ended {
            self.announce(session, id, &Outcome::Cancelled);
        }
        if let Some(place) = self.waiting.iter().position(|waiting| waiting == session) {
            self.waiting.remove(place);
            log(self.settle(session, 0.0).await);
        }
        self.worker.stop(session);
        saved.map(|()| had_prompts)
    }

    fn status(&self, session: &SessionName) -> Option<LocalStatus> {
        let record = self.sessions.get(session)?;
        let (mut phase, mut questions) = self.worker.phase(session);
        if record.running.is_none() {
            let open = record.parked.iter().filter(|parked| parked.answer.is_none());
            questions = open.map(|parked| parked.question.clone()).collect();
            if !record.parked.is_empty() {
                phase = Phase::Parked;
            }
        }
        Some(LocalStatus {
            phase,
            questions,
            prompts: record.prompts.len(),
            last: record.ends.back().cloned(),
        })
    }

    async fn ended(&mut self, end: TurnReport) -> Result<(), LocalError> {
        let TurnReport { fence, outcome, cost_usd, revision, .. } = end;
        let session = &fence.session;
        // If a file can't be written, the end still counts and other turns still start.
        let mut result = self.settle(session, cost_usd).await;
        let early = self.early.remove(session).unwrap_or_default();
        let Some(record) = self.sessions.get_mut(session) else { return result };
        match outcome {
            // The next engine on the folder decides.
            Outcome::Drained => return result,
            Outcome::Parked(_) if record.is_cancelled => {
                result = result.and(self.finish(session, Outcome::Cancelled).await);
            }
            Outcome::Parked(questions) => {
                record.running = None;
                if let Some(prompt) = record.prompts.front_mut() {
                    prompt.turn.revision = revision;
                }
                record.parked =
                    questions.into_iter().map(|question| Parked { question, answer: None }).collect();
                for (question, answer) in early {
                    record.answer(&question, answer);
                }
                result = result.and(self.save(session).await);
            }
            Outcome::Interrupted { why, state } => {
                if let Some(input) = record.running.clone() {
                    result = result.and(self.lost(session, &input, revision, why, state).await);
                }
            }
            outcome => result = result.and(self.finish(session, outcome).await),
        }
        self.step(session).await;
        result
    }

    /// Restarts a turn that was cut, from this revision if it had begun, or ends its prompt.
    async fn lost(
        &mut self,
        session: &SessionName,
        input: &TurnInput,
        revision: Option<String>,
        why: String,
        state: Recovery,
    ) -> Result<(), LocalError> {
        if self.sessions.get(session).is_some_and(|record| record.is_cancelled) {
            return self.finish(session, Outcome::Cancelled).await;
        }
        let id = uuid::Uuid::new_v4().to_string();
        let again = state.restart(&self.policy, input, id.as_str());
        let prompt = self.sessions.get_mut(session).and_then(|record| {
            record.running = None;
            record.parked.clear();
            record.prompts.front_mut()
        });
        match (again, prompt, state) {
            (Some(input), Some(prompt), state) if prompt.restarts < RESTARTS => {
                prompt.turn.input = input;
                if state != Recovery::Unstarted {
                    prompt.turn.revision = revision;
                }
                prompt.restarts += 1;
                self.save(session).await
            }
            (_, _, Recovery::Finished { text }) => {
                self.finish(session, Outcome::Done { text, is_error: false }).await
            }
            (_, _, state) => self.finish(session, Outcome::Interrupted { why, state }).await,
        }
    }

    /// Ends the first prompt of a session.
    async fn finish(&mut self, session: &SessionName, outcome: Outcome) -> Result<(), LocalError> {
        let id = self.sessions.get_mut(session).and_then(|record| record.end(outcome.clone()));
        // On disk first: after a crash the next engine reports the same.
        let saved = self.save(session).await;
        if let Some(id) = id {
            self.announce(session, id, &outcome);
        }
        saved
    }

    fn announce(&mut self, session: &SessionName, prompt: Uuid, outcome: &Outcome) {
        for listener in self.listeners.remove(&(session.clone(), prompt)).unwrap_or_default() {
            // A listener that has gone away needs nothing.
            let _ = listener.send(outcome.clone());
        }
    }
}

/// How many times a prompt is started again: a CLI that can't start must not keep the engine busy.
const RESTARTS: u32 = 5;

/// How many prompts of a session may wait.
const PROMPTS: usize = 1000;
