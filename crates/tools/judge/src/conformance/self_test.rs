//! Shows that the check can fail: each kind of corruption of a transcript must be found.

mod corrupt;

use std::fmt;

use super::{Report, Scene, check, is_faulty, scene::Known};
use agentwire_testkit::{Splits, Transcript};

/// The result of the self-test of one transcript.
#[derive(Clone, Debug, Default)]
pub struct SelfTest {
    /// The kinds of corruption that the check found.
    pub found: Vec<Corruption>,
    /// The kinds of corruption that the check found at none of their places.
    pub missed: Vec<Corruption>,
    /// The ways to cut the output into reads with which the intact transcript did not pass.
    pub splits: Vec<(Splits, Report)>,
}

/// A way to corrupt a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Corruption {
    /// A reply of the CLI is missing.
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
    /// Everything after a line is missing, including the end of the CLI.
    LoseTail,
    /// Two adjacent lines are swapped.
    Swap,
    /// A line is cut.
    Cut,
    /// An id is changed.
    ChangeId,
}

/// Tries each kind of corruption for which the transcript has a place, and each way to cut the output into reads.
///
/// A kind is found if the check finds it at one of its places: what a transcript may lack or repeat legally depends on
/// the CLI, and would need a second model of the CLI to predict.
pub fn self_test(transcript: &Transcript) -> SelfTest {
    let mut test = SelfTest::default();
    for splits in Splits::SAMPLES {
        let report = check(transcript, splits);
        if !report.is_clean() {
            test.splits.push((splits, report));
        }
    }
    let scene = Scene::new(transcript);
    let known = Known::of(&scene);
    for (corruption, _) in Corruption::ALL {
        let is_faulty = |corrupted: &Transcript| is_faulty(&Scene::with(corrupted, &known));
        match corrupt::is_found(corruption, transcript, &scene, is_faulty) {
            Some(true) => test.found.push(corruption),
            Some(false) => test.missed.push(corruption),
            None => {}
        }
    }
    test
}

impl SelfTest {
    /// Returns whether each kind of corruption was found, at least one was tried, and the intact transcript passed.
    pub fn is_passed(&self) -> bool {
        !self.found.is_empty() && self.missed.is_empty() && self.splits.is_empty()
    }
}

impl Corruption {
    /// All kinds with their words, in the order in which they are tried.
    const ALL: [(Self, &str); 15] = [
        (Self::DropReply, "dropping a reply"),
        (Self::DropAnswer, "dropping an answer"),
        (Self::DropRequest, "dropping a request"),
        (Self::DropResult, "dropping a result"),
        (Self::DropMessage, "dropping a message"),
        (Self::DropCall, "dropping a request of ours"),
        (Self::RepeatReply, "repeating a reply"),
        (Self::RepeatAnswer, "repeating an answer"),
        (Self::RepeatRequest, "repeating a request"),
        (Self::RepeatCall, "repeating a request of ours"),
        (Self::RepeatMessage, "repeating a message"),
        (Self::LoseTail, "losing the tail"),
        (Self::Swap, "swapping two lines"),
        (Self::Cut, "cutting a line"),
        (Self::ChangeId, "changing an id"),
    ];
}

impl fmt::Display for Corruption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Self::ALL.iter().filter(|(kind, _)| kind == self).try_for_each(|(_, word)| f.write_str(word))
    }
}
