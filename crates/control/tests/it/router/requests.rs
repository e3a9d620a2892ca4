//! Requests of the CLI: one answer each.

use super::{check, ok};
use crate::script::{Script, cancel, inbound, success};

#[test]
fn a_request_is_answered_once() {
    let mut script = Script::default();
    script.line(&inbound("a"));
    check(&mut script, &["inbound a new_thing"]);
    assert_eq!(script.router.answer(&"a".into(), ok()), Ok(()));
    assert!(script.router.answer(&"a".into(), ok()).is_err());
    assert!(script.router.answer(&"never".into(), ok()).is_err());
    assert_eq!(script.sent(), [success("a", "{}")]);
    script.line(&inbound("a"));
    check(&mut script, &["inbound a new_thing"]);
    assert_eq!(script.router.answer(&"a".into(), Err("no \"thanks\"\n".to_owned())), Ok(()));
    assert!(script.sent()[0].contains(r#""subtype":"error","request_id":"a","error":"no \"thanks\"\n""#));
}

#[test]
fn cancelled_request_is_not_answered() {
    let mut script = Script::default();
    script.line(&inbound("a")).line(&cancel("a")).line(&cancel("a")).line(&cancel("never"));
    check(&mut script, &["inbound a new_thing", "cancelled a"]);
    assert!(script.router.answer(&"a".into(), ok()).is_err());
    assert_eq!(script.sent(), [""; 0]);
    assert_eq!(script.router.ignored().cancels, 2);
}

#[test]
fn a_second_request_with_an_open_id_gets_no_answer_of_its_own() {
    let mut script = Script::default();
    let broken = r#"{"type":"control_request","request_id":"a","request":7}"#;
    script.line(&inbound("a")).line(&inbound("a")).line(broken).too_long(&broken[..50]);
    assert_eq!(script.sent(), [""; 0]);
    let events = ["inbound a new_thing", &format!("undecodable {broken}"), "too long request"];
    check(&mut script, &events);
    assert_eq!(script.router.ignored().duplicate_requests, 3);
    assert_eq!(script.router.answer(&"a".into(), ok()), Ok(()));
    assert_eq!(script.sent().len(), 1);
}

#[test]
fn requests_that_the_reply_lists_as_unanswered_are_opened() {
    let mut script = Script::default();
    script.line(&inbound("a")).call();
    let [a, b, c, d] = ["a", "b", "c", "d"].map(inbound);
    let lists = format!(
        r#""pending_permission_requests":[{a},{b}],"pending_user_dialog_requests":[{c}],"pending_elicitation_requests":[{d}]"#
    );
    script.line(&success("req_1", "{}").replacen("}}", &format!("}},{lists}}}"), 1));
    let opened = ["inbound b new_thing", "inbound c new_thing", "inbound d new_thing"];
    check(&mut script, &[&["inbound a new_thing", "answered req_1 {}"], &opened[..]].concat());
    assert_eq!(script.router.answer(&"d".into(), ok()), Ok(()));
}

#[test]
fn listed_request_that_cant_be_read_is_refused_alone() {
    let mut script = Script::default();
    script.call();
    let broken = r#"{"type":"control_request","request_id":"a","request":{"subtype":"can_use_tool"}}"#;
    let lists = format!(r#""pending_permission_requests":[{broken},{}]"#, inbound("b"));
    script.line(&success("req_1", "{}").replacen("}}", &format!("}},{lists}}}"), 1));
    check(&mut script, &["answered req_1 {}", &format!("undecodable {broken}"), "inbound b new_thing"]);
}

#[test]
fn a_request_that_cant_be_read_is_refused_and_shown() {
    let mut script = Script::default();
    let broken = r#"{"type":"control_request","request_id":"a","request":{"subtype":"can_use_tool"}}"#;
    let no_id = r#"{"type":"control_request","request":{"subtype":"x"}}"#;
    script.line(broken).line(no_id);
    check(&mut script, &[&format!("undecodable {broken}"), &format!("undecodable {no_id}")]);
    let sent = script.sent();
    assert_eq!(sent.len(), 1);
    assert!(
        sent[0].contains(r#""subtype":"error","request_id":"a","error":"the request can't be read"#),
        "{sent:?}"
    );
    assert_eq!(script.router.open(), (0, 0));
}
