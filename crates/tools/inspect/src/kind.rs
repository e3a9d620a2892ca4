//! The name of a line's kind, and whether it has a type.

use agentwire_protocol::control::InboundRequest;
use agentwire_protocol::message::{Event, ResultSubtype};
use agentwire_protocol::tagged::Tagged as _;
use agentwire_protocol::{Message, System};

use crate::node::Node;
use crate::parts::Asked;
use crate::registry::Registry;

/// Returns the names of the kind, outermost first.
///
/// `system/init`, `result/success`, `stream_event/content_block_delta`, `control_request/set_model`,
/// `control_request/hook_callback/Stop`, `control_response/error`. A response to a known request
/// also names the request: `control_response/success/set_model`.
pub(super) fn of(node: &Node, asked: Option<Asked>) -> Option<String> {
    let mut kind = node.text_at(&["type"])?;
    let mut more: Vec<String> = Vec::new();
    match kind.as_str() {
        "stream_event" => more.extend(node.text_at(&["event", "type"])),
        "control_request" => {
            more.extend(node.text_at(&["request", "subtype"]));
            more.extend(node.text_at(&["request", "input", "hook_event_name"]).filter(|_| is_hook(node)));
        }
        "control_response" => {
            more.extend(node.text_at(&["response", "subtype"]));
            match asked {
                Some(Asked::Call(subtype) | Asked::Inbound(subtype)) => more.push(subtype.to_owned()),
                Some(Asked::Hook(event)) => more.extend(["hook_callback".to_owned(), event.to_owned()]),
                None => {}
            }
        }
        _ => more.extend(node.text_at(&["subtype"])),
    }
    for name in more {
        kind.push('/');
        kind.push_str(&name);
    }
    Some(kind)
}

/// Returns whether we have a type for every name of the kind.
pub(super) fn is_known(node: &Node, ours: bool, registry: &Registry) -> bool {
    let text = |path: &[&str]| node.text_at(path).unwrap_or_default();
    let kind = text(&["type"]);
    if !Message::KINDS.contains(&kind.as_str()) {
        return false;
    }
    match kind.as_str() {
        "system" => System::KINDS.contains(&text(&["subtype"]).as_str()),
        "result" => ResultSubtype::KNOWN.contains(&text(&["subtype"]).as_str()),
        "stream_event" => Event::KINDS.contains(&text(&["event", "type"]).as_str()),
        "control_request" if ours => registry.calls.contains_key(text(&["request", "subtype"]).as_str()),
        "control_request" if is_hook(node) => {
            registry.events.contains_key(text(&["request", "input", "hook_event_name"]).as_str())
        }
        "control_request" => is_inbound(&text(&["request", "subtype"])),
        _ => true,
    }
}

/// Returns whether the CLI sends such a request, as far as we know.
pub(super) fn is_inbound(subtype: &str) -> bool {
    InboundRequest::KINDS.contains(&subtype)
}

/// Returns the paths of the objects that determine the line's kind.
pub(super) fn places(node: &Node) -> &'static [&'static str] {
    match node.text_at(&["type"]).as_deref() {
        Some("stream_event") => &["", "event"],
        Some("control_request") => &["", "request"],
        Some("control_response") => &["", "response"],
        _ => &[""],
    }
}

fn is_hook(node: &Node) -> bool {
    node.text_at(&["request", "subtype"]).as_deref() == Some("hook_callback")
}
