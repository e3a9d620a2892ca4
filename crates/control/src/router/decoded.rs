//! A frame with what it says: decoding needs no router, and is done before its turn comes.

use agentwire_codec::{Frame, FrameKind, Incoming};
#[cfg(feature = "driver")]
use agentwire_protocol::{InboundRequest, Message};

/// A frame with what it says.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub(super) kind: FrameKind,
    pub(super) is_truncated: bool,
    pub(super) incoming: Incoming,
}

impl Decoded {
    pub(crate) fn of(frame: Frame) -> Self {
        let (kind, is_truncated) = (frame.kind.clone(), frame.is_truncated);
        Self { kind, is_truncated, incoming: Incoming::decode(frame) }
    }

    /// Whether the CLI asks something.
    #[cfg(feature = "driver")]
    pub(crate) fn is_request(&self) -> bool {
        matches!(self.kind, FrameKind::Request(_))
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
