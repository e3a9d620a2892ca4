//! `agentwire check`: plays recorded sessions through the layers and fails on anything that is lost.

pub(crate) mod find;
mod report;

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;

use agentwire_judge::conformance::{Report, SelfTest, check, check_facade, self_test};
use agentwire_testkit::transcript::{ParseCause, ParseError};
use agentwire_testkit::{Splits, Transcript};

use crate::at_once::at_once;
use crate::failure::{Failure, While as _};
use crate::output;

/// Check that transcripts can be played without a loss
///
/// Each line is read, decoded and written again, and each request must be answered once.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Files or folders of transcripts
    pub paths: Vec<PathBuf>,
    /// Play them through a whole session too
    #[arg(long, conflicts_with = "self_test")]
    facade: bool,
    /// Check that corrupted transcripts are found
    #[arg(long)]
    self_test: bool,
    /// Write a JUnit report to this file
    #[arg(long)]
    junit: Option<PathBuf>,
    /// The names of transcripts that no session can play
    #[arg(skip)]
    pub refused: &'static [&'static str],
}

/// Checks each transcript; fails also if none could be played.
pub fn run(args: &Args, json: bool) -> Result<(), Failure> {
    if args.paths.is_empty() {
        return Err(Failure::new("no path is given: name files or folders of transcripts"));
    }
    let files = find::transcripts(&args.paths)?;
    let mut counts = Counts::default();
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let mut printed = Ok(());
    let print = |file: &_, outcome: &_| {
        counts.take(outcome);
        if printed.is_ok() {
            printed = if json { report::json(file, outcome) } else { report::line(file, outcome) };
        }
    };
    let outcomes = at_once(cores, &files, |file| play(&file.path, args), print);
    if !json && printed.is_ok() {
        printed = report::end(&counts);
    }
    if let Some(junit) = &args.junit {
        let text = report::junit(files.iter().zip(&outcomes));
        std::fs::write(junit, text).while_doing(|| format!("writing {}", junit.display()))?;
    }
    // Where nothing could be played, nothing is proved.
    output::end(printed, counts.failed == 0 && counts.passed > 0)
}

/// The counts of all files.
#[derive(Debug, Default)]
struct Counts {
    passed: usize,
    failed: usize,
    not_played: usize,
}

impl Counts {
    fn take(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::NotPlayed(_) => self.not_played += 1,
            _ if outcome.is_passed() => self.passed += 1,
            _ => self.failed += 1,
        }
    }
}

/// The outcome of one file.
enum Outcome {
    Unreadable(String),
    Checked(Report),
    /// Nothing is wrong, but it has no line of ours, so that no session could play it.
    NotPlayed(Report),
    Tested(SelfTest),
}

impl Outcome {
    fn is_passed(&self) -> bool {
        match self {
            Self::Unreadable(_) | Self::NotPlayed(_) => false,
            Self::Checked(report) => report.is_clean(),
            Self::Tested(test) => test.is_passed(),
        }
    }
}

fn play(path: &Path, args: &Args) -> Outcome {
    let read = std::fs::read(path).map_err(Failure::from);
    let transcript = match read.and_then(|text| parse(path, &text)) {
        Ok(transcript) => transcript,
        Err(why) => return Outcome::Unreadable(why.to_string()),
    };
    if args.self_test {
        return Outcome::Tested(self_test(&transcript));
    }
    let mut report = check(&transcript, Splits::Lines);
    if report.is_clean() {
        // A second cut, in case a fault shows only there; the self-test tries them all.
        report = check(&transcript, Splits::Every(7));
    }
    let is_refused = path.file_stem().is_some_and(|name| args.refused.iter().any(|refused| name == *refused));
    if args.facade && (is_refused || transcript.outbound().next().is_none()) && report.is_clean() {
        return Outcome::NotPlayed(report);
    }
    if args.facade {
        match through_facade(&transcript) {
            Ok(played) => report.findings.extend(played.findings),
            Err(why) => return Outcome::Unreadable(why),
        }
    }
    Outcome::Checked(report)
}

/// Plays it through a session, with two cuts of the output.
fn through_facade(transcript: &Transcript) -> Result<Report, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let report = runtime.block_on(check_facade(transcript, Splits::Lines));
    if !report.is_clean() {
        return Ok(report);
    }
    Ok(runtime.block_on(check_facade(transcript, Splits::Random(1))))
}

/// Parses a transcript, or a bare capture of the CLI's output.
pub(crate) fn parse(path: &Path, text: &[u8]) -> Result<Transcript, Failure> {
    let is_capture = path.extension().is_some_and(|extension| extension == "jsonl");
    match Transcript::parse(text) {
        // A capture may begin with a line that is no JSON, or may still be empty.
        Err(ParseError { cause: ParseCause::NotATranscript, .. }) if is_capture => {
            Ok(Transcript::from_json_lines(text))
        }
        Err(ParseError { cause: ParseCause::StoredSession, .. }) => Err(Failure::new(
            "it is a session that the CLI stored, not a recording of its output: view it with `agentwire view ID`",
        )),
        parsed => Ok(parsed?),
    }
}

/// A transcript, and how to name it.
pub(crate) struct File {
    pub(crate) path: PathBuf,
    pub(crate) name: String,
}
