//! What arrives, decoded without the session's lock; what only the user reads is left to him where he is far behind.

use agentwire_codec::{Frame, FrameError, Head, Incoming};

use super::{effects::Effects, inbox::Parcel, shared::State};
use crate::{Delivery, Observer, router::Decoded};

/// What arrives, before the router has taken it.
pub(super) enum Arrival {
    /// A piece of the conversation. The router needs nothing of what it says, so that it may be decoded when it is read.
    Conversation(Parcel),
    Decoded(Decoded),
    /// A line that was too long.
    Fault(FrameError),
}

impl Arrival {
    /// `now` says whether pieces of the conversation are decoded now.
    pub(super) fn of(frame: Result<Frame, FrameError>, observer: Option<&dyn Observer>, now: bool) -> Self {
        match frame {
            Ok(frame) if may_wait(&frame.head, observer) => Self::Conversation(if now {
                Parcel::Delivery(Delivery::Incoming(Incoming::decode(frame)))
            } else {
                Parcel::Conversation(frame.line)
            }),
            Ok(frame) => Self::Decoded(Decoded::of(frame)),
            Err(fault) => Self::Fault(fault),
        }
    }

    /// Whether the CLI asks something.
    pub(super) fn is_request(&self) -> bool {
        matches!(self, Self::Decoded(decoded) if decoded.is_request())
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
        match arrival {
            Arrival::Conversation(parcel) => {
                if self.router.handle_conversation() {
                    effects.told = true;
                    self.inbox.push(parcel);
                }
            }
            Arrival::Decoded(decoded) => self.router.handle_decoded(decoded),
            Arrival::Fault(fault) => self.router.handle_fault(fault),
        }
        self.settle_events(observer, effects);
    }
}

/// Whether decoding may be left to whoever reads the message.
fn may_wait(head: &Head, observer: Option<&dyn Observer>) -> bool {
    matches!(head, Head::StreamEvent | Head::User) && !observer.is_some_and(|observer| observer.wants(head))
}
