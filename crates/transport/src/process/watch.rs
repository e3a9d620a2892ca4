//! What one thread per child does: waits for the process and drains its stderr meanwhile, reports its end, ends what is
//! left of its group, and reaps.

use std::{
    os::fd::OwnedFd,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, PoisonError},
    thread,
    time::{Duration, Instant},
};

use super::{closing::STACK, grace::deadline, guard, running::Running, stderr::drain_aside};
use crate::{error::ExitReport, transport::Signal};

/// Watches the child to its end, and has it guarded. `stderr` is `None` where another thread drains it.
pub(super) fn watch(running: &Arc<Running>, stderr: Option<OwnedFd>) {
    if !running.guard.is_awaited() {
        return watch_child(running, stderr);
    }
    if running.group.leader_ends_within(MOMENT) && !running.group.has_others(None) {
        running.guard.leave_out();
        return watch_child(running, stderr);
    }
    thread::scope(|scope| {
        let start = || running.guard.start(running.group.leader(), running.grace());
        let aside = thread::Builder::new().name("aw-guard".into()).stack_size(STACK);
        let started = aside.spawn_scoped(scope, move || {
            guard::give_way();
            start();
        });
        if started.is_err() {
            start();
        }
        watch_child(running, stderr);
    });
}

/// Every step is bounded but one, which is the child's life.
fn watch_child(running: &Arc<Running>, stderr: Option<OwnedFd>) {
    let report = wait_for_leader(running, stderr);
    let drained = deadline(running.grace().drain);
    let killed = deadline(running.grace().after_terminate);
    signal(running, Signal::Term);
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
    // Only here is the leader reaped, so that its group was there for the guard to join.
    running.guard.dismiss();
    running.group.reap();
    let_go(running);
    running.gone.settle(());
    running.output_done.wait_until(drained);
    abandon(running);
}

/// Waits for the leader's end, and drains stderr until then; where others hold it open, a thread goes on.
fn wait_for_leader(running: &Arc<Running>, stderr: Option<OwnedFd>) -> ExitReport {
    if let Some(pipe) = stderr
        && let Some(end) = running.group.leader_end()
        && (running.stderr.drain(&pipe, &end, None) || drain_aside(running, pipe, None).is_err())
    {
        // Without a thread the pipe closes, and who still writes to it sees a broken one.
        running.stderr.done.settle(());
    }
    running.group.wait_for_leader()
}

/// Drops what was kept for the process; a panic of it is its own affair.
fn let_go(running: &Running) {
    let kept = running.keep.lock().unwrap_or_else(PoisonError::into_inner).take();
    let _ = catch_unwind(AssertUnwindSafe(|| drop(kept)));
}

/// Waits until the rest of the group has heeded its SIGTERM, and kills it when it has not in time.
fn end_group(running: &Running, drained: Instant, killed: Instant) {
    if running.group.is_reaped() {
        // By somebody else in this process, so that the group's id may be a stranger's once the guard has left it.
        running.guard.take_over();
        end_of(running, drained, killed + AFTER_KILL, || running.guard.lives());
        return;
    }
    let others_live = || running.group.has_others(running.guard.pid());
    if end_of(running, drained, killed, others_live) {
        return;
    }
    signal(running, Signal::Kill);
    // The system takes a moment; it takes for ever only where a process hangs in the system itself.
    end_of(running, drained, deadline(AFTER_KILL), others_live);
}

/// Waits until something of the group no longer lives, and returns whether that came by the deadline.
fn end_of(running: &Running, drained: Instant, until: Instant, lives: impl Fn() -> bool) -> bool {
    let mut pause = SHORTEST_PAUSE;
    while lives() {
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

fn signal(running: &Running, how: Signal) {
    // The leader is a zombie and takes no signal.
    // The rest may not be signalled where it changed its user; nothing more can be done about that.
    let _ = running.group.signal(how);
}

/// How long the child's start has the machine for itself: too short for the CLI to have started anything.
const MOMENT: Duration = Duration::from_millis(5);
/// How long a killed process may take to be gone.
const AFTER_KILL: Duration = Duration::from_secs(1);
/// There is no event to wait for when a process ends that is not our child.
const SHORTEST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);
