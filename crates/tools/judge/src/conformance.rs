//! Checks that nothing of a recorded session is lost, reordered or left unanswered, by playing it through the layers.
//!
//! [`check`] needs no code of yours: it takes prompts, calls and answers from the transcript itself, and plays them
//! through the line decoder and the router.
//! It fails on anything that is lost, reordered, unanswered, answered twice, or undecodable.
//! Faults of the transcript are found too: a transcript that was cut or shuffled is no evidence.
//!
//! A comment marks a faulty line that is there on purpose:
//!
//! | comment | meaning for the next line |
//! |---|---|
//! | `# undecodable` | it can't be decoded, or is not JSON |
//! | `# noise` | it is not a JSON object |
//! | `# unanswered` | it is a request that has no answer |
//!
//! The fact `faults yes` in the header declares faulty lines of our side ([`Header::faults`]).
//! They are then allowed, and the CLI's reaction to them is checked as usual.
//!
//! Of a bare capture of the CLI's output only decoding and order are checked.
//! If the end of the CLI is not recorded, an open request or turn at the last line is a finding.
//! A transcript without any line is a finding too.
//!
//! [`self_test`] shows that a check can fail: it corrupts a transcript, and each kind of corruption must be found.
//!
//! [`Header::faults`]: agentwire_testkit::Header::faults

mod facade;
mod facts;
mod ledger;
mod order;
mod play;
mod report;
mod scene;
mod self_test;

pub use facade::check_facade;
pub use report::{Finding, Report};
pub use self_test::{Corruption, SelfTest, self_test};

use agentwire_testkit::{Splits, Transcript};
use facts::Facts;
use scene::{Scene, What};

/// Checks a transcript, with the CLI's output cut into reads like this.
pub fn check(transcript: &Transcript, splits: Splits) -> Report {
    let scene = Scene::new(transcript);
    let mut report = Report::default();
    for judge in JUDGES {
        judge(&scene, splits, &mut report);
    }
    report.sort();
    report
}

/// Returns whether [`check`] finds anything, with one line per read.
fn is_faulty(scene: &Scene) -> bool {
    let mut report = Report::default();
    JUDGES.iter().any(|judge| {
        judge(scene, Splits::Lines, &mut report);
        !report.is_clean()
    })
}

type Judge = fn(&Scene, Splits, &mut Report);

/// The parts of a check, the most expensive last.
const JUDGES: [Judge; 3] = [
    |scene, _, report| count(scene, report),
    |scene, _, report| {
        let facts = Facts::of(scene);
        ledger::check(scene, &facts, report);
        order::check(scene, &facts, report);
    },
    play::check,
];

fn count(scene: &Scene, report: &mut Report) {
    for item in &scene.items {
        match item.what {
            What::Theirs(..) => report.inbound += 1,
            What::Ours(..) => report.outbound += 1,
            _ => {}
        }
    }
    if report.inbound + report.outbound == 0 {
        report.find_overall("nothing to check: no line of either side is recorded");
    }
}
