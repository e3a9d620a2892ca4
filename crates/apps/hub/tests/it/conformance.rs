//! The document about the conformance suite contains the expected outcomes.

use std::{fs, path::Path};

#[test]
fn tables_contain_the_expected_outcomes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let document = fs::read_to_string(root.join("../../../docs/internals/hub-conformance.md")).unwrap();
    for (file, heading) in
        [("mcp_conformance_client.txt", "## As a client"), ("mcp_conformance_server.txt", "## As a server")]
    {
        let expected = fs::read_to_string(root.join("tests").join(file)).unwrap();
        let expected: Vec<Vec<&str>> = expected
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| line.split(" | ").collect())
            .collect();
        let rows: Vec<Vec<&str>> = document
            .lines()
            .skip_while(|line| *line != heading)
            .skip(1)
            .take_while(|line| !line.starts_with("## "))
            .filter(|line| line.starts_with("| ") && !line.starts_with("| scenario "))
            .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
            .collect();
        assert_eq!(rows.len(), expected.len(), "{file}");
        for (row, expected) in rows.iter().zip(&expected) {
            assert_eq!(row[0], expected[0]);
            assert_eq!(row[1].replace(", ", ","), expected[1], "{}", row[0]);
            assert_eq!(row[2], expected[2], "{}", row[0]);
            match expected[2] {
                "passes" => {}
                _ => assert_eq!(row[3], expected[3], "{}", row[0]),
            }
        }
    }
}
