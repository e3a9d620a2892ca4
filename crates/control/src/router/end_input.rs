//! The end of the input, and the answers that have to be written before it.

use agentwire_codec::encode;
use agentwire_protocol::{
    RawJson, RequestId,
    control::{Interrupt, OutboundRequest},
};

use super::{Input, Router, answer, transmit::Kind};
use crate::Event;

impl Router {
    /// Ends the input: what waits is still to be written, and later requests and answers are not sent.
    ///
    /// Requests of the CLI's that are still open are answered with an error first.
    /// The CLI may take that for leave to go ahead: where a request guards something, send its refusal with
    /// [`refuse_open`](Self::refuse_open) before.
    /// What the CLI would ask later is not asked at all once its input has ended, and goes ahead: where that matters, use
    /// [`end_input_when_idle`](Self::end_input_when_idle).
    pub fn end_input(&mut self) {
        self.refuse_open(|_| Err(ENDED.to_owned()));
        if self.input_is_open() {
            self.input = Input::Ended;
        }
    }

    /// Ends the input once the CLI is idle.
    ///
    /// Until then the CLI's requests come as before and can be answered, and nothing else is sent.
    pub fn end_input_when_idle(&mut self) {
        if self.is_idle() {
            self.end_input();
        } else if matches!(self.input, Input::Open) {
            self.input = Input::Ending;
        }
    }

    /// Whether the input ends once the CLI is idle.
    pub fn is_ending(&self) -> bool {
        matches!(self.input, Input::Ending)
    }

    /// Answers every open request of the CLI's, in the order of their ids, with what `refuse` gives.
    ///
    /// Each comes as an [`Event::InboundCancelled`] too.
    pub fn refuse_open(&mut self, mut refuse: impl FnMut(&RequestId) -> Result<RawJson, String>) {
        if !self.input_is_open() {
            return;
        }
        for id in self.inbound.drain() {
            self.push_answer(answer::line(&id, refuse(&id)));
            self.events.push_back(Event::InboundCancelled(id));
        }
    }

    /// Interrupts the turn that runs and drops the prompts that wait, without a reply: for a session that is given up.
    #[cfg(feature = "driver")]
    pub(crate) fn interrupt_for_good(&mut self) {
        let mut interrupt = Interrupt::default();
        interrupt.cancel_queued = Some(true);
        // A request of the crate's own can always be written.
        if self.input_is_open()
            && let Ok(line) = encode(&OutboundRequest::new(&RequestId::from(FOR_GOOD), &interrupt))
        {
            self.transmit.push(line, Kind::Other);
        }
    }
}

/// Why a request gets no other answer.
const ENDED: &str = "the input is ending";
/// No id of a request that waits for a reply.
#[cfg(feature = "driver")]
const FOR_GOOD: &str = "req_end";
