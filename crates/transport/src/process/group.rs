//! The child's process group: signals it, waits for its leader, and reaps the leader in a safe order.

use std::{
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
};

use rustix::{
    io::{Errno, retry_on_intr},
    process::{
        Pid, Signal as SystemSignal, WaitId, WaitIdOptions, kill_process_group, test_kill_process_group,
        waitid,
    },
};

use super::process_list::has_members;
use crate::{error::ExitReport, lock::Lock, transport::Signal};

/// The child's process group.
pub(super) struct Group {
    /// The leader's process id, which is also the group's id.
    leader: Pid,
    /// The id of the process that started the leader. A fork of that process must not signal the group.
    owner: u32,
    /// Readable once the leader has ended. `None` on systems without such descriptors.
    end: Option<OwnedFd>,
    /// Whether the leader is reaped. After that the system may reuse the id, so it must not be signalled.
    pub(super) reaped: Lock<bool>,
}

impl Group {
    /// Wraps the group of a leader that is not reaped yet.
    pub(super) fn new(leader: Pid) -> Self {
        Self { leader, owner: std::process::id(), end: end_of(leader), reaped: Lock::new(false) }
    }

    pub(super) fn id(&self) -> u32 {
        self.leader.as_raw_nonzero().get().unsigned_abs()
    }

    pub(super) fn leader(&self) -> Pid {
        self.leader
    }

    /// Signals every process of the group. Succeeds if the group has ended.
    pub(super) fn signal(&self, signal: Signal) -> io::Result<()> {
        self.send(match signal {
            Signal::Term => SystemSignal::TERM,
            Signal::Kill => SystemSignal::KILL,
        })
    }

    /// Signals every process of the group. Ignores errors: members that run as another user can't be signalled.
    pub(super) fn signal_or_ignore(&self, signal: Signal) {
        let _ = self.signal(signal);
    }

    /// Sends SIGINT to every process of the group. Succeeds if the group has ended.
    pub(super) fn interrupt(&self) -> io::Result<()> {
        self.send(SystemSignal::INT)
    }

    fn send(&self, signal: SystemSignal) -> io::Result<()> {
        // Locked while signalling, so that the leader is not reaped in between.
        let reaped = self.reaped.lock();
        if *reaped || std::process::id() != self.owner {
            return Ok(());
        }
        match kill_process_group(self.leader, signal) {
            Ok(()) | Err(Errno::SRCH) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Blocks until the leader has ended, without reaping it: the zombie reserves the group's id.
    pub(super) fn wait_for_leader(&self) -> ExitReport {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        match retry_on_intr(|| waitid(WaitId::Pid(self.leader), options)) {
            Ok(Some(status)) => ExitReport {
                code: status.exit_status(),
                signal: status.terminating_signal(),
                ..ExitReport::default()
            },
            // The exit status is lost: other code of this program reaped the child, or SIGCHLD is ignored.
            Ok(None) | Err(_) => {
                *self.reaped.lock() = true;
                ExitReport::default()
            }
        }
    }

    /// Reaps the leader, which must have ended. After this the system may reuse its id.
    pub(super) fn reap(&self) {
        let mut reaped = self.reaped.lock();
        if !*reaped {
            // Does not block, since the leader has ended. Fails if the leader is reaped already.
            let _ = retry_on_intr(|| waitid(WaitId::Pid(self.leader), WaitIdOptions::EXITED));
            *reaped = true;
        }
    }

    /// Returns a descriptor that is readable once the leader has ended, if the system has such descriptors.
    pub(super) fn leader_end(&self) -> Option<BorrowedFd<'_>> {
        self.end.as_ref().map(OwnedFd::as_fd)
    }

    /// Kills the group and reaps its leader, when no thread watches it.
    pub(super) fn abort(&self) {
        self.signal_or_ignore(Signal::Kill);
        self.wait_for_leader();
        self.reap();
    }

    /// Returns whether the group has living members other than its ended leader and its guard.
    pub(super) fn has_others(&self, guard: Option<Pid>) -> bool {
        if !cfg!(target_os = "linux") {
            // Some systems count zombies here. There the group seems to live on, and gets its whole grace period.
            return test_kill_process_group(self.leader).is_ok();
        }
        // On Linux that test always counts the zombie leader, so read the process list.
        let raw = |pid: Pid| pid.as_raw_nonzero().get();
        has_members(raw(self.leader), |process| {
            process != raw(self.leader) && Some(process) != guard.map(raw)
        })
    }
}

/// Opens a descriptor that is readable once the leader has ended.
fn end_of(leader: Pid) -> Option<OwnedFd> {
    #[cfg(target_os = "linux")]
    return rustix::process::pidfd_open(leader, rustix::process::PidfdFlags::empty()).ok();
    #[cfg(not(target_os = "linux"))]
    return {
        let _ = leader;
        None
    };
}
