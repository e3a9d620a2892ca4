//! The results that a client reports.

use std::{
    collections::BTreeMap,
    fs,
    time::{Duration, Instant},
};

use crate::cli::Tally;
use serde::{Deserialize, Serialize};

/// A client's report of its run, as one line of JSON.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Outcome {
    /// The messages of the last session. A client leaves out `bytes` if it can't see lines, and `checksum` if it can't read
    /// all content.
    #[serde(flatten)]
    pub received: Received,
    /// How many messages of each `type` it received, from a client that does not read their content; messages that its
    /// SDK returned as an error count as [`ERROR`].
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kinds: BTreeMap<String, u64>,
    /// The CPU time of the process from the first prompt to the last result, in seconds.
    pub cpu: Option<f64>,
    /// The time from the spawn to the first message, in seconds, for each session.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first: Vec<f64>,
    /// The peak memory of the process in bytes (`VmHWM`): used code, stacks and heap.
    pub memory: Option<usize>,
}

/// The kind of messages that an SDK returned as an error.
pub const ERROR: &str = "error";

/// The part of a [`Tally`] that a client reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Received {
    /// The number of messages.
    pub messages: u64,
    /// The bytes of their lines.
    pub bytes: Option<u64>,
    /// The checksum of their texts.
    pub checksum: Option<u64>,
}

impl Received {
    /// Returns whether it matches the messages that were sent.
    pub fn is(self, sent: Tally) -> bool {
        self.messages == sent.messages
            && self.bytes.is_none_or(|bytes| bytes == sent.bytes)
            && self.checksum.is_none_or(|checksum| checksum == sent.checksum)
    }
}

impl From<Tally> for Received {
    fn from(Tally { messages, bytes, checksum }: Tally) -> Self {
        Self { messages, bytes: Some(bytes), checksum: Some(checksum) }
    }
}

/// A client's notes during one session.
#[derive(Debug)]
pub(crate) struct Notes {
    /// The messages received so far.
    pub(crate) tally: Tally,
    started: Instant,
    first: Option<Duration>,
    cpu: Duration,
}

impl Notes {
    /// Starts the notes, right before the spawn.
    pub(crate) fn start() -> Self {
        Self { tally: Tally::default(), started: Instant::now(), first: None, cpu: Duration::ZERO }
    }

    /// Notes the time right before the first prompt.
    pub(crate) fn prompt(&mut self) {
        self.cpu = cpu_time();
    }

    /// Notes a message from a line of this length.
    pub(crate) fn message(&mut self, line: usize) {
        self.first.get_or_insert_with(|| self.started.elapsed());
        self.tally.message(line);
    }

    /// Ends the notes, right after the last result.
    pub(crate) fn end(self) -> Outcome {
        Outcome {
            received: self.tally.into(),
            cpu: Some((cpu_time() - self.cpu).as_secs_f64()),
            first: self.first.iter().map(Duration::as_secs_f64).collect(),
            memory: most_resident(),
            ..Outcome::default()
        }
    }
}

impl Outcome {
    /// Adds the outcome of the previous session.
    pub(crate) fn after(mut self, mut before: Self) -> Self {
        before.first.append(&mut self.first);
        let cpu = self.cpu.zip(before.cpu).map(|(this, before)| this + before);
        Self { first: before.first, cpu, ..self }
    }
}

/// Returns the peak resident memory in bytes (`VmHWM`); `None` where the system does not report it.
fn most_resident() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

/// Returns the CPU time of this process, of all threads together.
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::from_secs(time.tv_sec.unsigned_abs()) + Duration::from_nanos(time.tv_nsec.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use crate::cli::Tally;

    use super::Received;

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_reports_the_peak_memory() {
        assert!(super::most_resident().unwrap() > 100 << 10);
    }

    #[test]
    fn received_messages_must_match_the_sent_ones() {
        let sent = Tally { messages: 3, bytes: 90, checksum: 7 };
        let right = Received::from(sent);
        assert!(right.is(sent) && Received { bytes: None, checksum: None, ..right }.is(sent));
        assert!(!Received { messages: 2, ..right }.is(sent));
        assert!(!Received { bytes: Some(89), ..right }.is(sent));
        assert!(!Received { checksum: Some(8), ..right }.is(sent));
    }
}
