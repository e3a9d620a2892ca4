//! The real CLI resumes a stored session with as many messages as we read from it.
//!
//! The sessions are written here, with each shape of entries; the test counts the messages for the model.

use agentwire::Session;
use agentwire::protocol::session_info::{SessionMessage, SessionMessageKind};
use agentwire_sessions::{Page, Sessions, project_key};
use serde_json::{Value, json};

use super::place::{self, Place};

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn the_cli_resumes_with_the_messages_that_are_read() {
    let compaction = |kept: Value| {
        let start = [user("a", ""), answer("b", "a"), user("c", "b"), answer("d", "c")];
        let mut boundary =
            entry("system", "x", "", json!({"subtype": "compact_boundary", "content": "Compacted"}));
        boundary["compactMetadata"] = kept;
        let mut summary = user("s", "x");
        summary["isCompactSummary"] = true.into();
        [&start[..], &[boundary, summary, user("e", "s"), answer("f", "e")]].concat()
    };
    let start = [user("a", ""), answer("b", "a")];
    let fork = [
        user("c", "b"),
        answer("d", "c"),
        user("e", "d"),
        answer("f", "e"),
        user("g", "b"),
        answer("h", "g"),
    ];
    let fork = [&start[..], &fork].concat();
    let late = entry(
        "attachment",
        "z",
        "f",
        json!({"attachment": {"type": "date_change", "newDate": "2026-01-02"}}),
    );
    let mut aside = [user("x", "b"), answer("y", "x"), user("w", "y"), answer("v", "w")];
    aside.iter_mut().for_each(|entry| entry["isSidechain"] = true.into());
    let calls = [call("c", "b", "1"), call("d", "c", "2"), call("e", "d", "3")];
    let results = [result("f", "c", "1"), result("g", "e", "3"), result("h", "d", "2"), answer("i", "h")];
    let queued = json!({"attachment": {"type": "queued_command", "prompt": "more", "commandMode": "prompt"}});
    let queued =
        [call("c", "a", "1"), result("d", "c", "1"), entry("attachment", "q", "d", queued), answer("e", "q")];
    let kept = |name: &str, what: Value| compaction(json!({"trigger": "auto", name: what}));
    let shapes = [
        ("plain", start.to_vec()),
        ("fork", fork.clone()),
        ("an attachment, late, behind the older branch", [&fork[..], &[late]].concat()),
        ("a sidechain", [&start[..], &aside].concat()),
        ("calls in parallel", [&start[..], &[user("b2", "b")], &rooted(&calls), &results].concat()),
        ("a queued prompt", [&start[..1], &queued].concat()),
        ("compaction", compaction(json!({"trigger": "auto"}))),
        (
            "kept messages",
            kept("preservedMessages", json!({"anchorUuid": id("s"), "uuids": [id("c"), id("d")]})),
        ),
        (
            "a kept segment",
            kept(
                "preservedSegment",
                json!({"anchorUuid": id("s"), "headUuid": id("c"), "tailUuid": id("d")}),
            ),
        ),
        (
            "kept messages that are gone",
            kept("preservedMessages", json!({"anchorUuid": id("s"), "uuids": [id("9")]})),
        ),
    ];
    for (name, entries) in shapes {
        resume(name, &entries).await;
    }
}

/// The first call comes after the prompt before it.
fn rooted(calls: &[Value]) -> Vec<Value> {
    let mut calls = calls.to_vec();
    calls[0]["parentUuid"] = id("b2").into();
    calls
}

async fn resume(name: &str, entries: &[Value]) {
    let place = Place::new().await;
    let project = place.file("project");
    let folder = place.file("home/.claude/projects").join(project_key(&project));
    std::fs::create_dir_all(&folder).unwrap();
    let mut text: String = entries.iter().map(|entry| format!("{entry}\n")).collect();
    text.push_str(r#"{"type":"user","uuid":"half"#);
    std::fs::write(folder.join(format!("{SESSION}.jsonl")), text).unwrap();
    let sessions = Sessions::at(place.file("home/.claude")).in_project(&project);
    let read = sessions.messages(&SESSION.into(), Page::ALL).unwrap().unwrap();
    let options = place.in_project().resume(SESSION);
    place::turn(Session::builder().options(options), "Go on.").await;
    let requests = place.model.requests();
    let request = requests.iter().find(|request| request.tools).unwrap();
    // The CLI inserts messages of its own where the model allows that.
    let messages = request.roles.iter().filter(|role| &***role != "system").count();
    assert_eq!((messages, request.tool_results), (turns(&read) + 1, results(&read)), "{name}: {read:?}");
}

/// Returns the number of messages for the model, which joins consecutive messages of one side.
fn turns(read: &[SessionMessage]) -> usize {
    let kinds: Vec<_> = read.iter().map(|message| message.kind == SessionMessageKind::User).collect();
    kinds.chunk_by(|a, b| a == b).count()
}

fn results(read: &[SessionMessage]) -> usize {
    read.iter().filter(|message| message.message.as_str().contains(r#""tool_result""#)).count()
}

/// Returns an entry with a short name, and the name of its parent.
fn entry(kind: &str, name: &str, before: &str, beside: Value) -> Value {
    let parent = (!before.is_empty()).then(|| id(before));
    let mut entry = json!({
        "parentUuid": parent, "isSidechain": false, "userType": "external", "cwd": "/", "sessionId": SESSION,
        "version": "2.1.330", "gitBranch": "", "type": kind, "uuid": id(name), "timestamp": "2026-01-01T00:00:00.000Z",
    });
    entry.as_object_mut().unwrap().extend(beside.as_object().unwrap().clone());
    entry
}

fn user(name: &str, before: &str) -> Value {
    entry("user", name, before, json!({"message": {"role": "user", "content": name}}))
}

fn assistant(name: &str, before: &str, response: &str, content: Value) -> Value {
    let message = json!({
        "id": response, "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": [content],
        "stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 1},
    });
    entry("assistant", name, before, json!({"message": message}))
}

fn answer(name: &str, before: &str) -> Value {
    assistant(name, before, &format!("msg_{name}"), json!({"type": "text", "text": name}))
}

/// Returns one of the calls of a response.
fn call(name: &str, before: &str, number: &str) -> Value {
    let call = json!({"type": "tool_use", "id": format!("toolu_{number}"), "name": "Read", "input": {"file_path": number}});
    assistant(name, before, "msg_calls", call)
}

fn result(name: &str, before: &str, number: &str) -> Value {
    let content =
        json!([{"type": "tool_result", "tool_use_id": format!("toolu_{number}"), "content": "done"}]);
    entry(
        "user",
        name,
        before,
        json!({"message": {"role": "user", "content": content}, "toolUseResult": "done"}),
    )
}

/// Returns a UUID for a short name.
fn id(name: &str) -> String {
    let number = name.bytes().fold(0_u64, |number, byte| number * 256 + u64::from(byte));
    format!("0b0e7a3e-57a1-4a4c-8d3f-{number:012x}")
}

const SESSION: &str = "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11";
