//! The state of a worker: its sessions, and the fences of its turns.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::{sync::mpsc, task::JoinSet, time::Instant};

use crate::{
    admission::{Admission, AdmissionNumbers},
    command::{Command, View},
    launch::ENDING,
    machine::Phase,
    turn::{Fence, SessionName},
};

pub(super) struct State {
    /// The run of the worker; a lost lease begins another.
    pub(super) boot: Box<str>,
    /// The number of the last fence.
    pub(super) fences: u64,
    /// The numbers of the fences that were used.
    pub(super) used: BTreeMap<u64, Use>,
    /// Fences up to this one are not in `used` any more.
    pub(super) forgotten: u64,
    pub(super) handles: HashMap<SessionName, SessionHandle>,
    /// The tasks without a handle, which still report their last turn.
    pub(super) reporting: Vec<mpsc::Sender<Command>>,
    /// The tasks of the sessions.
    pub(super) tasks: JoinSet<()>,
    pub(super) watchdog: JoinSet<()>,
    pub(super) is_draining: bool,
    pub(super) renewed: Instant,
    /// No turn starts before: processes of a lost lease are ending.
    pub(super) blocked: Instant,
}

/// The use of a fence.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Started,
    /// The turn never starts: it was cancelled before, or the session has run a later one.
    Refused,
}

/// Whether a turn has room on a worker.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    /// The turn can start.
    Free,
    /// Not yet: a process is ending for it, or that of its session is in use or ending.
    Later,
    /// No, and no process can end for it.
    Full,
}

/// A handle to a session's task.
pub(super) struct SessionHandle {
    pub(super) commands: mpsc::Sender<Command>,
    pub(super) view: Arc<Mutex<View>>,
}

impl SessionHandle {
    pub(super) fn view(&self) -> MutexGuard<'_, View> {
        self.view.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether the task takes turns.
    pub(super) fn is_open(&self, view: &View) -> bool {
        !view.is_closed && !self.commands.is_closed()
    }
}

impl State {
    pub(super) fn new() -> Self {
        Self {
            boot: boot(),
            fences: 0,
            used: BTreeMap::new(),
            forgotten: 0,
            handles: HashMap::new(),
            reporting: Vec::new(),
            tasks: JoinSet::new(),
            watchdog: JoinSet::new(),
            is_draining: false,
            renewed: Instant::now(),
            blocked: Instant::now(),
        }
    }

    pub(super) fn remember(&mut self, number: u64, use_: Use) {
        self.used.insert(number, use_);
        if self.used.len() > FENCES
            && let Some((first, _)) = self.used.pop_first()
        {
            self.forgotten = self.forgotten.max(first);
        }
    }

    pub(super) fn alive(&self, fence: &Fence) -> bool {
        fence.boot == self.boot
            && self.handles.get(&fence.session).is_some_and(|handle| {
                let view = handle.view();
                view.is_busy && view.accepted == fence.number && !handle.commands.is_closed()
            })
    }

    pub(super) fn command(&self, session: &SessionName, command: Command) -> bool {
        self.handles
            .get(session)
            .is_some_and(|handle| handle.view().is_busy && handle.commands.try_send(command).is_ok())
    }

    /// Ends the accepted turn of a session, and returns whether there is one.
    pub(super) fn stop(&self, session: &SessionName) -> bool {
        self.handles.get(session).is_some_and(|handle| {
            let mut view = handle.view();
            view.is_stopped = view.is_busy;
            if view.is_busy {
                // The task reads the view after each command, so a full queue wakes it too.
                let _ = handle.commands.try_send(Command::Stop);
            }
            view.is_busy && !handle.commands.is_closed()
        })
    }

    /// Returns whether a turn of a session has room. If it needs the slot of another session, evicts one.
    pub(super) fn make_room(&self, session: &SessionName, admission: &Admission) -> Room {
        if self.is_draining || Instant::now() < self.blocked {
            return Room::Full;
        }
        if let Some(handle) = self.handles.get(session) {
            let view = handle.view();
            if handle.is_open(&view) {
                let is_free = !view.is_busy && view.ends_for.is_none();
                return if is_free { Room::Free } else { Room::Later };
            }
        }
        let AdmissionNumbers { slots, running, .. } = admission.numbers();
        if running < slots {
            Room::Free
        } else if self.evict(session) {
            Room::Later
        } else {
            Room::Full
        }
    }

    /// Ends the process that has waited longest for a turn, unless one is already ending for this session. Returns
    /// whether one ends for it.
    pub(super) fn evict(&self, session: &SessionName) -> bool {
        let idle = || {
            self.handles.values().filter(|handle| {
                let view = handle.view();
                !view.is_busy && handle.is_open(&view)
            })
        };
        let marked = || idle().filter(|handle| handle.view().ends_for.as_ref() == Some(session));
        // A process that still reports its turn may take long.
        if marked().any(|handle| handle.view().phase == Phase::Idle) {
            return true;
        }
        let oldest = idle().filter(|handle| handle.view().ends_for.is_none()).min_by_key(|handle| {
            let view = handle.view();
            // The process of a session that still reports its turn is idle too, but ends after the report.
            (view.phase != Phase::Idle, view.since)
        });
        // A full queue means that the session is about to act anyway.
        let evicted = oldest.filter(|handle| handle.commands.try_send(Command::Evict).is_ok());
        if let Some(handle) = evicted {
            handle.view().ends_for = Some(session.clone());
        }
        evicted.is_some() || marked().next().is_some()
    }

    /// Ends all processes without a report.
    pub(super) fn abort_all(&mut self) {
        self.handles.clear();
        self.reporting.clear();
        self.tasks.abort_all();
        self.boot = boot();
        (self.renewed, self.blocked) = (Instant::now(), Instant::now() + ENDING);
    }
}

fn boot() -> Box<str> {
    uuid::Uuid::new_v4().to_string().into()
}

/// How many fences are remembered.
const FENCES: usize = 65_536;
