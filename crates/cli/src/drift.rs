//! `agentwire drift`: what transcripts contain and our types lack.

mod findings;

use std::path::{Path, PathBuf};

use agentwire_inspect::{From, Inspector, Verdict};
use serde_json::json;

use crate::check::{self, find};
use crate::decode::Lines;
use crate::failure::{Failure, While as _};
use crate::output;
use crate::progress::Progress;
pub use findings::{Findings, general};

/// Report what transcripts contain and the types of this version lack
///
/// Run it on recordings of a newer CLI, to see what programs built with this version would not know.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files or folders of transcripts and of captures (.jsonl)
    #[arg(required = true)]
    paths: Vec<PathBuf>,
}

/// Prints each difference once, with the first place. Files that can't be read are reported, and the others compared.
/// Fails after them if there is a difference, or a file that can't be read.
pub fn run(args: &Args, as_json: bool) -> Result<(), Failure> {
    let files = find::transcripts(&args.paths)?;
    let mut progress = Progress::new(files.len());
    let (mut findings, mut unreadable) = (Findings::default(), Vec::new());
    for file in &files {
        unreadable.extend(compare(&file.path, &file.name, &mut findings).err());
        progress.advance();
    }
    drop(progress);
    for failure in &unreadable {
        let text = failure.to_string();
        output::note(format_args!("agentwire: {}", output::for_terminal(&text, &std::io::stderr())));
    }
    let printed = print(&findings, files.len() - unreadable.len(), as_json);
    if !unreadable.is_empty() {
        return output::end_with(printed, Err(Failure::exit(2)));
    }
    output::end(printed, findings.iter().next().is_none())
}

fn print(findings: &Findings, files: usize, as_json: bool) -> Result<(), Failure> {
    let mut count = 0;
    for (what, times, place) in findings.iter() {
        count += 1;
        if as_json {
            output::json(&json!({"missing": what, "times": times, "first": place}))?;
        } else {
            let what = output::plain(what);
            output::line(format_args!("{what}: {times} times, first in {place}"))?;
        }
    }
    if as_json { Ok(()) } else { output::line(format_args!("{files} files, {count} differences")) }
}

/// Compares every line of a transcript with our types, and adds the differences.
pub fn compare(file: &Path, place: &str, findings: &mut Findings) -> Result<(), Failure> {
    let reading = || format!("reading {place}");
    let text = std::fs::read(file).while_doing(reading)?;
    // In such a recording lines of our side are wrong on purpose.
    let transcript = check::parse(file, &text).while_doing(reading)?;
    let ours_are_faulty = transcript.header.faults.unwrap_or_default();
    let (mut inspector, mut lines) = (Inspector::new(), Lines::new(&*text));
    while let Some((from, line)) = lines.advance().while_doing(reading)? {
        if from != From::Us || !ours_are_faulty {
            add(&inspector.inspect(from, &line), place, findings);
        }
    }
    Ok(())
}

/// Adds the differences of one line.
fn add(verdict: &Verdict, place: &str, findings: &mut Findings) {
    let Some(kind) = &verdict.kind else {
        findings.add("recorded noise", place);
        return;
    };
    if !verdict.known {
        findings.add(format!("recorded kind {kind}"), place);
    }
    for path in &verdict.unknown_fields {
        findings.add(format!("recorded field {kind} {}", general(path)), place);
    }
    if let Some(why) = &verdict.undecodable {
        findings.add(format!("recorded undecodable {kind}"), format!("{why}, in {place}"));
    }
    for why in &verdict.set_aside {
        findings.add(format!("recorded set aside {kind}"), format!("{why}, in {place}"));
    }
    if !verdict.lossless {
        findings.add(format!("recorded changed {kind}"), place);
    }
}

#[cfg(test)]
mod tests {
    use agentwire_codec::Line;

    use super::{Findings, From, Inspector, add};

    #[test]
    fn what_only_a_recording_has_is_found() {
        let mut findings = Findings::default();
        let mut inspector = Inspector::new();
        for line in [
            r#"{"type":"zz_new"}"#,
            r#"{"type":"system","subtype":"zz_new","session_id":"s"}"#,
            r#"{"type":"keep_alive","zz":1}"#,
            r#"{"type":"assistant","message":5}"#,
            r#"{"type":"control_request","request_id":"r","request":{"subtype":"zz_new"}}"#,
            "a stray print",
        ] {
            add(&inspector.inspect(From::Cli, &Line::from(line)), "a.transcript", &mut findings);
        }
        let found: Vec<&str> = findings.iter().map(|(what, _, _)| what).collect();
        assert_eq!(
            found,
            [
                "recorded field keep_alive zz",
                "recorded kind control_request/zz_new",
                "recorded kind system/zz_new",
                "recorded kind zz_new",
                "recorded noise",
                "recorded undecodable assistant",
            ]
        );
    }
}
