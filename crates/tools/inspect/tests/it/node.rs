//! Parses trees.

use agentwire_inspect::node::Node;

#[test]
fn a_tree_keeps_its_text() {
    let text = r#"{"b":[1.10,1e400,{}],"a":"\u0041","a":null}"#;
    let node = Node::parse(text).unwrap();
    assert_eq!(node.to_string(), text);
    assert_eq!(node.text_at(&["a"]).as_deref(), Some("A"));
    for broken in ["", "{", "{\"a\"}", "[1,]", "nul", "{} {}"] {
        assert_eq!(Node::parse(broken), None, "{broken}");
    }
    assert!(Node::parse(&"[".repeat(9999)).is_none());
    let deep = format!("{}{}", "[".repeat(9999), "]".repeat(9999));
    assert_eq!(Node::parse(&deep).unwrap().to_string(), deep);
}

#[test]
fn tags_go_to_the_front() {
    let node = Node::parse(r#"{"x":{"y":1,"type":"t"},"subtype":"s","type":"r"}"#).unwrap();
    assert_eq!(node.tags_first(), r#"{"type":"r","subtype":"s","x":{"type":"t","y":1}}"#);
}

#[test]
fn lone_surrogates_are_replaced() {
    assert_eq!(Node::parse(r#"["\ud800","\\ud800"]"#).unwrap().to_string(), r#"["\ufffd","\\ud800"]"#);
}
