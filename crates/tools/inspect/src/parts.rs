//! The parts of a line that its message keeps as text although they have a type, and these types.

use agentwire_protocol::Content;
use agentwire_protocol::control::{CanUseTool, ElicitationAsked, InboundCall, McpMessage, RequestUserDialog};

use crate::node::Node;
use crate::registry::Registry;
use crate::slice::Step::{self, Index, Name};
use crate::view::{Reader, view};

/// The kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// A request of ours, by its subtype.
    Call(&'static str),
    /// A request of the CLI's, by its subtype.
    Inbound(&'static str),
    /// A hook, by its event.
    Hook(&'static str),
}

/// A part that has a type.
pub(super) struct Part {
    pub(super) path: Vec<Step>,
    pub(super) reader: Reader,
    /// The tag of the part, which does not belong to its type.
    pub(super) tag: &'static str,
}

impl Part {
    fn new(path: impl Into<Vec<Step>>, reader: Reader) -> Self {
        Self { path: path.into(), reader, tag: "" }
    }

    fn tagged(path: impl Into<Vec<Step>>, reader: Reader, tag: &'static str) -> Self {
        Self { tag, ..Self::new(path, reader) }
    }
}

/// Returns the parts of this line.
pub(super) fn of(node: &Node, ours: bool, asked: Option<Asked>, registry: &Registry) -> Vec<Part> {
    match node.text_at(&["type"]).as_deref() {
        Some("user" | "assistant") => tool_results(node),
        Some("control_request") if ours => {
            let subtype = node.text_at(&["request", "subtype"]).unwrap_or_default();
            let call = registry.calls.get(&*subtype);
            call.map(|call| Part::tagged([Name("request")], call.request, "subtype")).into_iter().collect()
        }
        Some("control_request") => {
            let event = node.text_at(&["request", "input", "hook_event_name"]).unwrap_or_default();
            let event = registry.events.get(&*event);
            let input = [Name("request"), Name("input")];
            event.map(|event| Part::tagged(input, event.input, "hook_event_name")).into_iter().collect()
        }
        Some("control_response") => response(node, asked, registry),
        _ => Vec::new(),
    }
}

/// Returns the id of a request and its kind; `None` if the line is no known request.
pub(super) fn request(node: &Node, ours: bool, registry: &Registry) -> Option<(String, Asked)> {
    if node.text_at(&["type"])? != "control_request" {
        return None;
    }
    let id = node.text_at(&["request_id"])?;
    let subtype = node.text_at(&["request", "subtype"])?;
    if ours {
        let (subtype, _) = registry.calls.get_key_value(&*subtype)?;
        return Some((id, Asked::Call(subtype)));
    }
    if subtype == "hook_callback" {
        let event = node.text_at(&["request", "input", "hook_event_name"])?;
        let (event, _) = registry.events.get_key_value(&*event)?;
        return Some((id, Asked::Hook(event)));
    }
    let subtype = INBOUND.iter().find(|(known, _)| *known == subtype)?.0;
    Some((id, Asked::Inbound(subtype)))
}

/// Returns the id of the request that a response answers.
pub(super) fn response_id(node: &Node) -> String {
    node.text_at(&["response", "request_id"]).unwrap_or_default()
}

fn response(node: &Node, asked: Option<Asked>, registry: &Registry) -> Vec<Part> {
    let path = [Name("response"), Name("response")];
    let Some(reply) = node.at(&["response", "response"]) else { return Vec::new() };
    match asked {
        Some(Asked::Call(subtype)) => {
            registry.calls.get(subtype).map(|call| Part::new(path, call.reply)).into_iter().collect()
        }
        Some(Asked::Inbound(subtype)) => {
            let reader = INBOUND.iter().find(|(known, _)| *known == subtype);
            reader.map(|(_, reader)| Part::new(path, *reader)).into_iter().collect()
        }
        Some(Asked::Hook(event)) => {
            let mut parts = Vec::new();
            let Some(event) = registry.events.get(event) else { return parts };
            parts.push(Part::new(path, event.reply));
            if reply.field("hookSpecificOutput").is_some() {
                let path = [Name("response"), Name("response"), Name("hookSpecificOutput")];
                parts.push(Part::tagged(path, event.output, "hookEventName"));
            }
            parts
        }
        None => Vec::new(),
    }
}

/// Returns the results of tools: text or blocks.
fn tool_results(node: &Node) -> Vec<Part> {
    let blocks = node.at(&["message", "content"]).map(Node::items).unwrap_or_default().iter().enumerate();
    let results = blocks.filter(|(_, block)| {
        block.text_at(&["type"]).as_deref() == Some("tool_result") && block.field("content").is_some()
    });
    results
        .map(|(index, _)| {
            Part::new([Name("message"), Name("content"), Index(index), Name("content")], view::<Content>)
        })
        .collect()
}

/// The answers to the CLI's requests.
const INBOUND: &[(&str, Reader)] = &[
    answer::<CanUseTool>(),
    answer::<ElicitationAsked>(),
    answer::<McpMessage>(),
    answer::<RequestUserDialog>(),
];

const fn answer<C: InboundCall>() -> (&'static str, Reader) {
    (C::SUBTYPE, view::<C::Reply>)
}
