//! Why a message may be missing, or its tail, and nobody can tell.

use super::super::{
    facts::{Facts, content, has_content, has_rounds, is_main, is_plain_success, is_prompt},
    scene::{Item, Scene, What},
};
use agentwire_testkit::{
    json::Json,
    recorded::{Recorded, Role},
};

/// Why nothing tells that this message is missing.
pub(super) fn message(at: usize, scene: &Scene, facts: &Facts) -> Option<&'static str> {
    let read = scene.items.get(at)?.theirs()?;
    if facts.tasks {
        return Some("frames of several conversations mix");
    }
    match (read.kind(), read.subtype()) {
        ("system", "init") => (!turn_ends_well(at, scene)).then_some("a turn without a round of the model"),
        ("system", "session_state_changed") => state(at, scene, facts),
        ("system", "status") if read.json.text_at(&["status"]) == Some("requesting") => request(at, scene),
        ("stream_event", _) => event(at, read, scene),
        ("assistant", _) => block(at, read, scene),
        ("user", _) => tool_result(at, read, scene),
        _ => Some("the protocol does not say when such news comes"),
    }
}

/// Why nothing tells that this request of ours is missing.
pub(super) fn call(at: usize, scene: &Scene) -> Option<&'static str> {
    let id = scene.items.get(at)?.ours()?.id()?;
    let mut behind = behind(at, scene);
    let is_named = behind.any(|item| item.ours().or(item.theirs()).and_then(Recorded::id) == Some(id));
    (!is_named).then_some("a request that has no reply leaves no trace")
}

/// Why nothing tells that all that follows this line is missing.
pub(super) fn tail(at: usize, scene: &Scene, facts: &Facts) -> Option<&'static str> {
    let (mut turn, mut busy, mut closed) = (false, false, false);
    let mut open: Vec<(&str, Option<&Json>)> = Vec::new();
    for item in scene.items.iter().take(at + 1) {
        match &item.what {
            What::Ours(_, Some(read)) | What::Theirs(_, Some(read)) => {
                match &read.role {
                    Role::Request { id, .. } if !scene.bare => {
                        let message = read.json.at(&["request", "message"]);
                        let cancelled = message.and_then(|message| message.at(&["params", "requestId"]));
                        open.retain(|(_, call)| !cancelled.zip(*call).is_some_and(|(a, b)| a.same(b)));
                        if !(closed && item.theirs().is_some()) {
                            open.push((id, message.and_then(|message| message.field("id"))));
                        }
                    }
                    Role::Response { id } | Role::Cancel { id } => open.retain(|(open, _)| **open != **id),
                    _ => {}
                }
                let asks = |read: &Recorded| is_prompt(read) && (!facts.faults || has_content(read));
                let starts = item.ours().is_some_and(asks)
                    || item.theirs().is_some_and(|read| is_system(read, "init"));
                turn = (turn || starts) && read.kind() != "result";
                if is_system(read, "session_state_changed") {
                    busy = read.json.text_at(&["state"]) != Some("idle");
                }
            }
            // Nothing can be answered from here on; only our own requests stay open.
            What::EndOfInput => {
                closed = true;
                let must_have_reply = |read: &Recorded, id: &str| is_call(read, id) && !is_tool_call(read);
                open.retain(|(id, _)| scene.ours().any(|read| must_have_reply(read, id)));
            }
            _ => {}
        }
    }
    (!turn && !busy && open.is_empty()).then_some("nothing was open, so the recording may have ended there")
}

fn state(at: usize, scene: &Scene, facts: &Facts) -> Option<&'static str> {
    let is_state = |item: &Item| item.theirs().is_some_and(|read| is_system(read, "session_state_changed"));
    let asks = |item: &&Item| {
        item.theirs().is_some_and(|read| read.json.text_at(&["state"]) == Some("requires_action"))
    };
    let before = scene.items.iter().take(at).rev().find(|item| is_state(item));
    if before.filter(asks).and(behind(at, scene).find(|item| is_state(item)).filter(asks)).is_some() {
        return Some("two questions may be open together, and nothing tells that they were not");
    }
    let told = |item: Option<&Item>| {
        item.and_then(Item::theirs).and_then(|read| read.json.text_at(&["state"])).map(str::to_owned)
    };
    let next = behind(at, scene).find(|item| is_state(item));
    if !facts.tool_calls.is_empty() {
        let own = told(scene.items.get(at));
        if own == told(before) || own == told(next) {
            return Some("questions about calls of ours end each with a state, which may be the same");
        }
        if next.is_some_and(|next| asks(&next)) || before.is_some_and(|before| asks(&before)) {
            return Some("calls of ours are asked about inside and outside of turns");
        }
    }
    let is_last = !behind(at, scene).any(is_state);
    let is_first = !scene.items.iter().take(at).any(is_state);
    if is_last && is_first {
        return Some("it is the only state that is told");
    }
    if is_last && (facts.stopped || facts.stderr || !facts.ended_well()) {
        return Some("a CLI that is cut off need not become idle");
    }
    if is_first && (facts.resumed || scene.bare) {
        return Some("what came before is not there");
    }
    (facts.interrupted || facts.stopped).then_some("a question that is interrupted may end as idle")
}

fn request(at: usize, scene: &Scene) -> Option<&'static str> {
    let is_requesting = |read: &&Recorded| read.json.text_at(&["status"]) == Some("requesting");
    if scene.theirs().filter(is_requesting).count() == 1 {
        return Some("it is the only request that is told");
    }
    let next = behind(at, scene).filter_map(Item::theirs).find(|read| {
        is_requesting(read)
            || read.kind() == "result"
            || is_system(read, "api_retry")
            || (is_event(read, "message_start") && is_main(read))
    });
    let starts = next.is_some_and(|read| is_event(read, "message_start"));
    (!starts).then_some("no answer starts behind it, or only after it was tried again")
}

fn event(at: usize, read: &Recorded, scene: &Scene) -> Option<&'static str> {
    let same = |other: &&Recorded| {
        other.json.text_at(&["parent_tool_use_id"]) == read.json.text_at(&["parent_tool_use_id"])
    };
    let mut rest = behind(at, scene).filter_map(Item::theirs).filter(same);
    let kind = read.json.text_at(&["event", "type"]).unwrap_or_default();
    match kind {
        "content_block_delta" => {
            let names = ["text", "thinking", "partial_json", "signature"];
            let said = names.iter().find_map(|name| read.json.text_at(&["event", "delta", name]));
            if said.is_none_or(str::is_empty) {
                return Some("a piece that says nothing");
            }
            let next = rest.find(|read| {
                read.kind() == "assistant" || read.kind() == "result" || is_event(read, "content_block_stop")
            });
            let is_whole = next.is_some_and(|read| read.kind() == "assistant");
            (!is_whole).then_some("its block never comes whole")
        }
        "message_start" | "content_block_start" => {
            let next = rest.find(|read| read.kind() == "stream_event" || read.kind() == "result");
            let goes_on = next.is_some_and(|read| read.kind() == "stream_event");
            (!goes_on).then_some("nothing follows of the answer")
        }
        "message_delta" if is_abandoned(at, scene) => Some("an answer that is cut off need not be summed up"),
        "content_block_stop" | "message_delta" | "message_stop" => {
            let next = rest.find(|read| {
                ["stream_event", "result"].contains(&read.kind()) || is_system(read, "api_retry")
            });
            let is_retried = next.is_some_and(|read| is_system(read, "api_retry"));
            let goes_on = next.is_some_and(|read| read.kind() == "stream_event");
            let must_close = goes_on || (!is_retried && turn_ends_well(at, scene));
            (!must_close).then_some("an answer that is cut off need not be closed")
        }
        _ => Some("an event that has no place"),
    }
}

/// Whether the answer that goes on here is cut off by the CLI.
fn is_abandoned(at: usize, scene: &Scene) -> bool {
    let stop = behind(at, scene).filter_map(Item::theirs).find(|read| is_event(read, "message_stop"));
    stop.is_some_and(|read| read.json.field("abandoned_blocks").is_some())
}

fn block(at: usize, read: &Recorded, scene: &Scene) -> Option<&'static str> {
    if !is_main(read) {
        return Some("frames of an agent may be left out");
    }
    let ids: Vec<_> = content(read).iter().filter_map(|block| block.text_at(&["id"])).collect();
    let names = |item: &Item| {
        item.theirs().is_some_and(|read| {
            let mut results = content(read).iter().filter_map(|block| block.text_at(&["tool_use_id"]));
            results.any(|id| ids.contains(&id))
        })
    };
    if behind(at, scene).any(names) {
        return None;
    }
    let is_text = content(read).last().is_some_and(|block| block.text_at(&["text"]).is_some());
    let mut rest = behind(at, scene).filter_map(Item::theirs);
    let is_last = rest.find(|read| (read.kind() == "assistant" && is_main(read)) || read.kind() == "result");
    if is_text && is_last.is_some_and(|read| read.kind() == "result" && is_plain_success(read)) {
        return None;
    }
    let is_closed = behind(at, scene).filter_map(Item::theirs).find_map(|read| match read.kind() {
        "stream_event" if is_event(read, "message_stop") => Some(true),
        "stream_event" if is_event(read, "message_start") => Some(false),
        "result" => Some(false),
        _ => None,
    });
    let has_started = scene.items.iter().take(at).rev().filter_map(Item::theirs);
    let has_started = has_started
        .take_while(|read| !is_event(read, "message_stop") && read.kind() != "result")
        .any(|read| is_event(read, "message_start"));
    (!(is_closed == Some(true) && has_started))
        .then_some("a block that neither streams to its end, nor is a tool's, nor the last text")
}

fn tool_result(at: usize, read: &Recorded, scene: &Scene) -> Option<&'static str> {
    if !content(read).iter().any(|block| block.text_at(&["type"]) == Some("tool_result")) {
        return Some("an echo, or words to the model that nothing refers to");
    }
    if !is_main(read) {
        return Some("frames of an agent may be left out");
    }
    let mut rest = behind(at, scene).filter_map(Item::theirs).take_while(|read| read.kind() != "result");
    let goes_on = rest.any(|read| read.kind() == "assistant" && is_main(read));
    (!goes_on && !turn_ends_well(at, scene)).then_some("a turn that is cut off leaves its tools open")
}

fn turn_ends_well(at: usize, scene: &Scene) -> bool {
    let result = behind(at, scene).filter_map(Item::theirs).find(|read| read.kind() == "result");
    result.is_some_and(|read| is_plain_success(read) && has_rounds(read))
}

fn behind(at: usize, scene: &Scene) -> impl Iterator<Item = &Item> {
    scene.items.iter().skip(at + 1)
}

fn is_call(read: &Recorded, id: &str) -> bool {
    matches!(&read.role, Role::Request { id: own, .. } if **own == *id)
}

/// The CLI drops the tool calls that run when our input ends.
fn is_tool_call(read: &Recorded) -> bool {
    matches!(&read.role, Role::Request { subtype, .. } if **subtype == *"mcp_call")
}

fn is_system(read: &Recorded, subtype: &str) -> bool {
    read.kind() == "system" && read.subtype() == subtype
}

fn is_event(read: &Recorded, kind: &str) -> bool {
    read.kind() == "stream_event" && read.json.text_at(&["event", "type"]) == Some(kind)
}
