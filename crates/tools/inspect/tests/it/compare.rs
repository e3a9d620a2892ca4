//! Compares trees.

use agentwire_inspect::{View, compare::compare, node::Node};

fn differences(line: &str, view: &str) -> View {
    let mut found = View::default();
    compare(&Node::parse(line).unwrap(), &Node::parse(view).unwrap(), "", &mut found);
    found
}

#[test]
fn equivalent_values_have_no_difference() {
    for (line, view) in [
        (r#"{"a":1,"b":"\u0041"}"#, r#"{"b":"A","a":1.0}"#),
        (r#"{"a":null,"b":[]}"#, r#"{}"#),
        (r#"{}"#, r#"{"a":[],"b":false}"#),
        (r#"{"a":null}"#, r#"{"a":[]}"#),
        (r#"[1e2]"#, "[100.0]"),
    ] {
        assert_eq!(differences(line, view), View::default(), "{line} {view}");
    }
}

#[test]
fn changed_and_missing_values_are_found() {
    for (line, view) in [
        ("1", "2"),
        ("9007199254740993", "9007199254740992.0"),
        ("[1]", "[]"),
        ("\"1\"", "1"),
        ("{}", "[]"),
        (r#"{}"#, r#"{"":1}"#),
        ("true", "false"),
    ] {
        assert_eq!(differences(line, view).changed, [""], "{line} {view}");
    }
    assert_eq!(differences(r#"{"a":[{"b":1,"c":2}]}"#, r#"{"a":[{"b":1}]}"#).missing, ["a[0].c"]);
    assert_eq!(differences(r#"{"a":1,"a":2}"#, r#"{"a":1}"#).missing, ["a"]);
}
