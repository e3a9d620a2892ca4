//! The size limits of log messages.

use std::borrow::Cow;

use agentwire_net::head;
use serde_json::Value;

use crate::{LogMessage, size::size};

/// Cuts a message that is too large to an excerpt of its text.
pub(super) fn bounded(mut message: LogMessage) -> LogMessage {
    if let Some(logger) = &mut message.logger {
        logger.truncate(head(logger, MAX_NAME).len());
        logger.shrink_to_fit();
    }
    if size(&message.data) > MAX_BYTES {
        let text = match &message.data {
            Value::String(text) => Cow::Borrowed(text),
            data => Cow::Owned(data.to_string()),
        };
        message.data = Value::String(format!("{}…", head(&text, MAX_BYTES)));
    }
    message
}

const MAX_BYTES: usize = 4096;
const MAX_NAME: usize = 200;
