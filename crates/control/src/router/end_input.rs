//! The end of the input, and the answers to write before it.

use agentwire_codec::encode;
use agentwire_protocol::{
    RawJson, RequestId,
    control::{Interrupt, OutboundRequest},
};

use super::{Input, Router, transmit::Kind};
use crate::RouterEvent;

impl Router {
    /// Ends the input: queued lines are still written, and later calls and answers are not sent.
    ///
    /// The CLI's open requests get an error first.
    /// The CLI may then go ahead with the guarded action: send a refusal with [`refuse_open`](Self::refuse_open)
    /// before. After the end of its input the CLI sends no requests and proceeds without asking: if that matters, use
    /// [`end_input_when_idle`](Self::end_input_when_idle).
    pub fn end_input(&mut self) {
        self.refuse_open(|_| Err(ENDED.to_owned()));
        if self.input_is_open() {
            self.input = Input::Ended;
        }
    }

    /// Ends the input once the CLI is idle, no prompt is open, and no task runs in the background.
    ///
    /// Until then only answers to the CLI's requests are sent, and cancellations of calls.
    /// CLI 2.1.197 does not report the states of prompts, so each prompt needs a result: after prompts that shared one, the
    /// input stays open until [`end_input`](Self::end_input).
    pub fn end_input_when_idle(&mut self) {
        if matches!(self.input, Input::Open) {
            self.input = Input::EndWhenIdle;
            self.end_input_if_idle();
        }
    }

    /// Ends the input if that is pending and the CLI is idle.
    pub(super) fn end_input_if_idle(&mut self) {
        if self.is_ending() && self.may_end_input() {
            self.end_input();
        }
    }

    /// Returns whether the CLI is idle, no prompt is open and no task runs, so that ending the input cuts nothing short.
    pub fn may_end_input(&self) -> bool {
        self.turns.may_end_input()
    }

    /// Returns whether the input is to end once the CLI is idle.
    pub fn is_ending(&self) -> bool {
        matches!(self.input, Input::EndWhenIdle)
    }

    /// Answers every open request of the CLI with the return value of `refuse`, in the order of their ids.
    ///
    /// Each also causes a [`RouterEvent::InboundCancelled`], even if its answer can no longer be sent.
    pub fn refuse_open(&mut self, mut refuse: impl FnMut(&RequestId) -> Result<RawJson, String>) {
        for id in self.inbound.drain() {
            self.push_answer(&id, refuse(&id));
            self.events.push_back(RouterEvent::InboundCancelled(id));
        }
    }

    /// Returns whether [`end_input_when_idle`](Self::end_input_when_idle) is pending and no turn is known to run.
    ///
    /// CLI 2.1.197 may never report that it is idle, so the driver ends the input after a pause in this state.
    pub fn seems_over(&self) -> bool {
        self.is_ending() && self.turns.seems_over()
    }

    /// Interrupts the running turn and drops queued prompts, without waiting for a reply.
    ///
    /// For a session that is dropped: no event reports the reply.
    pub fn interrupt_without_reply(&mut self) {
        let mut interrupt = Interrupt::default();
        interrupt.cancel_queued = Some(true);
        // Encoding a request of this crate does not fail.
        if self.input_is_open()
            && let Ok(line) = encode(&OutboundRequest::new(&RequestId::from(UNTRACKED_ID), &interrupt))
        {
            self.transmit.push(line, Kind::Other);
        }
    }
}

/// The error for requests that are open when the input ends.
const ENDED: &str = "the input is ending";
/// An id that no tracked call has.
const UNTRACKED_ID: &str = "req_end";
