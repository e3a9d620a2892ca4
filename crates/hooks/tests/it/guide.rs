//! The guide's table of events matches the code.

use std::{fmt::Write as _, fs};

use agentwire_protocol::hook::{EventVisitor, HookEvent, visit_events};

/// Writes each event's row; what a hook can do is kept as the guide has it, all else comes from the code.
struct Rows<'a> {
    guide: &'a str,
    text: String,
}

impl EventVisitor for Rows<'_> {
    fn event<E: HookEvent>(&mut self) {
        let (name, matched_by, limit) = (E::NAME, E::MATCHED_BY, E::DEFAULT_LIMIT.as_secs_f64());
        let (usual, refuses) = match E::refusal("") {
            Some(_) => ("refuse", "refuses"),
            None => ("watch", "can't refuse"),
        };
        let row = self.guide.lines().find_map(|line| line.strip_prefix(&format!("| `{name}` | ")));
        let effect = row.and_then(|row| row.split_once(" |")).map_or(usual, |(effect, _)| effect);
        let matched_by = matched_by.map_or(String::new(), |field| format!("`{field}` "));
        writeln!(self.text, "| `{name}` | {effect} | {matched_by}| {refuses} | {limit} s |").unwrap();
    }
}

#[test]
fn table_of_events_is_that_of_the_code() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/hooks.md");
    let guide = fs::read_to_string(path).unwrap();
    let (before, rest) = guide.split_once(HEAD).unwrap();
    let (table, after) = rest.split_once("\n\n").unwrap();
    let mut rows = Rows { guide: rest, text: String::new() };
    visit_events(&mut rows);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(path, format!("{before}{HEAD}{}\n{after}", rows.text)).unwrap();
    } else {
        assert_eq!(table.trim_end(), rows.text.trim_end(), "UPDATE_EXPECT=1 writes the table");
    }
}

const HEAD: &str =
    "| event | what a hook can do | matched by | a failing handler | limit |\n|---|---|---|---|---|\n";

#[test]
fn the_guides_late_events_match_the_code() {
    let guide =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/hook-failures.md")).unwrap();
    let line = guide.lines().find(|line| line.contains("| refused, for any `onFailure` |")).unwrap();
    let (refused, _) = line.split_once("| refused").unwrap();
    let mut refused: Vec<_> = refused.split('`').skip(1).step_by(2).collect();
    refused.sort_unstable();
    let mut collect = Late(Vec::new());
    visit_events(&mut collect);
    collect.0.sort_unstable();
    assert_eq!(refused, collect.0);
}

struct Late(Vec<&'static str>);

impl EventVisitor for Late {
    fn event<E: HookEvent>(&mut self) {
        self.0.extend(E::REFUSES_WHEN_LATE.then_some(E::NAME));
    }
}
