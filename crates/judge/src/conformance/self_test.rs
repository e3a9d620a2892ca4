//! Proves that a check can fail: corrupts a transcript in every way that matters, and looks whether that is found.

mod corrupt;
mod harmless;
mod lost;
mod tied;

use std::{collections::BTreeMap, fmt};

use super::{Report, Scene, check, facts::Facts, is_faulty, scene::Known};
use agentwire_testkit::{Splits, Transcript};
use corrupt::Corrupted;

/// How the proof went for one transcript.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SelfTest {
    /// How often each corruption was tried, and what came of it.
    pub tried: BTreeMap<Corruption, Tally>,
    /// How many corruptions there are; of many, a sample is tried.
    pub possible: usize,
    /// Why nothing could be found, and how often; these are the harmless ones of the tallies.
    pub harmless: BTreeMap<&'static str, usize>,
    /// The corruptions that were not found.
    pub missed: Vec<Missed>,
    /// The ways to cut the output into reads that did not pass, the transcript being as it is.
    pub splits: Vec<(Splits, Report)>,
}

/// What came of one kind of corruption.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tally {
    /// How often it was found.
    pub found: usize,
    /// How often it changed nothing that the protocol says, so that nothing could be found.
    pub harmless: usize,
    /// How often it was missed.
    pub missed: usize,
}

/// A corruption that was not found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Missed {
    /// What was done.
    pub corruption: Corruption,
    /// The line of the transcript's file to which it was done.
    pub line: usize,
    /// What stands there.
    pub what: String,
}

/// A way to corrupt a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Corruption {
    /// A reply of the CLI's is missing.
    DropReply,
    /// An answer of ours is missing.
    DropAnswer,
    /// A request of the CLI's is missing.
    DropRequest,
    /// The result of a turn is missing.
    DropResult,
    /// An ordinary message of the CLI's is missing.
    DropMessage,
    /// A request of ours is missing.
    DropCall,
    /// The CLI replies twice.
    RepeatReply,
    /// We answer twice.
    RepeatAnswer,
    /// The CLI asks twice under one id.
    RepeatRequest,
    /// We ask twice under one id.
    RepeatCall,
    /// A message comes twice.
    RepeatMessage,
    /// Everything behind a line is missing, and with it how the CLI ended.
    LoseTail,
    /// Two adjacent lines have changed places.
    Swap,
    /// A line is cut.
    Cut,
    /// An id is another.
    ChangeId,
}

/// Tries all corruptions, and all ways to cut the output into reads.
///
/// Of a long transcript it takes a sample, spread evenly and always the same: some hundred of each kind.
pub fn self_test(transcript: &Transcript) -> SelfTest {
    let mut test = SelfTest::default();
    for splits in Splits::SAMPLES {
        let report = check(transcript, splits);
        if !report.is_clean() {
            test.splits.push((splits, report));
        }
    }
    let scene = Scene::new(transcript);
    let facts = Facts::of(&scene);
    let known = Known::of(&scene);
    let (tried, possible) = corrupt::all(transcript, &scene);
    test.possible = possible;
    for corrupted in tried {
        test.take(&corrupted, &scene, &facts, &known);
    }
    test
}

impl SelfTest {
    /// Whether every corruption was found, one at least, and every cut passed.
    ///
    /// Where nothing could be corrupted, nothing is proved.
    pub fn is_passed(&self) -> bool {
        let found: usize = self.tried.values().map(|tally| tally.found).sum();
        found > 0 && self.missed.is_empty() && self.splits.is_empty()
    }

    /// How many corruptions were tried.
    pub fn count(&self) -> usize {
        self.tried.values().map(|tally| tally.found + tally.harmless + tally.missed).sum()
    }

    fn take(&mut self, corrupted: &Corrupted, scene: &Scene, facts: &Facts, known: &Known) {
        let tally = self.tried.entry(corrupted.corruption).or_default();
        if is_faulty(&Scene::with(&corrupted.transcript, known)) {
            tally.found += 1;
        } else if let Some(reason) = harmless::reason(corrupted, scene, facts) {
            tally.harmless += 1;
            *self.harmless.entry(reason).or_default() += 1;
        } else {
            tally.missed += 1;
            let Corrupted { corruption, line, what, .. } = corrupted;
            self.missed.push(Missed { corruption: *corruption, line: *line, what: what.clone() });
        }
    }
}

impl fmt::Display for Missed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {} was not found: {}", self.line, self.corruption, self.what)
    }
}

impl fmt::Display for Corruption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DropReply => "dropping a reply",
            Self::DropAnswer => "dropping an answer",
            Self::DropRequest => "dropping a request",
            Self::DropResult => "dropping a result",
            Self::DropMessage => "dropping a message",
            Self::DropCall => "dropping a request of ours",
            Self::RepeatReply => "repeating a reply",
            Self::RepeatAnswer => "repeating an answer",
            Self::RepeatRequest => "repeating a request",
            Self::RepeatCall => "repeating a request of ours",
            Self::RepeatMessage => "repeating a message",
            Self::LoseTail => "losing the tail",
            Self::Swap => "swapping two lines",
            Self::Cut => "cutting a line",
            Self::ChangeId => "changing an id",
        })
    }
}
