//! Which pairs of lines the protocol puts into an order; every other pair may change places.
//!
//! | first | second | why |
//! |---|---|---|
//! | a request | its answer, its reply, its cancellation | it is caused by it |
//! | an answer to a question about a tool use, or its cancellation | the result of that tool use | it is caused by it |
//! | the first prompt | the start of the first turn | nothing runs before it |
//! | anything | the end of the CLI; a line of ours and the end of our input | nothing comes after it |
//! | the state `running` | `system/init` | a turn is announced when the CLI runs |
//! | `system/init` | a frame of the main conversation | the turn is announced first |
//! | a frame of the main conversation | the result | the turn is over then |
//! | the result | the state `idle` | the CLI is idle then |
//! | the state `idle` | the state `running`, before an init | as with `running` |
//! | a tool call of ours | a question about it | it is caused by it |
//! | a question about a tool call of ours, its answer, its cancellation | the reply to the call | it is caused by it |
//! | the state `requires_action` | a permission question | it says why |
//! | two events of one answer | | they nest; pieces of text have an order where the whole shows it |
//! | an event of an answer | a whole block of it | it comes before its block ends |
//! | the use of a tool | a question about it, its result | it is caused by it |
//! | the result of a tool use | the next request for an answer, or the answer | the model is told first |
//! | the reply to an interrupt | the result of the interrupted turn | it precedes it |
//! | the reply to `set_permission_mode` | the news of the mode | it precedes it |
//! | an MCP server's `notifications/initialized` | its `tools/list` | they are steps of a handshake |

use super::super::{
    facts::{Facts, content, is_made_up, is_main, is_prompt},
    scene::{Item, Scene, What},
};
use agentwire_testkit::{
    json::Json,
    recorded::{Recorded, Role},
};

/// Whether the protocol says that the first comes before the second.
pub(super) fn in_order(first: &Item, second: &Item, scene: &Scene, facts: &Facts) -> bool {
    match (&first.what, &second.what) {
        (_, What::End(_)) => !matches!(first.what, What::Stderr),
        (What::Ours(..), What::EndOfInput) => true,
        (What::Ours(_, Some(a)), What::Theirs(_, Some(b))) => ours_then_theirs(first, a, b, scene, facts),
        (What::Theirs(_, Some(a)), What::Ours(_, Some(b))) => {
            is_request(a) && a.id() == b.id() && is_response(b)
        }
        (What::Theirs(_, Some(a)), What::Theirs(_, Some(b))) => theirs(a, b, scene, facts),
        _ => false,
    }
}

fn ours_then_theirs(item: &Item, a: &Recorded, b: &Recorded, scene: &Scene, facts: &Facts) -> bool {
    let is_first_prompt = is_prompt(a) && facts.first_prompt == Some(item.line) && !facts.resumed;
    let is_caused = is_request(a) && is_response(b) && a.id() == b.id();
    let starts = is_system(b, "init") || state(b) == Some("running");
    let asks_about = is_request(a)
        && b.json.text_at(&["request", "tool_use_id"]).is_some_and(|tool_use| {
            facts.tool_calls.get(tool_use).is_some_and(|call| a.id() == Some(&call.id))
                && (is_question(b) || is_guard(b))
        });
    let settles_call = is_response(a) && is_about_call(a, b, scene, facts);
    is_caused
        || asks_about
        || settles_call
        || (is_first_prompt && starts)
        || (is_response(a) && settles(a, b, scene))
}

/// Whether a question, its answer or its cancellation is about the tool call of ours that the second is the reply to.
fn is_about_call(a: &Recorded, b: &Recorded, scene: &Scene, facts: &Facts) -> bool {
    let question = scene.theirs().find(|read| is_request(read) && read.id() == a.id());
    let tool_use = question.filter(|read| is_question(read) || is_guard(read));
    let tool_use = tool_use.and_then(|read| read.json.text_at(&["request", "tool_use_id"]));
    let call = tool_use.and_then(|tool_use| facts.tool_calls.get(tool_use));
    is_response(b) && call.is_some_and(|call| b.id() == Some(&call.id))
}

fn theirs(a: &Recorded, b: &Recorded, scene: &Scene, facts: &Facts) -> bool {
    is_about_call(a, b, scene, facts)
        || control(a, b, scene, facts)
        || turn(a, b, scene, facts)
        || stream(a, b, scene, facts)
        || tools(a, b, facts)
}

/// Ties of control frames.
fn control(a: &Recorded, b: &Recorded, scene: &Scene, facts: &Facts) -> bool {
    let asks = |subtype: &str| {
        let mut calls = scene
            .ours()
            .filter(|read| matches!(&read.role, Role::Request { subtype: s, .. } if **s == *subtype));
        is_response(a) && calls.any(|call| call.id() == a.id())
    };
    let is_aborted = b.json.text_at(&["terminal_reason"]).is_some_and(|why| why.starts_with("aborted"));
    let method =
        |read: &Recorded| read.json.text_at(&["request", "message", "method"]).unwrap_or_default().to_owned();
    let server =
        |read: &Recorded| read.json.text_at(&["request", "server_name"]).unwrap_or_default().to_owned();
    (is_request(a) && matches!(b.role, Role::Cancel { .. }) && a.id() == b.id())
        || (matches!(a.role, Role::Cancel { .. }) && settles(a, b, scene))
        || (facts.states && asks_first(a, scene) && is_question(b))
        || (asks("interrupt") && is_aborted)
        || (asks("set_permission_mode") && is_system(b, "status") && b.json.field("permissionMode").is_some())
        || (method(a) == "notifications/initialized" && method(b) == "tools/list" && server(a) == server(b))
}

/// Ties of a turn's frames.
fn turn(a: &Recorded, b: &Recorded, scene: &Scene, facts: &Facts) -> bool {
    let announced = facts.inits;
    let ends = b.kind() == "result";
    (facts.states && state(a) == Some("running") && is_system(b, "init"))
        || (facts.states && state(a) == Some("idle") && state(b) == Some("running") && follows_init(b, scene))
        || (is_system(a, "init")
            && ((is_frame(b) && !facts.tasks) || (ends && has_rounds(b) && !facts.tasks)))
        || (is_frame(a) && ends && announced && !facts.tasks)
        || (a.kind() == "result" && state(b) == Some("idle") && announced)
}

/// Ties of an answer that streams.
fn stream(a: &Recorded, b: &Recorded, scene: &Scene, facts: &Facts) -> bool {
    let of = |read: &Recorded| read.json.text_at(&["parent_tool_use_id"]).map(str::to_owned);
    if of(a) != of(b) {
        return false;
    }
    match (event(a), event(b)) {
        (Some("content_block_delta"), Some("content_block_delta")) => are_pieces(a, b, scene),
        (Some(a), Some(b)) => KNOWN.contains(&a) && KNOWN.contains(&b),
        (Some(event), None) => {
            let is_whole = b.kind() == "assistant" && !is_made_up(b) && !facts.tasks;
            (is_whole && KNOWN.contains(&event)) || (is_requesting(b) && event == "message_stop")
        }
        (None, Some(event)) => {
            let is_whole = a.kind() == "assistant" && !is_made_up(a) && !facts.tasks;
            (is_whole && KNOWN.contains(&event)) || (is_requesting(a) && event == "message_start")
        }
        (None, None) => false,
    }
}

/// Ties of tool uses.
fn tools(a: &Recorded, b: &Recorded, facts: &Facts) -> bool {
    let used = ids(a, "tool_use", "id");
    let asked = b.json.text_at(&["request", "tool_use_id"]).filter(|_| is_question(b) || is_guard(b));
    let settled = ids(a, "tool_result", "tool_use_id");
    let goes_on =
        is_requesting(b) || event(b) == Some("message_start") || (b.kind() == "assistant" && !is_made_up(b));
    asked.is_some_and(|id| used.iter().any(|used| used == id))
        || ids(b, "tool_result", "tool_use_id").iter().any(|id| used.contains(id))
        || (!settled.is_empty()
            && is_main(a)
            && is_main(b)
            && goes_on
            && !facts.tasks
            && a.json.field("isReplay").is_none())
            && !continues_its_own_answer(&settled, b, facts)
}

/// Whether the answer goes on that used the tool: its later blocks may come after the result of an earlier one.
fn continues_its_own_answer(settled: &[String], b: &Recorded, facts: &Facts) -> bool {
    let answer = b.json.text_at(&["message", "id"]).unwrap_or_default();
    settled.iter().any(|id| facts.answers.get(&**id).is_some_and(|of| **of == *answer))
}

/// Whether an answer or a cancellation settles a question about the tool use that the second brings the result of.
fn settles(a: &Recorded, b: &Recorded, scene: &Scene) -> bool {
    let question = scene.theirs().find(|read| is_request(read) && read.id() == a.id());
    let tool_use = question.filter(|read| is_question(read) || is_guard(read));
    let tool_use = tool_use.and_then(|read| read.json.text_at(&["request", "tool_use_id"]));
    tool_use.is_some_and(|id| ids(b, "tool_result", "tool_use_id").iter().any(|result| result == id))
}

/// Whether changing the places of two pieces changes a block that comes whole later.
fn are_pieces(a: &Recorded, b: &Recorded, scene: &Scene) -> bool {
    let piece = |read: &Recorded| {
        let names = ["text", "thinking", "partial_json"];
        let found = names
            .iter()
            .find_map(|name| read.json.text_at(&["event", "delta", name]).map(|text| (*name, text)));
        found.map(|(name, text)| (name, text.to_owned()))
    };
    let (Some((kind, a_text)), Some((other, b_text))) = (piece(a), piece(b)) else { return false };
    let place = |read: &Recorded| read.json.at(&["event", "index"]).and_then(Json::number).map(str::to_owned);
    if place(a) != place(b) {
        return true;
    }
    let is_shown = kind != "thinking" && scene.theirs().any(|read| shows(read, &a_text, &b_text, kind));
    kind == other && format!("{a_text}{b_text}") != format!("{b_text}{a_text}") && is_shown
}

/// Whether a whole block holds two pieces next to each other.
fn shows(read: &Recorded, a: &str, b: &str, kind: &str) -> bool {
    content(read).iter().any(|block| match block.field("input") {
        Some(input) if kind == "partial_json" => input.to_string().contains(&format!("{a}{b}")),
        _ => block.text_at(&["text"]).is_some_and(|text| text.contains(&format!("{a}{b}"))),
    })
}

fn ids(read: &Recorded, kind: &str, name: &str) -> Vec<String> {
    let blocks = content(read).iter().filter(|block| block.text_at(&["type"]) == Some(kind));
    blocks.filter_map(|block| block.text_at(&[name])).map(str::to_owned).collect()
}

/// A frame of the main conversation that belongs to a turn.
fn is_frame(read: &Recorded) -> bool {
    is_main(read)
        && match read.kind() {
            "stream_event" => event(read).is_some_and(|event| KNOWN.contains(&event)),
            "assistant" => !is_made_up(read),
            "user" => {
                !ids(read, "tool_result", "tool_use_id").is_empty() && read.json.field("isReplay").is_none()
            }
            _ => is_requesting(read),
        }
}

fn is_request(read: &Recorded) -> bool {
    matches!(read.role, Role::Request { .. })
}

fn is_response(read: &Recorded) -> bool {
    matches!(read.role, Role::Response { .. })
}

fn is_question(read: &Recorded) -> bool {
    matches!(&read.role, Role::Request { subtype, .. } if **subtype == *"can_use_tool")
        && read.json.at(&["request", "agent_id"]).is_none()
}

fn is_guard(read: &Recorded) -> bool {
    read.json.text_at(&["request", "input", "hook_event_name"]) == Some("PreToolUse")
        && read.json.at(&["request", "input", "agent_id"]).is_none()
}

fn is_system(read: &Recorded, subtype: &str) -> bool {
    read.kind() == "system" && read.subtype() == subtype
}

fn is_requesting(read: &Recorded) -> bool {
    is_system(read, "status") && read.json.text_at(&["status"]) == Some("requesting")
}

fn has_rounds(result: &Recorded) -> bool {
    let is_error = result.json.field("is_error").is_some_and(Json::is_true);
    !is_error && result.json.field("num_turns").and_then(Json::number).is_some_and(|rounds| rounds != "0")
}

fn state(read: &Recorded) -> Option<&str> {
    read.json.text_at(&["state"]).filter(|_| is_system(read, "session_state_changed"))
}

fn event(read: &Recorded) -> Option<&str> {
    read.json.text_at(&["event", "type"]).filter(|_| read.kind() == "stream_event")
}

/// Whether this is the state `requires_action`, and the state before it was another.
fn asks_first(a: &Recorded, scene: &Scene) -> bool {
    let before = scene.theirs().take_while(|read| !std::ptr::eq(*read, a)).filter_map(state).last();
    state(a) == Some("requires_action") && before != Some("requires_action")
}

/// Whether a turn is announced behind this news of the state.
fn follows_init(running: &Recorded, scene: &Scene) -> bool {
    let mut behind = scene
        .theirs()
        .skip_while(|read| read.json.span != running.json.span || state(read) != Some("running"));
    behind.any(|read| is_system(read, "init"))
}

/// The events of a stream that have a place.
const KNOWN: &[&str] = &[
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
];
