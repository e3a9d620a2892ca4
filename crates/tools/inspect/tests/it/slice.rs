//! Finds parts of a line.

use agentwire_inspect::slice::{Step, at, show};

#[test]
fn part_has_its_offset() {
    let text = r#" {"a": [1, {"b": "x"}]}"#;
    let path = [Step::Name("a"), Step::Index(1), Step::Name("b")];
    assert_eq!(at(text, &path), text.find("\"x\"").map(|at| (at, "\"x\"")));
    assert_eq!(show(&path), "a[1].b");
    assert_eq!(at(text, &[Step::Name("c")]), None);
}
