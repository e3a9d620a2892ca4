//! What is written about the conformance suite is what is expected of it.

use std::{fs, path::Path};

#[test]
fn the_table_says_what_is_expected_and_every_exception_is_an_extension() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let expected = fs::read_to_string(root.join("tests/mcp_conformance.txt")).unwrap();
    let expected: Vec<Vec<&str>> = expected
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split(" | ").collect())
        .collect();
    let table = fs::read_to_string(root.join("../../docs/hub-conformance.md")).unwrap();
    let rows: Vec<Vec<&str>> = table
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| scenario "))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert_eq!(rows.len(), expected.len());
    for (row, expected) in rows.iter().zip(&expected) {
        assert_eq!(row[0], expected[0]);
        assert_eq!(row[1].replace(", ", ","), expected[1], "{}", row[0]);
        assert_eq!(row[2], expected[2], "{}", row[0]);
        match expected[2] {
            "passes" => {}
            _ => assert!(row[1] == "extension" && row[3] == expected[3], "{row:?}"),
        }
    }
}
