//! The trait for taking lines off the stream before the router handles them.

use agentwire_codec::{Frame, FrameError};

/// Takes lines off the stream before the router handles them. A line that it takes does not become a message.
pub trait FrameFilter: Send + Sync + 'static {
    /// Takes a frame, or returns it for the router.
    ///
    /// The reading task calls this in the order of the lines, without a lock, and before a later line takes effect: return
    /// at once, because the whole session waits for it.
    ///
    /// The filter is dropped after the last line, or when the session is aborted.
    fn filter(&self, frame: Frame) -> Option<Frame>;

    /// Reports a line that was too long to be read, in its place among the frames. The reader gets the error too.
    ///
    /// Does nothing by default.
    fn missed(&self, fault: &FrameError) {
        let _ = fault;
    }
}
