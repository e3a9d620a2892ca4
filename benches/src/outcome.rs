//! What a client says of its run, beside what the bench CLI measured.

use std::{fs, time::Duration};

use agentwire_testkit::bench::Tally;
use serde::{Deserialize, Serialize};

/// What a client says of its run, as one line of JSON.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[expect(clippy::exhaustive_structs, reason = "written by every client")]
pub struct Outcome {
    /// What it was told; a client that sees no lines leaves out `bytes`, and one that can't read all leaves out `checksum`.
    #[serde(flatten)]
    pub told: Told,
    /// The CPU time of its process from the first prompt to the last result, in seconds.
    pub cpu: Option<f64>,
    /// The most memory that its process had, in bytes (`VmHWM`): its code as far as it was used, stacks, and heap.
    pub memory: Option<u64>,
}

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

/// Runs from the first prompt to the last result.
#[derive(Debug)]
pub(crate) struct Clock(Duration);

impl Clock {
    pub(crate) fn start() -> Self {
        Self(cpu_time())
    }

    pub(crate) fn stop(self, told: Tally) -> Outcome {
        Outcome { told: told.into(), cpu: Some((cpu_time() - self.0).as_secs_f64()), memory: most_memory() }
    }
}

/// The CPU time that this process was given, all threads together.
fn cpu_time() -> Duration {
    crate::clock::at(rustix::time::ClockId::ProcessCPUTime)
}

/// The most bytes that this process had in memory; Linux alone tells it.
fn most_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

#[cfg(test)]
mod tests {
    use agentwire_testkit::bench::Tally;

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
