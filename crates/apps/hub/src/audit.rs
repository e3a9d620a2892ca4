//! A record of every call, including denied ones.

mod recording;

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use tokio::sync::{Semaphore, mpsc};

use crate::{DeniedBy, ServerName};
pub(crate) use recording::Recording;

/// The target of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Use {
    /// A tool.
    Tool,
    /// A resource.
    Resource,
    /// A prompt.
    Prompt,
}

/// The destination of call records.
///
/// Calls never wait for the reader. A reader that is too slow misses records; the next record contains their number
/// ([`CallRecord::missed`]).
///
/// ```
/// use agentwire_hub::Audit;
///
/// let (audit, mut records) = Audit::new(1000);
/// // In a task of its own:
/// # let _ = async move {
/// while let Some(record) = records.recv().await {
///     println!("{record}");
/// }
/// # };
/// ```
#[derive(Clone, Debug)]
pub struct Audit {
    sender: mpsc::Sender<CallRecord>,
    missed: Arc<AtomicU64>,
    has_text: bool,
}

impl Audit {
    /// Creates both ends with a capacity of at least one record. Records contain only a hash of the arguments.
    pub fn new(room: usize) -> (Self, CallRecords) {
        let (sender, records) = mpsc::channel(room.clamp(1, Semaphore::MAX_PERMITS));
        let audit = Self { sender, missed: Arc::default(), has_text: false };
        let missed = Arc::clone(&audit.missed);
        (audit, CallRecords { records, missed })
    }

    /// Adds the arguments as text, including secrets, up to 64 KiB.
    pub fn with_arguments(mut self) -> Self {
        self.has_text = true;
        self
    }

    fn send(&self, mut record: CallRecord) {
        let missed = self.missed.swap(0, Ordering::AcqRel);
        record.missed = missed;
        if self.sender.try_send(record).is_err() {
            self.missed.fetch_add(missed + 1, Ordering::AcqRel);
        }
    }
}

/// The records of calls, in the order in which the calls ended.
#[derive(Debug)]
pub struct CallRecords {
    records: mpsc::Receiver<CallRecord>,
    missed: Arc<AtomicU64>,
}

impl CallRecords {
    /// Returns the next record; `None` after the last one. Cancel-safe.
    pub async fn recv(&mut self) -> Option<CallRecord> {
        self.records.recv().await
    }

    /// Returns the number of missed records that no record has reported yet.
    pub fn missed(&self) -> u64 {
        self.missed.load(Ordering::Acquire)
    }

    /// Returns a record without waiting.
    pub fn try_recv(&mut self) -> Option<CallRecord> {
        self.records.try_recv().ok()
    }
}

/// The record of a call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CallRecord {
    /// The time of the call.
    pub at: SystemTime,
    /// The caller, from the [request](crate::CallRequest::caller).
    pub caller: Arc<str>,
    /// The kind of target.
    pub what: Use,
    /// The configured name of the server, or the requested one if there is none.
    pub server: ServerName,
    /// The tool, prompt or URI on the server, or the requested one if there is none.
    pub name: Box<str>,
    /// The arguments.
    pub arguments: Arguments,
    /// The rule that allowed or denied the call.
    pub rule: Rule,
    /// The duration, including questions to the user.
    pub took: Duration,
    /// The result.
    pub outcome: CallEnd,
    /// The number of missed records before this one.
    pub missed: u64,
}

/// The arguments of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Arguments {
    /// The SHA-256 of their compact JSON, with the fields of all objects sorted by name.
    ///
    /// Equal arguments have equal hashes, so guessable arguments are not hidden.
    Sha256([u8; 32]),
    /// Their JSON.
    Text(String),
}

/// The rule that allowed or denied a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// None was applied: the outcome has the reason.
    None,
    /// This kind of call needs no approval.
    Free,
    /// A pattern of `alwaysAllow`.
    Configuration(Box<str>),
    /// The program allows every call ([`Approval::allowed`](crate::Approval::allowed)).
    Program,
    /// The handler allowed this call.
    Allowed,
    /// The handler allowed this and later calls.
    AllowedAlways,
    /// The call was denied.
    Denied(DeniedBy),
}

/// The end of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallEnd {
    /// The server returned an outcome.
    Answered {
        /// Whether the tool reported an error.
        is_error: bool,
    },
    /// An error, with its [`code`](crate::CallError::code).
    Failed(&'static str),
    /// The caller dropped the call.
    Dropped,
}

/// One line without secrets; of the arguments it contains the start of the hash.
impl fmt::Display for CallRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { caller, what, server, name, arguments, rule, took, outcome, .. } = self;
        // A model may have chosen both.
        let (server, name) = (server.as_str().escape_debug(), name.escape_debug());
        write!(f, "{what:?} {server}/{name} by {caller:?}: {rule:?}, {outcome:?} in {took:.1?}")?;
        if let Arguments::Sha256(hash) = arguments {
            f.write_str(", arguments ")?;
            hash.iter().take(8).try_for_each(|byte| write!(f, "{byte:02x}"))?;
        }
        match self.missed {
            0 => Ok(()),
            missed => write!(f, " ({missed} records before it were lost)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn record_is_one_line() {
        let (audit, mut records) = Audit::new(1);
        let target = ("a\nTool b", "c\r\nd");
        drop(Recording::new(Some(&audit), Use::Tool, &"e\nf".into(), target, &Value::Null));
        let line = records.try_recv().unwrap().to_string();
        assert!(!line.contains(['\n', '\r']), "{line}");
    }
}
