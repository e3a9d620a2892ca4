//! The end of the CLI's input, caused by this side or by the peer, and the answers to open requests before it.

use std::{convert::Infallible, time::Duration};

use bytes::{Bytes, BytesMut};
use tokio::time::sleep;

use super::{ABORTED, Shared, waits::wait};
use crate::SessionExit;

impl Shared {
    /// Ends the input: at once, or in a guarded session when the CLI is idle, because it sends no requests after that.
    pub(super) fn end_input(&self) {
        self.apply(self.state.lock(), |state| {
            state.refuse_open();
            if self.guarded { state.router.end_input_when_idle() } else { state.router.end_input() }
        });
        self.written.notify_waiters();
    }

    /// Ends the input of a CLI that seems idle for a while but has not reported it. Never returns.
    ///
    /// CLI 2.1.197 does not report that prompts shared a turn.
    pub(super) async fn end_when_quiet(&self) -> Infallible {
        loop {
            let ended = wait(&self.quiet, || {
                self.read_router(|router| router.seems_over().then(|| router.turns_ended()))
            })
            .await;
            sleep(QUIET_PERIOD).await;
            self.apply(self.state.lock(), |state| {
                if state.router.seems_over() && state.router.turns_ended() == ended {
                    state.router.end_input();
                }
            });
            self.written.notify_waiters();
        }
    }

    /// Breaks the input when the writer is dropped, and returns the lines that are not written yet.
    ///
    /// The second value is whether the CLI must end at once, because its turn would go on unguarded.
    pub(super) fn take_last_lines(&self) -> (Bytes, bool) {
        self.apply(self.state.lock(), |state| {
            let unguarded = self.guarded && !state.router.may_end_input();
            state.refuse_open();
            if unguarded {
                state.router.interrupt_without_reply();
            }
            let mut lines = BytesMut::new();
            while let Some(next) = state.router.poll_transmit() {
                lines.extend_from_slice(&next);
            }
            if state.router.input_is_open() {
                // Later calls wait for the end of the session, which names the cause.
                state.router.handle_broken_input(SessionExit::failed(ABORTED));
            }
            (lines.freeze(), unguarded)
        })
    }

    /// Handles a failed write: cancels the callbacks, so that their requests no longer count as unread.
    ///
    /// Output of the peer may still be unread.
    pub(super) fn input_broken(&self, why: SessionExit) {
        self.with_router(|router| {
            router.handle_broken_input(why);
            router.refuse_open(|_| Err(String::new()));
        });
        self.written.notify_waiters();
        self.may_read.notify_waiters();
    }
}

/// How long to wait after the last result for another turn before the input ends.
const QUIET_PERIOD: Duration = Duration::from_secs(1);
