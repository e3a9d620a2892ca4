//! Repairs lone surrogates.

use agentwire_inspect::surrogate::repair;

#[test]
fn only_lone_ones_are_replaced() {
    assert_eq!(repair(r#""\ud83d x""#).as_deref(), Some(r#""\ufffd x""#));
    assert_eq!(repair(r#""\uDE00\ud83d""#).as_deref(), Some(r#""\ufffd\ufffd""#));
    for fine in [r#""\ud83d\ude00""#, r#""\\ud83d""#, r#""\ud83""#, "\"\\", "plain"] {
        assert_eq!(repair(fine), None, "{fine}");
    }
}
