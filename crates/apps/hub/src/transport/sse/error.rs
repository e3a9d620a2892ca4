//! Why a message was not delivered.

use crate::transport::link::Ended;

/// Why a message was not delivered. The connection may go on.
#[derive(Debug, thiserror::Error)]
#[error("the message was not delivered")]
pub(crate) struct SendError(#[source] pub(super) Ended);
