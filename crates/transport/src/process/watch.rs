//! The watch thread of a child: drains its stderr, waits for its end, reports that, ends the rest of its group, and reaps.

use std::{
    os::fd::OwnedFd,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use super::{grace::deadline, running::Running, stderr::drain_on_thread};
use crate::{error::ExitReport, transport::Signal};

/// Watches the child until its group has ended. `stderr` is `None` if another thread drains it.
///
/// Each step has a time limit, except waiting for the child itself.
pub(super) fn watch(running: &Arc<Running>, stderr: Option<OwnedFd>) {
    let report = wait_for_leader(running, stderr);
    let drained = deadline(running.grace().drain);
    let killed = deadline(running.grace().after_terminate);
    // The leader is a zombie, which ignores signals: this reaches the rest of the group.
    running.group.signal_or_ignore(Signal::Term);
    // If no other process holds the pipe, its end comes with the child's.
    running.stderr.done.wait_until(drained);
    running.ended.set(report.with_stderr_tail(running.stderr.tail()));
    running.input.close();
    if !cfg!(target_os = "linux") {
        // Other systems can't distinguish the guard from the rest of the group, so the group would seem alive.
        running.guard.dismiss();
    }
    end_group(running, drained, killed);
    // Dismiss the guard only now: if this program is killed earlier, the guard must still end the group.
    running.guard.dismiss();
    // Reap the leader last: its zombie reserves the group's id as long as the guard may signal the group.
    running.group.reap();
    release(running);
    running.group_ended.set(());
    running.output_done.wait_until(drained);
    running.shutdown.signal();
}

/// Waits for the leader's end, and drains stderr until then. If another process still holds stderr open, another thread
/// goes on draining it.
fn wait_for_leader(running: &Arc<Running>, stderr: Option<OwnedFd>) -> ExitReport {
    if let Some(pipe) = stderr
        && let Some(end) = running.group.leader_end()
        && (running.stderr.drain(&pipe, end, None) || drain_on_thread(running, pipe, None).is_err())
    {
        // Without a thread the pipe closes, and its remaining writers get SIGPIPE.
        running.stderr.done.set(());
    }
    running.group.wait_for_leader()
}

/// Drops the attachments. Panics in their destructors are ignored: the child must still be reported as gone.
fn release(running: &Running) {
    let attachments = running.attachments.lock().take();
    let _ = catch_unwind(AssertUnwindSafe(|| drop(attachments)));
}

/// Waits for the end of the rest of the group, which has received SIGTERM, and kills it at the deadline.
fn end_group(running: &Running, drained: Instant, killed: Instant) {
    let others_live = || running.group.has_others(running.guard.pid());
    if *running.group.reaped.lock() {
        // Other code of this program reaped the leader, so only a member of the group can still signal it safely.
        if running.guard.pid().is_some() && others_live() {
            running.guard.take_over();
            // The guard counts too, since it has children: it ends last.
            let ended = deadline(running.grace().after_terminate.saturating_add(2 * AFTER_KILL));
            wait_while(running, drained, ended, || running.group.has_others(None));
        }
        return;
    }
    if wait_while(running, drained, killed, others_live) {
        return;
    }
    running.group.signal_or_ignore(Signal::Kill);
    // A killed process ends at once, unless it is blocked in the kernel.
    wait_while(running, drained, deadline(AFTER_KILL), others_live);
}

/// Waits until `lives` is false or the deadline passes; returns whether `lives` became false.
///
/// Signals the shutdown when the time to drain the pipes is over.
fn wait_while(running: &Running, drained: Instant, until: Instant, lives: impl Fn() -> bool) -> bool {
    let mut pause = MIN_PAUSE;
    while lives() {
        let now = Instant::now();
        if now >= drained {
            running.shutdown.signal();
        }
        if now >= until {
            return false;
        }
        thread::sleep(pause.min(until - now));
        pause = (pause * 2).min(MAX_PAUSE);
    }
    true
}

/// The time that a killed process may take to end.
const AFTER_KILL: Duration = Duration::from_secs(1);
// The system has no event for the end of a process that is not our child, so the group is polled.
const MIN_PAUSE: Duration = Duration::from_millis(5);
const MAX_PAUSE: Duration = Duration::from_millis(200);
