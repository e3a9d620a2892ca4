//! The one trait by which a crate above sees what arrives, when it arrives.

use agentwire_codec::FrameKind;
use agentwire_protocol::message::UserInput;

use crate::{Delivery, SessionEnd};

/// Sees what arrives when it arrives, which may be long before anybody reads it.
///
/// It is for telling what happens, not for acting on it: it can change nothing.
pub trait Observer: Send + Sync + 'static {
    /// A prompt is being sent; called where it is, with no lock held.
    fn sending(&self, prompt: &UserInput);

    /// Whether a line with this head is to be told to [`arrived`](Self::arrived).
    ///
    /// Asked of lines that nobody else needs decoded before they are read ([`FrameKind::StreamEvent`], [`FrameKind::User`]), which
    /// are nearly all: where it says no nobody is told, and they are kept as their lines alone until they are read.
    /// Yes by default.
    fn wants(&self, head: &FrameKind) -> bool {
        let _ = head;
        true
    }

    /// Something has arrived; called in the order of the lines, before the reader can have it.
    ///
    /// Called under the session's lock: take note, and return at once. Calling the session would wait for ever.
    fn arrived(&self, delivery: &Delivery);

    /// Time to act on what was noted: no lock is held.
    ///
    /// Called after each batch of arrivals, and before the callback of a request behind them is started.
    fn settle(&self);

    /// The session has ended like this; nothing arrives after it.
    ///
    /// Called once, by whatever ends the session, with no lock held; what arrived last may not have been settled yet.
    fn ended(&self, ending: &SessionEnd);
}
