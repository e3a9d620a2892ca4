//! The queue of sessions whose next turn is to start.

use std::collections::VecDeque;

use super::{Engine, files::log};
use crate::{
    ledger::Refusal,
    local::record::Record,
    outcome::Outcome,
    turn::{SessionName, TurnSpec},
    worker::{Room, Start},
};

/// Whether a session in the queue was served.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Served {
    /// Its turn has started, or none is due.
    Yes,
    /// It goes on waiting.
    Later,
    /// It goes on waiting, and so do all behind it.
    Full,
}

impl Engine {
    /// Starts the next turn of a session, if one is due, behind those that wait already.
    pub(super) async fn step(&mut self, session: &SessionName) {
        if self.sessions.get(session).is_some_and(Record::is_due) && !self.waiting.contains(session) {
            self.waiting.push_back(session.clone());
        }
        self.start_waiting().await;
    }

    /// Starts the turns that wait and have room.
    pub(super) async fn start_waiting(&mut self) {
        let mut later = VecDeque::new();
        while let Some(session) = self.waiting.pop_front() {
            let served = self.serve_waiting(&session).await;
            if served != Served::Yes {
                later.push_back(session);
            }
            if served == Served::Full {
                break;
            }
        }
        later.append(&mut self.waiting);
        self.waiting = later;
    }

    /// Starts the next turn of a session, if one is due and has room.
    async fn serve_waiting(&mut self, session: &SessionName) -> Served {
        let turn = loop {
            let Some(mut turn) = self.sessions.get(session).and_then(Record::due) else { return Served::Yes };
            // A turn keeps its reservation while a process ends for it, so that no later turn gets it.
            if let Some(budget) = self.budgets.get(session) {
                turn.budget_usd = *budget;
                break turn;
            }
            let ledger = self.ledgers.entry(session.tenant.clone()).or_insert_with(|| self.limits.clone());
            match ledger.reserve(turn.budget_usd) {
                Ok(budget) => {
                    self.budgets.insert(session.clone(), budget);
                    turn.budget_usd = budget;
                    break turn;
                }
                Err(Refusal::Turns) => return Served::Later,
                Err(refusal) => log(self.finish(session, Outcome::Refused(refusal)).await),
            }
        };
        // Before the start is stored, which would be in vain for each turn that waits.
        let served = match self.worker.make_room(session) {
            Room::Free => self.start(session, &turn).await,
            Room::Later => return Served::Later,
            Room::Full => Served::Full,
        };
        if served != Served::Yes {
            log(self.settle(session, 0.0).await);
        }
        served
    }

    /// Stores the start of a turn, and starts it.
    async fn start(&mut self, session: &SessionName, turn: &TurnSpec) -> Served {
        let Some(record) = self.sessions.get_mut(session) else { return Served::Yes };
        record.epoch += 1;
        record.running = Some(turn.input.clone());
        let fence = self.worker.fence(session, record.epoch);
        let saved = self.save(session).await;
        let is_saved = saved.is_ok();
        log(saved);
        if is_saved && self.worker.start(&fence, turn) == Start::Started {
            return Served::Yes;
        }
        if let Some(record) = self.sessions.get_mut(session) {
            record.running = None;
        }
        if is_saved {
            // The file must not name a turn that did not start: the next engine would end it.
            log(self.save(session).await);
        }
        Served::Later
    }
}
