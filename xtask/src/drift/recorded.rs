//! The recordings beside our types.

use std::fs;
use std::path::Path;

use agentwire_testkit::Transcript;

use super::findings::{Findings, general};
use crate::decode::{Lines, Said};
use crate::failure::{Failure, While as _};
use crate::inspect::{From, Inspector, Verdict};
use crate::workspace;

/// Compares every line of every transcript. Finding no transcript is a failure.
pub(super) fn compare(root: &Path, findings: &mut Findings) -> Result<(), Failure> {
    let files = workspace::files(&root.join("fixtures/sessions"), &["transcript"])?;
    if files.is_empty() {
        return Err(Failure::new("there is no recording to compare with"));
    }
    let mut inspector = Inspector::new();
    for file in &files {
        inspector.forget();
        let place = file.strip_prefix(root).unwrap_or(file).display().to_string();
        let text = fs::read(file).while_doing(|| format!("reading {place}"))?;
        // In such a recording lines of our side are wrong on purpose.
        let ours_are_faulty = Transcript::parse(text.clone())
            .while_doing(|| format!("reading {place}"))?
            .header
            .faults
            .unwrap_or_default();
        let mut lines = Lines::new(&*text);
        while let Some(said) = lines.advance().while_doing(|| format!("reading {place}"))? {
            match said {
                Said::Line { from: From::Us, .. } if ours_are_faulty => {}
                Said::Line { from, line, kept } => {
                    tell(&inspector.inspect(from, &line), kept, &place, findings);
                }
                Said::Dropped(error) => findings.add(format!("recorded dropped {error}"), place.as_str()),
            }
        }
    }
    Ok(())
}

/// Adds the differences of one line.
fn tell(verdict: &Verdict, kept: bool, place: &str, findings: &mut Findings) {
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
    if !(verdict.lossless && kept) {
        findings.add(format!("recorded changed {kind}"), place);
    }
}

#[cfg(test)]
mod tests {
    use agentwire_codec::Line;

    use super::{Findings, Inspector, tell};
    use crate::inspect::From;

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
            tell(&inspector.inspect(From::Cli, &Line::from(line)), true, "a.transcript", &mut findings);
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
