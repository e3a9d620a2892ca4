//! The end of the input, and the answers that have to be written before it.

use agentwire_protocol::{RawJson, RequestId};

use super::{Input, Router};
use crate::Event;

impl Router {
    /// Ends the input: queued lines are still written, and later requests and answers are not sent.
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

    /// Ends the input once the CLI is idle and no prompt waits.
    ///
    /// Until then the CLI's requests come as before and can be answered, and nothing else is sent.
    /// With a CLI that does not say what becomes of a prompt (2.1.197), every prompt has to have its result: the input stays
    /// open where prompts have shared one, until [`end_input`](Self::end_input).
    pub fn end_input_when_idle(&mut self) {
        if matches!(self.input, Input::Open) {
            self.input = Input::SessionEnd;
            self.check_ending();
        }
    }

    /// Ends the input where that waits for an idle CLI, and it is.
    pub(super) fn check_ending(&mut self) {
        if self.is_ending() && self.may_end() {
            self.end_input();
        }
    }

    /// Whether the CLI is idle and no prompt waits.
    pub(crate) fn may_end(&self) -> bool {
        let settled =
            if self.receipts.told() { self.receipts.all_settled() } else { self.turns.has_result_for_each() };
        self.is_idle() && settled
    }

    /// Whether the input ends once the CLI is idle.
    pub fn is_ending(&self) -> bool {
        matches!(self.input, Input::SessionEnd)
    }

    /// Answers every open request of the CLI's, in the order of their ids, with what `refuse` gives.
    ///
    /// Each comes as an [`Event::InboundCancelled`] too, also where no answer can be sent any more.
    pub fn refuse_open(&mut self, mut refuse: impl FnMut(&RequestId) -> Result<RawJson, String>) {
        for id in self.inbound.drain() {
            self.push_answer(&id, refuse(&id));
            self.events.push_back(Event::InboundCancelled(id));
        }
    }

    /// Whether the input waits for the CLI to be idle, and that may well be: no turn is known to run.
    #[cfg(feature = "driver")]
    pub(crate) fn seems_over(&self) -> bool {
        self.is_ending() && self.turns.seems_over() && self.receipts.all_begun()
    }

    /// Interrupts the running turn and drops queued prompts, without waiting for a reply: for a session that is dropped.
    #[cfg(feature = "driver")]
    pub(crate) fn interrupt_for_good(&mut self) {
        use agentwire_protocol::control::{Interrupt, OutboundRequest};

        let mut interrupt = Interrupt::default();
        interrupt.cancel_queued = Some(true);
        // A request of the crate's own can always be written.
        if self.input_is_open()
            && let Ok(line) =
                agentwire_codec::encode(&OutboundRequest::new(&RequestId::from(FOR_GOOD), &interrupt))
        {
            self.transmit.push(line, super::transmit::Kind::Other);
        }
    }
}

/// Why a request gets no other answer.
const ENDED: &str = "the input is ending";
/// No id of a request that waits for a reply.
#[cfg(feature = "driver")]
const FOR_GOOD: &str = "req_end";
