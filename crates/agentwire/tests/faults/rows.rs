//! Checks `docs/internals/faults.md`: every fault has a row, every row has tests, and every test has a row.

use std::{collections::BTreeSet, fs, path::PathBuf};

use agentwire_testkit::faults::Fault;

use crate::runner::tests;

tests!(rows: every_fault_has_a_row, every_row_has_its_tests, every_test_has_a_row, the_documentation_is_up_to_date);

fn every_fault_has_a_row() {
    let page = page();
    let named: BTreeSet<&str> = rows(&page).flat_map(|row| row.faults).collect();
    assert_eq!(named, Fault::ALL.iter().map(|fault| fault.name()).collect());
}

fn every_row_has_its_tests() {
    let tests: BTreeSet<&str> = all_tests().collect();
    for row in rows(&page()) {
        assert!(!row.tests.is_empty(), "{}", row.seen);
        let missing: Vec<_> = row.tests.iter().filter(|test| !tests.contains(*test)).collect();
        assert!(missing.is_empty(), "{}: {missing:?}", row.seen);
    }
}

fn every_test_has_a_row() {
    let page = page();
    let named: BTreeSet<&str> = rows(&page).flat_map(|row| row.tests).collect();
    let loose: Vec<_> = all_tests()
        .filter(|test| !OWN.iter().any(|own| test.starts_with(own)) && !named.contains(test))
        .collect();
    assert!(loose.is_empty(), "{loose:?}");
}

fn the_documentation_is_up_to_date() {
    let text = page();
    let (before, rest) = text.split_once(BEGIN).expect("the mark where the table begins");
    let (_, after) = rest.split_once(END).expect("the mark where the table ends");
    let expected = format!("{before}{BEGIN}\n\n{}\n{END}{after}", flags());
    if text != expected && std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(file(), &expected).unwrap();
    } else {
        assert_eq!(text, expected, "run again with UPDATE_EXPECT=1");
    }
}

/// A failure seen in clients, the faults that reproduce it, and the tests of the correct reaction.
struct Row<'a> {
    seen: &'a str,
    faults: Vec<&'a str>,
    tests: Vec<&'a str>,
}

/// Returns the rows of the table *Faults of clients*.
fn rows(page: &str) -> impl Iterator<Item = Row<'_>> {
    let (_, table) = page.split_once("## Faults of clients\n").expect("the heading of the table");
    table.lines().filter(|line| line.starts_with('|')).skip(2).map(|line| {
        let [_, seen, _, faults, tests, _] = line.split('|').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        Row { seen, faults: quoted_words(faults), tests: quoted_words(tests) }
    })
}

fn quoted_words(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// Returns the table *Flags*.
fn flags() -> String {
    let mut text = String::from(
        "| flag | by default | what the fault CLI does | correct reaction |\n|---|---|---|---|\n",
    );
    for fault in Fault::ALL {
        let default = fault.default_value().unwrap_or_default();
        text.push_str(&format!(
            "| `{}` | {default} | {} | {} |\n",
            fault.usage(),
            fault.does(),
            fault.right()
        ));
    }
    text
}

fn page() -> String {
    fs::read_to_string(file()).unwrap()
}

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/internals/faults.md")
}

/// Returns the names of all tests of this program.
fn all_tests() -> impl Iterator<Item = &'static str> {
    crate::TESTS.iter().copied().flatten().map(|(name, _)| *name)
}

/// The families that check the tests themselves.
const OWN: [&str; 2] = ["rows::", "left::"];
const BEGIN: &str = "<!-- begin: written by the test `rows::the_documentation_is_up_to_date` -->";
const END: &str = "<!-- end -->";
