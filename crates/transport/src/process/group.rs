//! The child's process group: waiting for its leader, signalling all of it, and reaping, in the only safe order.

use std::{
    fs::File,
    io::{self, Read},
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::{Errno, retry_on_intr},
    process::{
        Pid, Signal as SystemSignal, WaitId, WaitIdOptions, kill_process_group, test_kill_process_group,
        waitid,
    },
};

use super::drain::Over;
use crate::{error::ExitReport, transport::Signal};

pub(super) struct Group {
    /// The leader's process id, which is the group's id too.
    leader: Pid,
    /// Readable once the leader has ended; `None` where the system has no such thing.
    end: Option<OwnedFd>,
    /// Whether the leader was reaped. From then on the id may belong to a stranger and is never signalled again.
    reaped: Mutex<bool>,
    /// Whether nobody was left of it once. Members come of members and of the guard's start; a stranger of the same session
    /// could join too, and is none of what the child has started.
    emptied: AtomicBool,
}

impl Group {
    /// The group of a leader that is not reaped yet.
    pub(super) fn new(leader: Pid) -> Self {
        Self { leader, end: end_of(leader), reaped: Mutex::new(false), emptied: AtomicBool::new(false) }
    }

    pub(super) fn id(&self) -> u32 {
        self.leader.as_raw_nonzero().get().unsigned_abs()
    }

    pub(super) fn leader(&self) -> Pid {
        self.leader
    }

    /// Signals every process of the group; one that is gone already is no error.
    pub(super) fn signal(&self, signal: Signal) -> io::Result<()> {
        self.send(match signal {
            Signal::Term => SystemSignal::TERM,
            Signal::Kill => SystemSignal::KILL,
        })
    }

    /// Interrupts every process of the group; one that is gone already is no error.
    pub(super) fn interrupt(&self) -> io::Result<()> {
        self.send(SystemSignal::INT)
    }

    fn send(&self, signal: SystemSignal) -> io::Result<()> {
        // Held while signalling: the leader cannot be reaped in between.
        let reaped = self.reaped.lock().unwrap_or_else(PoisonError::into_inner);
        if *reaped {
            return Ok(());
        }
        match kill_process_group(self.leader, signal) {
            Ok(()) | Err(Errno::SRCH) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Blocks until the leader has ended, without reaping it: as a zombie it keeps its id reserved.
    pub(super) fn wait_for_leader(&self) -> ExitReport {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        match retry_on_intr(|| waitid(WaitId::Pid(self.leader), options)) {
            Ok(Some(status)) => ExitReport {
                code: status.exit_status(),
                signal: status.terminating_signal(),
                ..ExitReport::default()
            },
            // Somebody else in this process reaped our child (or ignores SIGCHLD): how it ended is lost.
            Ok(None) | Err(_) => {
                *self.reaped.lock().unwrap_or_else(PoisonError::into_inner) = true;
                ExitReport::default()
            }
        }
    }

    /// Whether the leader is reaped, so that the group is not signalled any more.
    pub(super) fn is_reaped(&self) -> bool {
        *self.reaped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reaps the leader, which must have ended: its id is free from here on.
    pub(super) fn reap(&self) {
        let mut reaped = self.reaped.lock().unwrap_or_else(PoisonError::into_inner);
        if !*reaped {
            // Does not block, since the leader has ended. An error means that it is reaped already.
            let _ = retry_on_intr(|| waitid(WaitId::Pid(self.leader), WaitIdOptions::EXITED));
            *reaped = true;
        }
    }

    /// Waits for the end of the leader, no longer than this; whether it came.
    ///
    /// Waits not at all where the system can't do so.
    pub(super) fn leader_ends_within(&self, time: Duration) -> bool {
        self.leader_end().is_some_and(|end| end.comes_within(time))
    }

    /// The end of the leader, where the system lets it be polled.
    pub(super) fn leader_end(&self) -> Option<LeaderEnd<'_>> {
        self.end.as_ref().map(|end| LeaderEnd(end.as_fd()))
    }

    /// Kills a leader that nobody waits for, and reaps it.
    pub(super) fn abort(&self) {
        // Only a program that changes its user refuses, which this one had no time to do.
        let _ = self.signal(Signal::Kill);
        self.wait_for_leader();
        self.reap();
    }

    /// Whether the group has other living members than its ended leader and its guard, which is started already or is
    /// not going to be.
    ///
    /// It reads all processes of the machine, so that what it found once is kept: a group that nobody is left of stays so.
    /// On Linux signal 0 cannot tell: the zombie leader would answer too.
    pub(super) fn has_others(&self, guard: Option<Pid>) -> bool {
        if self.is_reaped() {
            return false;
        }
        // Elsewhere it can where zombies take no signals; where they do, the others are taken to live, and get their
        // whole grace.
        if !cfg!(target_os = "linux") {
            return test_kill_process_group(self.leader).is_ok();
        }
        let leader = self.leader.as_raw_nonzero().get();
        let guard = guard.map(|guard| guard.as_raw_nonzero().get());
        if self.emptied.load(Ordering::Relaxed) {
            return false;
        }
        let Ok(processes) = std::fs::read_dir("/proc") else { return true };
        let found = processes
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok())
            .filter(|process| *process != leader && Some(*process) != guard)
            .any(|process| lives_in_group(process, leader));
        self.emptied.store(!found, Ordering::Relaxed);
        found
    }
}

/// The end of a leader: readable once it has come.
pub(super) struct LeaderEnd<'a>(BorrowedFd<'a>);

impl LeaderEnd<'_> {
    fn comes_within(&self, time: Duration) -> bool {
        let Ok(time) = Timespec::try_from(time) else { return false };
        // An interrupted wait is a short one.
        poll(&mut [PollFd::new(self, PollFlags::IN)], Some(&time)).is_ok_and(|ready| ready > 0)
    }
}

impl AsFd for LeaderEnd<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0
    }
}

impl Over for LeaderEnd<'_> {
    fn is_over(&self) -> bool {
        self.comes_within(Duration::ZERO)
    }
}

fn end_of(leader: Pid) -> Option<OwnedFd> {
    #[cfg(target_os = "linux")]
    return rustix::process::pidfd_open(leader, rustix::process::PidfdFlags::empty()).ok();
    #[cfg(not(target_os = "linux"))]
    return {
        let _ = leader;
        None
    };
}

/// Reads `/proc/PROCESS/stat`: `pid (name) state parent group …`, where the name may hold anything.
fn lives_in_group(process: i32, group: i32) -> bool {
    // One read for each process of the machine; what is asked for stands in front.
    let mut stat = [0; 512];
    let read = File::open(format!("/proc/{process}/stat")).and_then(|mut file| file.read(&mut stat));
    let length = match read {
        Ok(length) => length,
        // It is not known; any other error is one of a process that is gone, or not ours to see.
        Err(error) => return OURS.iter().any(|ours| error.raw_os_error() == Some(ours.raw_os_error())),
    };
    let stat = String::from_utf8_lossy(&stat[..length]);
    let Some((_, fields)) = stat.rsplit_once(')') else { return false };
    let mut fields = fields.split_ascii_whitespace();
    let alive = !matches!(fields.next(), Some("Z" | "X") | None);
    alive && fields.nth(1).and_then(|field| field.parse().ok()) == Some(group)
}

/// Errors of a machine, or of this program, that has too little of something.
const OURS: [Errno; 3] = [Errno::MFILE, Errno::NFILE, Errno::NOMEM];
