//! A frame with what it says: decoding needs no router, and is done before its turn comes.

use agentwire_codec::{Frame, Head, Incoming};
#[cfg(feature = "driver")]
use agentwire_protocol::{InboundRequest, Message};

/// A frame with what it says.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub(super) head: Head,
    pub(super) is_unfinished: bool,
    pub(super) incoming: Incoming,
}

impl Decoded {
    pub(crate) fn of(frame: Frame) -> Self {
        let (head, is_unfinished) = (frame.head.clone(), frame.is_unfinished);
        Self { head, is_unfinished, incoming: Incoming::decode(frame) }
    }

    /// Whether the CLI asks something.
    #[cfg(feature = "driver")]
    pub(crate) fn is_request(&self) -> bool {
        matches!(self.head, Head::Request(_))
    }

    /// What the CLI asks, where it can be read.
    #[cfg(feature = "driver")]
    pub(crate) fn request(&self) -> Option<&InboundRequest> {
        match self.incoming.message()? {
            Message::ControlRequest(asked) => Some(&asked.request),
            _ => None,
        }
    }
}
