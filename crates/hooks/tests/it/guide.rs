//! The guide's table of events says what the code says.

use std::{collections::BTreeMap, fs};

use agentwire_hooks::EVENTS;
use agentwire_protocol::hook::{EventVisitor, HookEvent, visit_events};

/// The rows: what follows the event's name, cell by cell.
fn rows(guide: &str) -> BTreeMap<&str, Vec<&str>> {
    let table = guide.lines().skip_while(|line| !line.starts_with("| event | what a hook can do")).skip(2);
    let rows = table.take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let mut cells = row.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`'));
        (cells.next().unwrap(), cells.collect())
    })
    .collect()
}

/// Compares each event with its row.
struct Compare<'a>(BTreeMap<&'a str, Vec<&'a str>>);

impl EventVisitor for Compare<'_> {
    fn event<E: HookEvent>(&mut self) {
        let Some(row) = self.0.remove(E::NAME) else { panic!("{} has no row", E::NAME) };
        let refuses = if E::refusal("").is_some() { "refuses" } else { "can't refuse" };
        let limit = format!("{} s", E::DEFAULT_LIMIT.as_secs_f64());
        let expected = [E::MATCHED_BY.unwrap_or_default(), refuses, &limit];
        assert_eq!(row[1..], expected, "{}", E::NAME);
    }
}

#[test]
fn the_table_of_events_is_that_of_the_code() {
    let guide = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/hooks.md")).unwrap();
    let rows = rows(&guide);
    assert_eq!(rows.len(), EVENTS.len());
    let mut compare = Compare(rows);
    visit_events(&mut compare);
    assert_eq!(compare.0, BTreeMap::new());
}

#[test]
fn the_events_that_are_refused_when_late_are_those_of_the_guide() {
    let guide = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/hooks.md")).unwrap();
    let line = guide.lines().find(|line| line.contains("| refused, whatever `onFailure` is |")).unwrap();
    let (told, _) = line.split_once("| refused").unwrap();
    let mut told: Vec<_> = told.split('`').skip(1).step_by(2).collect();
    told.sort_unstable();
    let mut collect = Late(Vec::new());
    visit_events(&mut collect);
    collect.0.sort_unstable();
    assert_eq!(told, collect.0);
}

struct Late(Vec<&'static str>);

impl EventVisitor for Late {
    fn event<E: HookEvent>(&mut self) {
        self.0.extend(E::REFUSES_WHEN_LATE.then_some(E::NAME));
    }
}
