//! The record of a call in progress.

use std::{
    sync::Arc,
    time::{Instant, SystemTime},
};

use agentwire_net::head;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{Arguments, Audit, CallEnd, CallRecord, Rule, Use};
use crate::ServerName;

/// The record of a call in progress; sent when this is dropped.
pub(crate) struct Recording(Option<Box<OpenRecord>>);

struct OpenRecord {
    audit: Audit,
    started: Instant,
    record: CallRecord,
}

impl Recording {
    pub(crate) fn new(
        audit: Option<&Audit>,
        what: Use,
        caller: &Arc<str>,
        (server, name): (&str, &str),
        arguments: &Value,
    ) -> Self {
        Self(audit.map(|audit| {
            let record = CallRecord {
                at: SystemTime::now(),
                caller: Arc::clone(caller),
                what,
                server: head(server, MAX_NAME).into(),
                name: head(name, MAX_NAME).into(),
                arguments: audit.recorded(arguments),
                rule: Rule::None,
                took: std::time::Duration::ZERO,
                outcome: CallEnd::Dropped,
                missed: 0,
            };
            Box::new(OpenRecord { audit: audit.clone(), started: Instant::now(), record })
        }))
    }

    /// Sets the server and the name.
    pub(crate) fn found(&mut self, server: &ServerName, name: &str) {
        if let Some(OpenRecord { record, .. }) = self.0.as_deref_mut() {
            record.server = server.clone();
            record.name = head(name, MAX_NAME).into();
        }
    }

    pub(crate) fn ruled(&mut self, rule: impl FnOnce() -> Rule) {
        if let Some(OpenRecord { record, .. }) = self.0.as_deref_mut() {
            record.rule = rule();
        }
    }

    /// Sets the result: an outcome with its error flag, or the code of an error.
    pub(crate) fn end(mut self, outcome: Result<bool, &'static str>) {
        if let Some(OpenRecord { record, .. }) = self.0.as_deref_mut() {
            record.outcome = match outcome {
                Ok(is_error) => CallEnd::Answered { is_error },
                Err(code) => CallEnd::Failed(code),
            };
        }
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        if let Some(open) = self.0.take() {
            let OpenRecord { audit, started, mut record } = *open;
            record.took = started.elapsed();
            audit.send(record);
        }
    }
}

impl Audit {
    fn recorded(&self, arguments: &Value) -> Arguments {
        if self.has_text {
            let text = arguments.to_string();
            let kept = head(&text, MAX_TEXT);
            let cut = if kept.len() < text.len() { "…" } else { "" };
            return Arguments::Text(format!("{kept}{cut}"));
        }
        // Equal arguments have equal hashes, regardless of the order of their fields.
        let mut sorted = arguments.clone();
        sorted.sort_all_objects();
        Arguments::Sha256(Sha256::digest(sorted.to_string()).into())
    }
}

const MAX_TEXT: usize = 64 << 10;
const MAX_NAME: usize = 1 << 10;
