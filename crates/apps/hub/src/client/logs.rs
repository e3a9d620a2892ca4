//! The last log messages of a server.

use std::{borrow::Cow, collections::VecDeque, sync::Mutex};

use agentwire_net::head;
use serde_json::Value;

use crate::{LogMessage, lock::locked, size::size};

/// The last log messages, bounded in number and size.
#[derive(Debug, Default)]
pub(crate) struct Logs(Mutex<VecDeque<LogMessage>>);

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

impl Logs {
    /// Adds a [`bounded`] message and removes the oldest.
    pub(super) fn keep(&self, message: LogMessage) {
        let mut kept = locked(&self.0);
        if kept.len() == MAX_MESSAGES {
            kept.pop_front();
        }
        kept.push_back(message);
    }

    /// Returns the messages, oldest first.
    pub(crate) fn messages(&self) -> Vec<LogMessage> {
        locked(&self.0).iter().cloned().collect()
    }
}

const MAX_MESSAGES: usize = 100;
const MAX_BYTES: usize = 4096;
const MAX_NAME: usize = 200;

#[cfg(test)]
#[expect(deprecated, reason = "as in the client")]
mod tests {
    use rmcp::model::LoggingLevel;
    use serde_json::{Value, json};

    use super::{Logs, MAX_BYTES, MAX_MESSAGES, MAX_NAME, bounded};
    use crate::LogMessage;

    #[test]
    fn last_messages_are_kept_and_large_messages_are_cut() {
        let logs = Logs::default();
        let log = |data: Value| {
            logs.keep(bounded(LogMessage {
                server: "s".into(),
                level: LoggingLevel::Info,
                logger: Some("é".repeat(1000)),
                data,
            }));
        };
        for number in 0..=MAX_MESSAGES {
            log(json!(number));
        }
        log(json!("é".repeat(MAX_BYTES)));
        log(json!({"a": ["x".repeat(MAX_BYTES)]}));
        let kept = logs.messages();
        assert_eq!(kept.len(), MAX_MESSAGES);
        assert_eq!(kept[0].data, json!(3));
        assert_eq!(kept[0].logger.as_ref().unwrap().len(), MAX_NAME);
        for large in &kept[MAX_MESSAGES - 2..] {
            let text = large.data.as_str().unwrap();
            assert!(text.ends_with('…') && text.len() <= MAX_BYTES + 3, "{}", text.len());
        }
    }
}
