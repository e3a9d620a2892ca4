//! What one thread per child does: waits for the process, reports its end, ends what is left of its group, and reaps.

use std::{
    thread,
    time::{Duration, Instant},
};

use super::{grace::deadline, running::Running};
use crate::transport::Terminate;

/// Watches the child to its end. Every step is bounded but one, which is the child's life.
pub(super) fn watch(running: &Running) {
    // Only this thread reaps the leader, so that the group is there for the guard to join.
    running.guard.start(running.group.leader(), running.grace);
    let report = running.group.wait_for_leader();
    let drained = deadline(running.grace.drain);
    let killed = deadline(running.grace.after_terminate);
    signal(running, Terminate::Gently);
    // Where nobody else holds the pipe, its end comes with the child's.
    running.stderr.done.wait_until(drained);
    running.ended.settle(report.with_stderr_tail(running.stderr.tail()));
    running.input.close();
    if !cfg!(target_os = "linux") {
        // Elsewhere it can't be told apart from the rest of the group, which would seem to live for ever.
        running.guard.dismiss();
    }
    end_group(running, drained, killed);
    // Last, so that the rest of the group is not left alone should we be killed before this.
    running.guard.dismiss();
    running.group.reap();
    running.gone.settle(());
    running.output_done.wait_until(drained);
    abandon(running);
}

/// Waits until the rest of the group has heeded its SIGTERM, and kills it when it has not in time.
fn end_group(running: &Running, drained: Instant, killed: Instant) {
    if others_end(running, drained, killed) {
        return;
    }
    signal(running, Terminate::ByForce);
    // The system takes a moment; it takes for ever only where a process hangs in the system itself.
    others_end(running, drained, deadline(AFTER_KILL));
}

/// Waits for the end of the rest of the group, and tells whether it came by the deadline.
fn others_end(running: &Running, drained: Instant, until: Instant) -> bool {
    let mut pause = SHORTEST_PAUSE;
    while running.group.has_others(running.guard.pid()) {
        let now = Instant::now();
        if now >= drained {
            abandon(running);
        }
        if now >= until {
            return false;
        }
        thread::sleep(pause.min(until - now));
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
    true
}

/// Lets nobody wait for the pipes any longer: what is in them is all that counts.
fn abandon(running: &Running) {
    running.abandoned.settle(());
    running.alarm.ring();
}

fn signal(running: &Running, how: Terminate) {
    // The leader is a zombie and takes no signal.
    // The rest may not be signalled where it changed its user; nothing more can be done about that.
    let _ = running.group.signal(how);
}

/// How long a killed process may take to be gone.
const AFTER_KILL: Duration = Duration::from_secs(1);
/// There is no event to wait for when a process ends that is not our child.
const SHORTEST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);
