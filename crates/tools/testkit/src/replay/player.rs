//! The player: a state machine without I/O that takes input and returns the next output.

use std::time::Duration;

use agentwire_transport::{ExitReport, Signal};
use bytes::{Bytes, BytesMut};

use super::{
    compare::{self, Differs, Leniency},
    report::{Mismatch, Missing, ReplayReport},
    steps::{Action, Ours, ReplaySteps},
};
use crate::{
    Splits,
    excerpt::excerpt,
    ids::Ids,
    record::tape::Lines,
    recorded::{Recorded, Role},
    splits::Cutter,
};

/// Plays the steps of a replay: lines of ours in, bytes of the CLI's out.
pub(super) struct Player {
    replay: ReplaySteps,
    /// The first step that is not over.
    pub(super) cursor: usize,
    ids: Ids,
    pub(super) leniency: Leniency,
    /// How long the host may keep the player waiting.
    pub(super) limit: Duration,
    pub(super) cutter: Cutter,
    /// Output that was played and not read yet.
    output: BytesMut,
    /// The lines of ours.
    lines: Lines,
    input_ended: bool,
    terminated: Option<Signal>,
    pub(super) stderr: String,
    exit: Option<ExitReport>,
    pub(super) mismatch: Option<Mismatch>,
    extra: Vec<String>,
    late: usize,
    /// The step that [`due`](Self::due) returned last.
    given: Option<usize>,
}

/// An action that only the host can decide on.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a host has to handle each kind")]
pub enum Due {
    /// Send this prompt, request or cancellation.
    Line(Bytes),
    /// End the input.
    EndOfInput,
    /// Nothing more.
    Over,
}

impl Player {
    pub(super) fn new(replay: ReplaySteps) -> Self {
        Self {
            replay,
            cursor: 0,
            ids: Ids::default(),
            leniency: Leniency { foreign: false, redacted: true },
            limit: DEFAULT_LIMIT,
            cutter: Cutter::new(Splits::default()),
            output: BytesMut::new(),
            lines: Lines::default(),
            input_ended: false,
            terminated: None,
            stderr: String::new(),
            exit: None,
            mismatch: None,
            extra: Vec::new(),
            late: 0,
            given: None,
        }
    }

    /// Plays as far as nothing of ours is missing.
    pub(super) fn advance(&mut self) {
        while self.mismatch.is_none()
            && let Some(step) = self.replay.steps.get(self.cursor)
        {
            match &step.action {
                Action::Ours(ours) if !ours.arrived && !ours.optional => return,
                Action::EndOfInput if !self.input_ended => return,
                Action::Signal(Some(how)) if self.awaits(*how) => return,
                Action::Ours(_) | Action::EndOfInput | Action::Signal(_) => {}
                Action::Theirs(line) => {
                    let read = Recorded::read(line);
                    let line = read.map_or_else(|| line.clone(), |read| self.ids.translate(line, &read));
                    self.output.extend_from_slice(&line);
                    self.output.extend_from_slice(b"\n");
                }
                Action::Cut => self.output.truncate(self.output.len().saturating_sub(1)),
                Action::Stderr(text) => {
                    self.stderr.push_str(&String::from_utf8_lossy(text));
                    self.stderr.push('\n');
                }
                Action::End(exit) => {
                    self.exit = Some(exit.clone().with_stderr_tail(self.stderr.clone()));
                }
            }
            self.cursor += 1;
        }
    }

    fn awaits(&self, signal: Signal) -> bool {
        !self.leniency.foreign && self.terminated != Some(signal)
    }

    /// Returns the next piece of output.
    pub(super) fn read(&mut self) -> Option<Bytes> {
        let length = self.cutter.next(&self.output);
        let piece = (length > 0).then(|| self.output.split_to(length).freeze());
        if self.output.is_empty() {
            // An empty buffer would still hold the block from which it was cut.
            self.output = BytesMut::new();
        }
        piece
    }

    /// Returns whether the player can only wait.
    pub(super) fn is_idle(&self) -> bool {
        self.output.is_empty() && self.mismatch.is_none() && !self.is_over()
    }

    /// Returns whether nothing more will be played.
    pub(super) fn is_over(&self) -> bool {
        self.cursor == self.replay.steps.len()
    }

    /// Returns how the CLI ended, if it has. A replay that does not match ends it with code 1.
    pub(super) fn exit(&self) -> Option<ExitReport> {
        // The error of the source has the whole mismatch.
        let failed = |mismatch: &Mismatch| ExitReport::exited(1).with_stderr_tail(mismatch.place());
        self.mismatch.as_ref().map(failed).or_else(|| self.exit.clone())
    }

    pub(super) fn has_end(&self) -> bool {
        self.replay.steps.iter().any(|step| matches!(step.action, Action::End(_)))
    }

    /// Takes bytes of ours. Returns `false` after a mismatch.
    pub(super) fn write(&mut self, chunk: &[u8]) -> bool {
        for line in self.lines.push(chunk) {
            self.line(&line);
        }
        self.mismatch.is_none()
    }

    /// Takes the end of our input.
    pub(super) fn finish(&mut self) {
        if self.input_ended {
            return;
        }
        if let Some(line) = self.lines.finish() {
            self.line(&line);
        }
        self.input_ended = true;
        let ours = self.replay.steps.iter().enumerate().skip(self.cursor);
        let awaited = ours
            .take_while(|(_, step)| !matches!(step.action, Action::EndOfInput))
            .find(|(_, step)| matches!(&step.action, Action::Ours(ours) if !ours.arrived && !ours.optional));
        match awaited.map(|(index, _)| index) {
            Some(index) => self.fail(index, None, "the input was ended first"),
            None => self.advance(),
        }
    }

    /// Takes the order to end the peer.
    pub(super) fn terminate(&mut self, how: Signal) {
        self.terminated = Some(how);
        self.advance();
        let mut played = self.replay.steps.iter().take(self.cursor);
        let is_recorded =
            played.any(|step| matches!(step.action, Action::Signal(Some(signal)) if signal == how));
        if !is_recorded && !self.is_over() && self.mismatch.is_none() {
            self.fail(self.cursor, None, "the peer was asked to stop");
        }
    }

    /// Takes the end of the handle, which ends the peer: the input first, then by the signals that were recorded.
    pub(super) fn release(&mut self) {
        self.finish();
        while let Some(Action::Signal(Some(how))) =
            self.replay.steps.get(self.cursor).map(|step| &step.action)
        {
            let (how, before) = (*how, self.cursor);
            self.terminate(how);
            if self.cursor == before {
                return;
            }
        }
    }

    /// Gives up because the host kept the player waiting for too long.
    pub(super) fn give_up(&mut self) {
        self.fail(self.cursor, None, &format!("nothing came within {:?}", self.limit));
    }

    pub(super) fn report(&self) -> ReplayReport {
        let rest = || self.replay.steps.iter().skip(self.cursor);
        let missing = rest().filter_map(|step| match &step.action {
            Action::Ours(ours) if !ours.arrived && !ours.optional => Some((step.line, excerpt(&ours.text))),
            Action::EndOfInput if !self.input_ended => Some((step.line, "end of input".to_owned())),
            Action::Signal(Some(how)) if self.awaits(*how) => Some((step.line, step.action.describe())),
            _ => None,
        });
        let last = self.replay.steps.last().filter(|_| self.is_over() && !self.has_end());
        ReplayReport {
            mismatch: self.mismatch.clone(),
            missing: missing.map(|(line, text)| Missing { line, text }).collect(),
            extra: self.extra.clone(),
            unplayed: rest().filter(|step| matches!(step.action, Action::Theirs(_))).count(),
            late: self.late,
            last_line: last.map(|step| step.line),
        }
    }

    /// Returns the next action that only the host can take, once each.
    pub(super) fn due(&mut self) -> Option<Due> {
        if self.mismatch.is_some() || self.is_over() {
            return Some(Due::Over);
        }
        if self.given == Some(self.cursor) {
            return None;
        }
        let due = match &self.replay.steps.get(self.cursor)?.action {
            Action::Ours(ours) if ours.answers().is_none() => Due::Line(ours.text.clone()),
            Action::EndOfInput => Due::EndOfInput,
            _ => return None,
        };
        self.given = Some(self.cursor);
        Some(due)
    }

    /// Takes the whole line that has come.
    fn line(&mut self, line: &[u8]) {
        if self.mismatch.is_some() || line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        let actual = Recorded::read(line);
        match &actual {
            Some(answer @ Recorded { role: Role::Response { id }, .. }) => self.answer(id, answer, line),
            _ => self.own(actual.as_ref(), line),
        }
        self.advance();
    }

    /// Takes an answer to a request of the CLI's.
    fn answer(&mut self, id: &str, actual: &Recorded, line: &[u8]) {
        let asked = self.replay.request(id).filter(|asked| *asked < self.cursor);
        let Some(index) = self.find(|ours| ours.answers() == Some(id)) else {
            if asked.is_some() && self.replay.is_cancelled(id) {
                self.late += 1;
                return;
            }
            self.extra.push(excerpt(line));
            return self.fail(self.cursor, Some(line), "an answer came that was not recorded");
        };
        let Some(asked) = asked else {
            return self.fail(index, Some(line), "an answer came before its request");
        };
        let request = self.replay.theirs(asked);
        let expected = self.ours_at(index).filter(|ours| !(ours.optional && self.leniency.foreign));
        let compared = match expected.and_then(Ours::read) {
            Some(expected) => compare::answer(&expected, actual, request.as_ref(), self.leniency),
            // The CLI ignores an answer that is too late.
            None => Ok(()),
        };
        self.record(index, compared, line);
    }

    /// Takes a prompt, a request or a cancellation.
    fn own(&mut self, actual: Option<&Recorded>, line: &[u8]) {
        let Some(index) = self.find(|ours| ours.answers().is_none()) else {
            self.extra.push(excerpt(line));
            return self.fail(self.cursor, Some(line), "a line came that was not recorded");
        };
        if !self.is_reached(index) {
            let why = "a line came too early: something is awaited before it";
            return self.fail(self.cursor, Some(line), why);
        }
        let mut ids = std::mem::take(&mut self.ids);
        let expected = self.ours_at(index);
        let compared = match (expected.and_then(Ours::read), actual) {
            (Some(expected), Some(actual)) => compare::ours(&expected, actual, &mut ids, self.leniency),
            _ if expected.is_some_and(|ours| ours.text == line) => Ok(()),
            _ => Err("it is not a JSON object".to_owned().into()),
        };
        self.ids = ids;
        self.record(index, compared, line);
    }

    fn record(&mut self, index: usize, compared: Result<(), Differs>, line: &[u8]) {
        match compared {
            Ok(()) => {
                if let Some(Action::Ours(ours)) =
                    self.replay.steps.get_mut(index).map(|step| &mut step.action)
                {
                    ours.arrived = true;
                }
            }
            Err(Differs { why, values: None }) => self.fail(index, Some(line), &why),
            Err(Differs { why, values: Some((expected, actual)) }) => {
                let line = self.replay.steps.get(index).map(|step| step.line);
                let mismatch = Mismatch { line, expected: Some(expected), actual: Some(actual), why };
                self.mismatch.get_or_insert(mismatch);
            }
        }
    }

    /// Returns the first missing line of ours that matches.
    fn find(&self, is_meant: impl Fn(&Ours) -> bool) -> Option<usize> {
        (0..self.replay.steps.len())
            .find(|&index| self.ours_at(index).is_some_and(|ours| !ours.arrived && is_meant(ours)))
    }

    /// Returns whether nothing that a line of ours awaits stands between the cursor and this step.
    fn is_reached(&self, index: usize) -> bool {
        let between = self.replay.steps.get(self.cursor.min(index)..index).unwrap_or_default();
        between.iter().all(|step| step.action.is_passed())
    }

    fn ours_at(&self, index: usize) -> Option<&Ours> {
        match &self.replay.steps.get(index)?.action {
            Action::Ours(ours) => Some(ours),
            _ => None,
        }
    }

    fn fail(&mut self, index: usize, actual: Option<&[u8]>, why: &str) {
        let step = self.replay.steps.get(index);
        let mismatch = Mismatch {
            line: step.map(|step| step.line),
            expected: step.map(|step| step.action.describe()),
            actual: actual.map(excerpt),
            why: why.to_owned(),
        };
        self.mismatch.get_or_insert(mismatch);
    }
}

impl Action {
    fn describe(&self) -> String {
        match self {
            Self::Ours(ours) => format!("> {}", excerpt(&ours.text)),
            Self::Theirs(line) => format!("< {}", excerpt(line)),
            Self::Cut => "no line feed".to_owned(),
            Self::Stderr(text) => format!("! {}", excerpt(text)),
            Self::EndOfInput => "| end of input".to_owned(),
            Self::Signal(how) => format!("^ a signal ({how:?})"),
            Self::End(exit) => format!("= {exit}"),
        }
    }
}

const DEFAULT_LIMIT: Duration = Duration::from_secs(10);
