//! Encodes values as trees.

use agentwire_protocol::{Block, RawJson};

use agentwire_inspect::{encode::encode, node::Node};

#[test]
fn raw_parts_are_trees_and_unknown_kinds_are_marked() {
    let raw = RawJson::parse(r#"{"a": 1.10}"#).unwrap();
    assert_eq!(encode(&raw).unwrap(), Node::Raw(Box::new(Node::parse(r#"{"a":1.10}"#).unwrap())));
    let blocks: Vec<Block> =
        serde_json::from_str(r#"[{"type":"text","text":"a"},{"type":"new","x":1}]"#).unwrap();
    let node = encode(&blocks).unwrap();
    let unknown: Vec<bool> = node.items().iter().map(|item| matches!(item, Node::Unknown(_))).collect();
    assert_eq!(unknown, [false, true]);
    assert_eq!(node.to_string(), serde_json::to_string(&blocks).unwrap());
}
