//! The trait for observing a session's events when they arrive.

use agentwire_protocol::message::UserInput;

use crate::{RawEvent, SessionExit};

/// Observes a session's events when they arrive, which may be long before the user reads them.
///
/// An observer can't change anything; its panic is logged.
pub trait Observer: Send + Sync + 'static {
    /// Observes a prompt that is being sent. The sending task calls this, without a lock.
    fn sending(&self, prompt: &UserInput);

    /// Observes an event, in the order of the lines, before the reader can get it. A request without a responder is not
    /// reported.
    ///
    /// Called under the session's lock: store the event and return at once; decode it in [`settle`](Self::settle).
    /// Calling the session from here deadlocks.
    fn arrived(&self, event: &RawEvent);

    /// Processes the stored events, without a lock.
    ///
    /// Called after each batch of lines, and before the callback of a request behind them starts.
    fn settle(&self);

    /// Observes the end of the session. No event follows.
    ///
    /// Called once, without a lock, by the task that ends the session. The last events may not be settled yet.
    fn ended(&self, ending: &SessionExit);
}
