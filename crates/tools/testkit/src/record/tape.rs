//! The recording so far: cuts bytes into lines, and changes nothing else.

use std::time::Instant;

use agentwire_transport::{ExitReport, Signal, TransportError};
use bytes::Bytes;
use serde_json::Value;

use super::TooLong;
use crate::{Argv, End, Header, Transcript, excerpt::with_cause, signals, transcript::Entry};

/// Everything that was seen, in order.
#[derive(Default)]
pub(super) struct Tape {
    pub(super) argv: Option<Argv>,
    /// The first version that the CLI reported.
    cli: Option<Box<str>>,
    entries: Vec<Entry>,
    outbound: Lines,
    inbound: Lines,
    input_ended: bool,
    /// The end of the CLI. Afterwards our side is not recorded: nothing of it can arrive, and a replay would wait for it.
    end: Option<End>,
    /// The end of stderr, known once the CLI has ended.
    stderr_tail: String,
    /// The bytes left before the limit; `None` once it was exceeded.
    room: Option<usize>,
    limit: usize,
    /// The time up to which pauses were recorded; `None` if pauses are not recorded.
    pub(super) clock: Option<Instant>,
}

impl Tape {
    pub(super) fn new(limit: usize) -> Self {
        Self { room: Some(limit), limit, ..Self::default() }
    }

    pub(super) fn outbound(&mut self, chunk: &[u8]) {
        if self.end.is_none() && self.has_room_for(chunk) {
            let lines = self.outbound.push(chunk);
            self.write(lines.into_iter().map(Entry::Outbound));
        }
    }

    pub(super) fn inbound(&mut self, chunk: &[u8]) {
        if self.has_room_for(chunk) {
            let lines = self.inbound.push(chunk);
            if self.cli.is_none() {
                self.cli = lines.iter().find_map(|line| version(line));
            }
            self.write(lines.into_iter().map(Entry::Inbound));
        }
    }

    /// Records a line of stderr. A line feed in it would make two entries.
    pub(super) fn stderr(&mut self, line: &str) {
        if self.has_room_for(line.as_bytes()) {
            let lines = line.split('\n').map(|line| Bytes::copy_from_slice(line.as_bytes()));
            self.write(lines.map(Entry::Stderr));
        }
    }

    pub(super) fn end_of_output(&mut self) {
        let rest = self.inbound.finish().map(Entry::Inbound);
        self.unfinished(rest);
    }

    pub(super) fn broken_output(&mut self, error: &TransportError) {
        self.end_of_output();
        let text = format!("the output broke: {}", with_cause(error)).replace('\n', " ");
        self.write([Entry::Comment(text.into())]);
    }

    pub(super) fn end_of_input(&mut self) {
        if self.end.is_none() && !std::mem::replace(&mut self.input_ended, true) {
            let rest = self.outbound.finish().map(Entry::Outbound);
            self.unfinished(rest);
            self.write([Entry::EndOfInput]);
        }
    }

    pub(super) fn signal(&mut self, how: Signal) {
        self.signalled(if how == Signal::Kill { "SIGKILL" } else { "SIGTERM" });
    }

    pub(super) fn signalled(&mut self, name: &str) {
        if self.end.is_none() {
            self.write([Entry::Signal(name.into())]);
        }
    }

    /// Records the end. `stderr` counts if the report has none.
    pub(super) fn ended(&mut self, report: &ExitReport, stderr: String) {
        self.stderr_tail = Some(report.stderr_tail.clone()).filter(|tail| !tail.is_empty()).unwrap_or(stderr);
        let signal = || report.signal.map(|number| End::Signal(signals::name(number).into()));
        self.end = report.code.map(End::Exit).or_else(signal);
    }

    pub(super) fn transcript(&self) -> Result<Transcript, TooLong> {
        if self.room.is_none() {
            return Err(TooLong { limit: self.limit });
        }
        let mut entries = self.entries.clone();
        if !entries.iter().any(|entry| matches!(entry, Entry::Stderr(_))) {
            let lines = self.stderr_tail.lines();
            entries.extend(lines.map(|line| Entry::Stderr(line.to_owned().into())));
        }
        entries.extend(self.end.clone().map(Entry::End));
        let mut header = Header::of_cli(self.cli.as_deref().unwrap_or(UNKNOWN));
        header.os = Some(std::env::consts::OS.into());
        Ok(Transcript::new(header, self.argv.clone(), entries))
    }

    /// Records entries, after the pause since the previous one.
    fn write(&mut self, entries: impl IntoIterator<Item = Entry>) {
        let before = self.entries.len();
        self.entries.extend(entries);
        if self.clock.is_some() && self.entries.len() > before {
            self.pause(before, Instant::now());
        }
    }

    /// Records the time that has passed before this entry; less than a millisecond is carried over to the next one.
    fn pause(&mut self, entry: usize, now: Instant) {
        let Some(until) = self.clock else { return };
        let passed = now.saturating_duration_since(until).as_millis();
        let Some(millis) = u64::try_from(passed).ok().filter(|millis| *millis > 0) else { return };
        self.clock = until.checked_add(std::time::Duration::from_millis(millis));
        self.entries.insert(entry, Entry::Delay { millis });
    }

    /// Reserves space, and drops the whole recording if it does not fit: half a session is not usable.
    fn has_room_for(&mut self, chunk: &[u8]) -> bool {
        // The entry of a short line takes more memory than the line, and a pause takes one too.
        let entries = chunk.split(|byte| *byte == b'\n').count();
        self.room = self.room.and_then(|room| room.checked_sub(chunk.len() + entries * size_of::<Entry>()));
        if self.room.is_none() {
            self.entries = Vec::new();
            (self.outbound, self.inbound) = (Lines::default(), Lines::default());
        }
        self.room.is_some()
    }

    fn unfinished(&mut self, line: Option<Entry>) {
        if let Some(line) = line {
            self.write([line, Entry::Comment(Bytes::from_static(Entry::UNFINISHED))]);
        }
    }
}

// The recording contains secrets.
agentwire_transport::debug_by_name!(Tape { limit });

/// Cuts bytes into lines, split into chunks anywhere.
#[derive(Default)]
pub(crate) struct Lines {
    partial: Vec<u8>,
}

impl Lines {
    /// Returns the lines that this chunk completes.
    pub(crate) fn push(&mut self, chunk: &[u8]) -> Vec<Bytes> {
        let mut lines = Vec::new();
        for (number, piece) in chunk.split(|byte| *byte == b'\n').enumerate() {
            if number > 0 {
                lines.push(Bytes::from(std::mem::take(&mut self.partial)));
            }
            self.partial.extend_from_slice(piece);
        }
        lines
    }

    /// Returns the remaining bytes without a line feed.
    pub(crate) fn finish(&mut self) -> Option<Bytes> {
        (!self.partial.is_empty()).then(|| Bytes::from(std::mem::take(&mut self.partial)))
    }
}

/// Returns the version of the CLI from the message that starts a turn.
fn version(line: &[u8]) -> Option<Box<str>> {
    let has_version = line.windows(VERSION.len()).any(|part| part == VERSION.as_bytes());
    let line: Value = has_version.then(|| serde_json::from_slice(line).ok()).flatten()?;
    let is_init = line["type"] == "system" && line["subtype"] == "init";
    let version = line[VERSION].as_str().filter(|_| is_init)?;
    (!version.is_empty() && !version.contains(char::is_whitespace)).then(|| version.into())
}

const VERSION: &str = "claude_code_version";
/// The version in the header of a session in which no turn started.
const UNKNOWN: &str = "unknown";

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::Tape;
    use crate::transcript::Entry;

    #[test]
    fn pauses_add_up_to_the_time_that_has_passed() {
        let start = Instant::now();
        let mut tape = Tape::new(1024);
        tape.stderr("a");
        tape.pause(0, start + Duration::from_secs(1));
        assert_eq!(tape.entries.len(), 1, "recording has no pauses by default");
        tape.clock = Some(start);
        for (entry, micros) in [(0, 900), (1, 2_500), (0, 3_100)] {
            tape.pause(entry, start + Duration::from_micros(micros));
        }
        let [first, second] = [Entry::Delay { millis: 1 }, Entry::Delay { millis: 2 }];
        assert_eq!(tape.entries, [first, Entry::Stderr("a".into()), second]);
        assert_eq!(tape.clock, Some(start + Duration::from_millis(3)));
    }
}
