//! What arrives, decoded without the session's lock; what only the user reads is left to him.

use std::panic::{AssertUnwindSafe, catch_unwind};

use agentwire_codec::{Frame, FrameError, FrameKind};

use super::{effects::Effects, queue::Parcel, shared::State};
use crate::{Observer, Refusal, Responder, router::Decoded};

/// What arrives, before the router has taken it.
pub(super) enum Arrival {
    /// A piece of the conversation. The router needs nothing of what it says, so that it is decoded when it is read.
    Conversation(Frame),
    Decoded(Decoded),
    /// A request of the CLI's, and how to refuse it.
    Request(Decoded, Option<Refusal>),
    /// A line that was too long.
    Fault(FrameError),
}

impl Arrival {
    pub(super) fn of(
        frame: Result<Frame, FrameError>,
        observer: Option<&dyn Observer>,
        responder: &dyn Responder,
    ) -> Self {
        match frame {
            Ok(frame) if may_wait(&frame.kind, observer) => Self::Conversation(frame),
            Ok(frame) => {
                let decoded = Decoded::of(frame);
                if decoded.is_request() {
                    let refusal = refusal(&decoded, responder);
                    Self::Request(decoded, refusal)
                } else {
                    Self::Decoded(decoded)
                }
            }
            Err(fault) => Self::Fault(fault),
        }
    }

    /// Whether the CLI asks something.
    pub(super) fn is_request(&self) -> bool {
        matches!(self, Self::Request(..))
    }
}

impl State {
    /// Takes in what arrived, behind all that came of what arrived before it.
    pub(super) fn take_in(
        &mut self,
        arrival: Arrival,
        observer: Option<&dyn Observer>,
        effects: &mut Effects,
    ) {
        let mut refusal = None;
        match arrival {
            Arrival::Conversation(frame) => {
                if self.router.handle_conversation() {
                    effects.told = true;
                    self.queue.push(Parcel::Conversation(frame));
                }
            }
            Arrival::Decoded(decoded) => self.router.handle_decoded(decoded),
            Arrival::Request(decoded, how) => {
                refusal = how;
                self.router.handle_decoded(decoded);
            }
            Arrival::Fault(fault) => self.router.handle_fault(fault),
        }
        self.settle_events(observer, refusal, effects);
    }
}

/// How the responder refuses the request; nothing where it panics.
fn refusal(decoded: &Decoded, responder: &dyn Responder) -> Option<Refusal> {
    let request = decoded.request()?;
    catch_unwind(AssertUnwindSafe(|| responder.refusal(request))).unwrap_or_default()
}

/// Whether decoding may be left to whoever reads the message.
fn may_wait(kind: &FrameKind, observer: Option<&dyn Observer>) -> bool {
    matches!(kind, FrameKind::StreamEvent | FrameKind::User)
        && !observer.is_some_and(|observer| observer.wants(kind))
}
