//! The actions of a check's peer as data: a few steps that a process, a thread, a task or a transcript can play.

use agentwire_transport::Signal;
use bytes::Bytes;

use super::checks::CHECKS;
use crate::transcript::{End, Entry, Header, Transcript};

/// The actions of the peer in one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    name: &'static str,
    kind: PartKind,
    steps: Vec<Step>,
}

/// The abilities that a peer needs to play a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PartKind {
    /// Nothing special: the peer reads and writes lines of JSON.
    Plain,
    /// Bytes that are neither lines of JSON nor text.
    Raw,
    /// A peer that does not read for a while, which must make the host wait.
    Deaf,
    /// A peer that ignores the end of its input and waits for a signal: a process, or an imitation of one.
    Signalled,
    /// A peer that can end its output abnormally.
    Broken,
}

/// An action of the peer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// Reads exactly these bytes. If something else comes, or the end, the peer ends at once.
    Read(Bytes),
    /// Writes these bytes.
    Write(Bytes),
    /// Waits for the end of its input. If more input comes first, the peer ends at once.
    ReadEnd,
    /// Reads nothing for two seconds.
    Pause,
    /// Ends the output abnormally, after all earlier output.
    Break,
    /// Keeps running after the end of its input, until it receives this signal or its handle is dropped.
    Await(Signal),
    /// Ends, as a process does with this exit code.
    Exit(u8),
}

impl Part {
    /// Returns all parts, in the order of the checks.
    pub fn all() -> Vec<Self> {
        CHECKS
            .iter()
            .map(|(name, kind, steps, _)| Self { name: *name, kind: *kind, steps: steps() })
            .collect()
    }

    /// Returns the part with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|part| part.name == name)
    }

    /// Returns the name of the check.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the abilities that a peer needs to play this part.
    pub fn kind(&self) -> PartKind {
        self.kind
    }

    /// Returns the actions of the peer, in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns the part as a recorded session, if it can be one.
    pub fn transcript(&self) -> Option<Transcript> {
        if !matches!(self.kind, PartKind::Plain | PartKind::Signalled) {
            return None;
        }
        let mut entries = Vec::new();
        for step in &self.steps {
            match step {
                Step::Read(text) => entries.extend(lines(text).map(Entry::Outbound)),
                Step::Write(text) => entries.extend(lines(text).map(Entry::Inbound)),
                Step::ReadEnd => entries.push(Entry::EndOfInput),
                Step::Await(how) => {
                    let signal = if *how == Signal::Kill { "SIGKILL" } else { "SIGTERM" };
                    entries.extend([Entry::Signal(signal.into()), Entry::End(End::Signal(signal.into()))]);
                }
                Step::Exit(code) => entries.push(Entry::End(End::Exit(i32::from(*code)))),
                Step::Pause | Step::Break => return None,
            }
        }
        Some(Transcript::new(Header::default(), None, entries))
    }
}

fn lines(text: &Bytes) -> impl Iterator<Item = Bytes> {
    text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(|line| text.slice_ref(line))
}

/// Returns one line of JSON with a speaker and a line number.
pub(super) fn line(who: &str, number: usize) -> Bytes {
    format!("{{\"{who}\":{number}}}\n").into()
}

/// Returns some megabytes of lines, more than any pipe holds.
pub(super) fn large(who: &str) -> Bytes {
    let mut text = String::new();
    let filling = "x".repeat(60_000);
    for number in 0..LARGE {
        text.push_str(&format!("{{\"{who}\":{number},\"filling\":\"{filling}\"}}\n"));
    }
    text.into()
}

/// Returns all 256 bytes, in an order that is not UTF-8.
pub(super) fn raw() -> Bytes {
    (0..4096_u32).map(|number| (number.wrapping_mul(167) >> (number % 3)).to_le_bytes()[0]).collect()
}

const LARGE: usize = 64;
