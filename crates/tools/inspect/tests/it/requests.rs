//! Requests identify the replies to them.

use agentwire_codec::Line;
use agentwire_inspect::{From, Inspector};

fn kind(inspector: &mut Inspector, from: From, line: &str) -> Option<String> {
    inspector.inspect(from, &Line::from(line)).kind
}

fn ask(inspector: &mut Inspector, number: usize) {
    let request = r#""request":{"subtype":"set_model"}"#;
    let line = format!(r#"{{"type":"control_request","request_id":"r{number}",{request}}}"#);
    assert_eq!(kind(inspector, From::Us, &line).unwrap(), "control_request/set_model");
}

fn reply(inspector: &mut Inspector, number: usize) -> Option<String> {
    let response = format!(r#"{{"subtype":"success","request_id":"r{number}"}}"#);
    kind(inspector, From::Cli, &format!(r#"{{"type":"control_response","response":{response}}}"#))
}

#[test]
fn first_reply_names_its_request() {
    let mut inspector = Inspector::new();
    ask(&mut inspector, 1);
    assert_eq!(reply(&mut inspector, 1).unwrap(), "control_response/success/set_model");
    assert_eq!(reply(&mut inspector, 1).unwrap(), "control_response/success");
}

#[test]
fn requests_without_a_reply_are_kept_up_to_a_limit() {
    let mut inspector = Inspector::new();
    (0..1100).for_each(|number| ask(&mut inspector, number));
    assert_eq!(reply(&mut inspector, 0).unwrap(), "control_response/success");
    assert_eq!(reply(&mut inspector, 1099).unwrap(), "control_response/success/set_model");
}
