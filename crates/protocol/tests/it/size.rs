//! The size of unions: large kinds are boxed.

use agentwire_protocol::{Block, DecodeError, InboundRequest, Message, System};

#[test]
fn unions_stay_small() {
    assert!(size_of::<Message>() <= 64, "Message: {}", size_of::<Message>());
    assert!(size_of::<System>() <= 48, "System: {}", size_of::<System>());
    assert!(size_of::<InboundRequest>() <= 48, "InboundRequest: {}", size_of::<InboundRequest>());
    assert!(size_of::<Block>() <= 64, "Block: {}", size_of::<Block>());
    assert!(size_of::<DecodeError>() <= 64, "DecodeError: {}", size_of::<DecodeError>());
}
