//! The control protocol: requests and responses in both directions, interleaved with messages.

mod calls;
mod envelope;
mod error_code;
mod inbound;
mod initialize;
mod outbound;
mod strict;

pub use calls::{CallVisitor, visit_calls};
pub use envelope::*;
pub use error_code::ErrorCode;
pub use inbound::*;
pub use initialize::*;
pub use outbound::*;
pub(crate) use strict::{is_control, is_decoration};
