//! A record of every call, also of those that were refused.

mod recording;

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use tokio::sync::mpsc;

use crate::{DeniedBy, ServerName, Use};
pub(crate) use recording::Recording;

/// Where records of calls go.
///
/// No call waits for a record, or fails for the want of one: whoever is more records late than there is room for misses
/// some, and is told by the next one how many ([`CallRecord::missed`]).
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
    arguments: Kept,
}

#[derive(Clone, Copy, Debug)]
enum Kept {
    Hash,
    Text,
}

impl Audit {
    /// Both ends, with room for so many records, of at least one. Of arguments there is the hash alone.
    pub fn new(room: usize) -> (Self, CallRecords) {
        let (sender, records) = mpsc::channel(room.max(1));
        let audit = Self { sender, missed: Arc::default(), arguments: Kept::Hash };
        let missed = Arc::clone(&audit.missed);
        (audit, CallRecords { records, missed })
    }

    /// With the arguments as text, secrets and all, up to 64 KiB of it.
    pub fn with_arguments(mut self) -> Self {
        self.arguments = Kept::Text;
        self
    }

    fn tell(&self, mut record: CallRecord) {
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
    /// The next record; `None` when there will be no more. It loses nothing when dropped.
    pub async fn recv(&mut self) -> Option<CallRecord> {
        self.records.recv().await
    }

    /// How many records were lost of which none has told yet: the next one that is made will.
    pub fn missed(&self) -> u64 {
        self.missed.load(Ordering::Acquire)
    }

    /// A record that is there already.
    pub fn try_recv(&mut self) -> Option<CallRecord> {
        self.records.try_recv().ok()
    }
}

/// What became of a call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CallRecord {
    /// When the call was made.
    pub at: SystemTime,
    /// Who made it, as the [request](crate::CallRequest::caller) says.
    pub caller: Arc<str>,
    /// What was used.
    pub what: Use,
    /// The server: as it is configured, or as the request had it where there is none.
    pub server: ServerName,
    /// The tool, the prompt or the URI: as the server has it, or as the request had it where there is none.
    pub name: Box<str>,
    /// The arguments.
    pub arguments: Arguments,
    /// Why it was made or not.
    pub rule: Rule,
    /// How long it took, questions to the user included.
    pub took: Duration,
    /// How it ended.
    pub outcome: Ended,
    /// How many records were lost before this one, as nobody took them in time.
    pub missed: u64,
}

/// The arguments of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Arguments {
    /// The SHA-256 of their JSON, written without spaces.
    ///
    /// It tells whether two calls had the same ones, and does not hide what can be guessed.
    Sha256([u8; 32]),
    /// Their JSON.
    Text(String),
}

/// Why a call was made or not.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// It did not come to that: the outcome says why.
    None,
    /// This kind needs no leave.
    Free,
    /// This pattern of `alwaysAllow`.
    Configuration(Box<str>),
    /// The program allows every call ([`Approval::allowed`](crate::Approval::allowed)).
    Program,
    /// It was allowed when asked for.
    Allowed,
    /// It was allowed from now on when asked for.
    AllowedAlways,
    /// It was not.
    Denied(DeniedBy),
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ended {
    /// With an outcome.
    Answered {
        /// Whether the tool said that it failed.
        is_error: bool,
    },
    /// With an error: its [`code`](crate::CallError::code).
    Failed(&'static str),
    /// Nobody waited for it any more.
    Dropped,
}

/// One line, without secrets: of arguments it has the beginning of the hash.
impl fmt::Display for CallRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { caller, what, server, name, arguments, rule, took, outcome, .. } = self;
        write!(
            f,
            "{what:?} {server}/{} by {caller:?}: {rule:?}, {outcome:?} in {took:.1?}",
            name.escape_debug()
        )?;
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
