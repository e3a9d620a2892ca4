//! The one trait by which a crate above takes lines off the stream before they become messages.

use std::sync::Arc;

use agentwire_codec::{Frame, FrameError};

/// Takes lines off the stream when they are read, before the router has seen them: what it takes is no message.
///
/// Without one, nothing is asked of anybody: the driver's code is then the same as if there were no such trait.
pub trait FrameFilter: Send + Sync + 'static {
    /// Takes a frame, or gives it back for the router.
    ///
    /// Called by the task that reads, in the order of the lines, with no lock held, and before anything behind this line
    /// has an effect: return at once, since everybody waits for it.
    ///
    /// It is dropped when the last line was read, or the session was given up.
    fn filter(&self, frame: Frame) -> Option<Frame>;

    /// Reports a line that was too long to be read, in its place among the frames; the reader gets it all the same.
    ///
    /// Does nothing by default.
    fn missed(&self, fault: &FrameError) {
        let _ = fault;
    }
}

/// What the driver sifts with: chosen when it is compiled, so that who has no filter pays for none.
pub(crate) trait OptionalFilter: Send + Sync + 'static {
    /// Whether it may take anything.
    const TAKES: bool;

    fn filter(&self, frame: Frame) -> Option<Frame>;

    fn missed(&self, fault: &FrameError);
}

impl OptionalFilter for () {
    const TAKES: bool = false;

    fn filter(&self, frame: Frame) -> Option<Frame> {
        Some(frame)
    }

    fn missed(&self, _: &FrameError) {}
}

impl OptionalFilter for Arc<dyn FrameFilter> {
    const TAKES: bool = true;

    fn filter(&self, frame: Frame) -> Option<Frame> {
        (**self).filter(frame)
    }

    fn missed(&self, fault: &FrameError) {
        (**self).missed(fault);
    }
}
