//! What a client says of its run, beside what the bench CLI measured.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use crate::cli::Tally;
use serde::{Deserialize, Serialize};

use crate::memory::most_resident;

/// What a client says of its run, as one line of JSON.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[expect(clippy::exhaustive_structs, reason = "written by every client")]
pub struct Outcome {
    /// What it was told in its last session; a client that sees no lines leaves out `bytes`, and one that can't read all leaves out `checksum`.
    #[serde(flatten)]
    pub told: Told,
    /// How many messages of each `type` it was told, from a client that does not read them; those that its SDK gave as an
    /// error are [`ERROR`], and no messages.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kinds: BTreeMap<String, u64>,
    /// The CPU time of its process from the first prompt to the last result, in seconds.
    pub cpu: Option<f64>,
    /// From right before the spawn to the first message in its hands, in seconds, for each session.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first: Vec<f64>,
    /// The most memory that its process had, in bytes (`VmHWM`): its code as far as it was used, stacks, and heap.
    pub memory: Option<usize>,
}

/// What it calls messages that its SDK gave as an error.
pub const ERROR: &str = "error";

/// As much of a [`Tally`] as a client can tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
#[expect(clippy::exhaustive_structs, reason = "written by every client")]
pub struct Told {
    /// How many messages.
    pub messages: u64,
    /// The bytes of their lines.
    pub bytes: Option<u64>,
    /// What they say.
    pub checksum: Option<u64>,
}

impl Told {
    /// Whether it is what was said.
    pub fn is(self, said: Tally) -> bool {
        self.messages == said.messages
            && self.bytes.is_none_or(|bytes| bytes == said.bytes)
            && self.checksum.is_none_or(|checksum| checksum == said.checksum)
    }
}

impl From<Tally> for Told {
    fn from(Tally { messages, bytes, checksum }: Tally) -> Self {
        Self { messages, bytes: Some(bytes), checksum: Some(checksum) }
    }
}

/// What a client takes down of one session.
#[derive(Debug)]
pub(crate) struct Notes {
    /// What it was told so far.
    pub(crate) told: Tally,
    started: Instant,
    first: Option<Duration>,
    cpu: Duration,
}

impl Notes {
    /// Right before the spawn.
    pub(crate) fn start() -> Self {
        Self { told: Tally::default(), started: Instant::now(), first: None, cpu: Duration::ZERO }
    }

    /// Right before the first prompt.
    pub(crate) fn prompt(&mut self) {
        self.cpu = cpu_time();
    }

    /// A message is in the client's hands, from a line of so many bytes.
    pub(crate) fn message(&mut self, line: usize) {
        self.first.get_or_insert_with(|| self.started.elapsed());
        self.told.message(line);
    }

    /// Right behind the last result.
    pub(crate) fn end(self) -> Outcome {
        Outcome {
            told: self.told.into(),
            cpu: Some((cpu_time() - self.cpu).as_secs_f64()),
            first: self.first.iter().map(Duration::as_secs_f64).collect(),
            memory: most_resident(),
            ..Outcome::default()
        }
    }
}

impl Outcome {
    /// Adds the session before.
    pub(crate) fn after(mut self, mut before: Self) -> Self {
        before.first.append(&mut self.first);
        let cpu = self.cpu.zip(before.cpu).map(|(this, before)| this + before);
        Self { first: before.first, cpu, ..self }
    }
}

/// The CPU time that this process was given, all threads together.
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::from_secs(time.tv_sec.unsigned_abs()) + Duration::from_nanos(time.tv_nsec.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use crate::cli::Tally;

    use super::Told;

    #[test]
    fn what_is_told_must_be_what_was_said() {
        let said = Tally { messages: 3, bytes: 90, checksum: 7 };
        let right = Told::from(said);
        assert!(right.is(said) && Told { bytes: None, checksum: None, ..right }.is(said));
        assert!(!Told { messages: 2, ..right }.is(said));
        assert!(!Told { bytes: Some(89), ..right }.is(said));
        assert!(!Told { checksum: Some(8), ..right }.is(said));
    }
}
