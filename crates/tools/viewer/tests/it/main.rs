//! The page of a session: everything is there once, nothing of it is markup, and the numbers are right.

#![expect(clippy::unwrap_used, reason = "helpers shared by the tests are test code too")]

mod escaping;
mod large;
mod structure;

use std::fs;
use std::path::{Path, PathBuf};

use agentwire_testkit::transcript::{Entry, Transcript};

/// Returns every recording of the repository.
fn recordings() -> Vec<(PathBuf, Transcript)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fixtures/sessions");
    let mut found = Vec::new();
    for version in fs::read_dir(root).unwrap() {
        for file in fs::read_dir(version.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            let session = Transcript::parse(fs::read(&path).unwrap()).unwrap();
            found.push((path, session));
        }
    }
    assert!(found.len() > 50, "only {} recordings", found.len());
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

fn recording(name: &str) -> Transcript {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(format!("../../../fixtures/sessions/2.1.330/{name}.transcript"));
    Transcript::parse(fs::read(path).unwrap()).unwrap()
}

/// Returns the page of a session of these lines, each with its sigil. The first line is line 2.
fn page_of(lines: &[&str]) -> String {
    let text = format!("# agentwire-transcript 1\n{}\n= exit 0\n", lines.join("\n"));
    agentwire_viewer::page(&Transcript::parse(text).unwrap(), "a session")
}

/// Returns the numbers of the lines in the page, in its order.
fn shown(page: &str) -> Vec<usize> {
    let starts = page.split("<div class=f id=line-").skip(1);
    starts.map(|rest| rest[..rest.find('>').unwrap()].parse().unwrap()).collect()
}

/// Returns the numbers of the lines that the page must contain.
fn expected(session: &Transcript) -> Vec<usize> {
    let is_shown = |entry: &Entry| !matches!(entry, Entry::Blank | Entry::Delay { .. });
    let entries = session.entries.iter().enumerate().filter(|(_, entry)| is_shown(entry));
    entries.map(|(at, _)| session.line_number(at)).collect()
}

/// Returns a total of the page's head.
fn total(page: &str, name: &str) -> usize {
    let rest = page.split_once(&format!("<b id=n-{name}>")).unwrap().1;
    rest[..rest.find('<').unwrap()].parse().unwrap()
}

/// Returns the item with this line: from its start to the next item.
fn item(page: &str, line: usize) -> String {
    let items = page.split("<div class=\"it ").skip(1);
    let of_line = format!("<div class=f id=line-{line}>");
    items.into_iter().find(|item| item.contains(&of_line)).unwrap().to_owned()
}
