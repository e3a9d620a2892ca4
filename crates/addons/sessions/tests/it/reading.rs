//! Tests of conversations: which entries they contain, and in which order.

use std::fs;
use std::time::Duration;

use agentwire_protocol::session_info::SessionMessageKind;
use agentwire_sessions::{Page, RawEntry, conversation, conversation_with_system};
use serde_json::{Value, json};

use crate::cpu;
use crate::written::{Config, id, raw, user};

/// Returns an entry of this kind with an id, a parent and other fields.
fn entry(kind: &str, uuid: &str, parent: Option<&str>, beside: Value) -> Value {
    let mut entry =
        json!({"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": id(1), "timestamp": uuid});
    entry.as_object_mut().unwrap().extend(beside.as_object().unwrap().clone());
    entry
}

fn assistant(uuid: &str, parent: &str, response: &str, content: Value) -> Value {
    let message = json!({"role": "assistant", "id": response, "content": [content]});
    entry("assistant", uuid, Some(parent), json!({"message": message}))
}

fn call(call: &str) -> Value {
    json!({"type": "tool_use", "id": call, "name": "Read", "input": {}})
}

fn result(uuid: &str, parent: &str, call: &str) -> Value {
    let content = json!([{"type": "tool_result", "tool_use_id": call, "content": ""}]);
    entry("user", uuid, Some(parent), json!({"message": {"role": "user", "content": content}}))
}

fn answer(uuid: &str, parent: &str) -> Value {
    assistant(uuid, parent, uuid, json!({"type": "text", "text": uuid}))
}

/// Returns the ids of the conversation's messages.
fn read(entries: &[Value]) -> String {
    let messages = conversation(&raw(entries));
    messages.iter().map(|message| message.uuid.as_str()).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_conversation_ends_with_the_last_written_message() {
    let u = |uuid: &str, parent: &str| user(uuid, Some(parent), uuid);
    assert_eq!(read(&[user("a", None, "a"), answer("b", "a"), u("c", "b"), answer("d", "c")]), "a b c d");
    // A branch: rewinds to `b`, and continues from there.
    assert_eq!(
        read(&[user("a", None, "a"), answer("b", "a"), u("c", "b"), u("e", "b"), answer("f", "e")]),
        "a b e f"
    );
    let aside = |mut entry: Value, flag: &str| {
        entry[flag] = true.into();
        entry
    };
    let start = [user("a", None, "a"), answer("b", "a")];
    for flag in ["isSidechain", "teamName"] {
        let entries = [&start[..], &[aside(u("c", "b"), flag), aside(answer("d", "c"), flag)]].concat();
        assert_eq!(read(&entries), "a b", "{flag}");
    }
    assert_eq!(read(&[&start[..], &[aside(u("c", "b"), "isMeta"), answer("d", "c")]].concat()), "a b d");
    let with_progress =
        [entry("progress", "p", Some("b"), json!({})), entry("system", "s", Some("b"), json!({}))];
    assert_eq!(read(&[&start[..], &with_progress].concat()), "a b");
    assert_eq!(read(&[aside(u("a", "z"), "isSidechain"), aside(u("b", "a"), "isSidechain")]), "");
    assert_eq!(read(&[]), "");
    // A cycle, and a repeated id.
    assert_eq!(read(&[u("a", "b"), u("b", "a"), u("c", "b")]), "a b c");
    assert_eq!(read(&[user("a", None, "a"), u("b", "a"), u("b", "x")]), "b");
}

#[test]
fn parallel_calls_are_included_with_their_results() {
    let entries = [
        user("a", None, "a"),
        assistant("b", "a", "r", call("1")),
        assistant("c", "b", "r", call("2")),
        assistant("d", "c", "r", call("3")),
        result("e", "b", "1"),
        result("f", "d", "3"),
        result("g", "c", "2"),
        answer("h", "g"),
    ];
    assert_eq!(read(&entries), "a b c d e f g h");
    // A result with a parent that is not its call.
    let stray = [&entries[..6], &[result("g", "a", "2"), answer("h", "f")]].concat();
    assert_eq!(read(&stray), "a b c d e g f h");
}

#[test]
fn after_a_compaction_the_summary_and_kept_messages_are_included() {
    let mut summary = user("s", Some("x"), "summary");
    summary["isCompactSummary"] = true.into();
    let boundary = |kept: Value| {
        entry("system", "x", None, json!({"subtype": "compact_boundary", "compactMetadata": kept}))
    };
    let start = [user("a", None, "a"), answer("b", "a"), user("c", Some("b"), "c"), answer("d", "c")];
    let rest = [summary, user("e", Some("s"), "e"), answer("f", "e")];
    let whole = |kept| read(&[&start[..], &[boundary(kept)], &rest].concat());
    assert_eq!(whole(json!({"trigger": "auto"})), "s e f");
    assert_eq!(whole(json!({"preservedMessages": {"anchorUuid": "s", "uuids": ["c", "d"]}})), "s c d e f");
    assert_eq!(
        whole(json!({"preservedSegment": {"anchorUuid": "s", "headUuid": "c", "tailUuid": "d"}})),
        "s c d e f"
    );
    assert_eq!(whole(json!({"preservedMessages": {"anchorUuid": "s", "uuids": ["c", "gone"]}})), "s e f");
}

#[test]
fn time_does_not_grow_with_compactions_times_messages() {
    const MANY: usize = 30_000;
    let parse = |text: String| RawEntry::parse(text).unwrap();
    let mut entries = ["a", "b", "h"].map(|id| parse(user(id, None, id).to_string())).to_vec();
    // Each moves the followers of one message behind the other.
    let compactions = [("a", "b"), ("b", "a")].into_iter().cycle().take(MANY + 1).enumerate();
    entries.extend(compactions.map(|(number, (anchor, tail))| {
        parse(format!(
            r#"{{"type":"system","uuid":"x{number}","compactMetadata":{{"preservedSegment":{{"anchorUuid":"{anchor}","headUuid":"h","tailUuid":"{tail}"}}}}}}"#
        ))
    }));
    entries.extend(
        (0..MANY)
            .map(|at| parse(format!(r#"{{"type":"user","uuid":"u{at}","parentUuid":"a","message":{{}}}}"#))),
    );
    let started = cpu::time();
    let ids: Vec<_> = conversation(&entries).into_iter().map(|message| message.uuid.to_string()).collect();
    assert_eq!(ids, ["b", "u29999"]);
    let spent = cpu::time() - started;
    assert!(spent < Duration::from_secs(20), "{spent:?}");
}

#[test]
fn queued_prompts_taken_by_a_turn_are_included() {
    let queued = |uuid: &str, parent: &str, beside: Value| {
        let mut attachment = json!({"type": "queued_command", "prompt": [{"type": "text", "text": "more"}]});
        attachment.as_object_mut().unwrap().extend(beside.as_object().unwrap().clone());
        entry("attachment", uuid, Some(parent), json!({"attachment": attachment}))
    };
    let turn = |attachment: Value, next: Value| {
        read(&[user("a", None, "a"), answer("b", "a"), attachment, answer("d", "c"), next])
    };
    let (plain, next) = (queued("c", "b", json!({})), user("e", Some("d"), "e"));
    assert_eq!(turn(plain.clone(), next.clone()), "a b c d e");
    assert_eq!(turn(queued("c", "b", json!({"source_uuid": "q"})), next.clone()), "a b q d e");
    assert_eq!(turn(queued("c", "b", json!({"isMeta": true})), next.clone()), "a b d e");
    let forwarded = json!({"forwardedIntent": {"lineage": "l", "source": "owner"}});
    assert_eq!(turn(queued("c", "b", forwarded), next.clone()), "a b d e");
    // The prompt is repeated as a prompt of its own.
    assert_eq!(turn(queued("c", "b", json!({"source_uuid": "e"})), next), "a b d e");
    assert_eq!(
        read(&[user("a", None, "a"), answer("b", "a"), plain.clone(), user("e", Some("c"), "e")]),
        "a b e"
    );
    // The prompt is still queued.
    assert_eq!(read(&[user("a", None, "a"), answer("b", "a"), plain]), "a b c");
    // The record in the queue takes precedence.
    let noted = |uuid: &str| json!({"type": "queue-operation", "operation": "remove", "reason": "absorbed_mid_turn", "commandUuid": uuid});
    let attachment = queued("c", "b", json!({"source_uuid": "q"}));
    let entries = [user("a", None, "a"), answer("b", "a"), attachment, user("e", Some("c"), "e"), noted("q")];
    assert_eq!(read(&entries), "a b q e");
    assert_eq!(read(&entries[..4]), "a b e");
    let prompt = &conversation(&raw(&entries))[2];
    let message: Value = serde_json::from_str(prompt.message.as_str()).unwrap();
    assert_eq!(message, json!({"role": "user", "content": [{"text": "more", "type": "text"}]}));
}

#[test]
fn incomplete_lines_and_invalid_utf8_are_skipped_alone() {
    let config = Config::new();
    let path = config.write("/w", &id(1), 10, &[user("a", None, "a"), answer("b", "a")]);
    let mut text = fs::read(&path).unwrap();
    text.extend(b"{\"type\":\"user\",\"uuid\":\"c\",\"parentUuid\":\"b\",\"message\":{\"content\":\"\xff\"}}\n\xff\xfe\n[1]\n");
    text.extend(b"{\"type\":\"user\",\"uuid\":\"d\",\"parentU");
    fs::write(&path, text).unwrap();
    let ids = |page| -> Vec<String> {
        let messages = config.sessions().messages(&id(1).into(), page).unwrap().unwrap();
        messages.into_iter().map(|message| message.uuid.to_string()).collect()
    };
    assert_eq!(ids(Page::ALL), ["a", "b", "c"]);
    assert_eq!(ids(Page::first(1).after(1)), ["b"]);
    assert!(config.sessions().messages(&id(2).into(), Page::ALL).unwrap().is_none());
}

#[test]
fn the_conversations_of_subagents_are_read() {
    let config = Config::new();
    let path = config.write("/w", &id(1), 10, &[user("a", None, "a")]);
    let folder = path.with_extension("").join("subagents");
    let nested = folder.join("workflows/run");
    fs::create_dir_all(&nested).unwrap();
    let entries = format!("{}\n{}\n", user("x", None, "x"), answer("y", "x"));
    for file in [folder.join("agent-1.jsonl"), nested.join("agent-2.jsonl"), folder.join("other.jsonl")] {
        fs::write(file, &entries).unwrap();
    }
    let metadata = r#"{"toolUseId":"toolu_1","parentAgentId":"0","description":"lone \ud83d"}"#;
    fs::write(folder.join("agent-1.meta.json"), metadata).unwrap();
    assert_eq!(config.sessions().subagents(&id(1).into()).unwrap().unwrap(), ["1", "2"]);
    let messages = |agent| config.sessions().subagent_messages(&id(1).into(), agent, Page::ALL).unwrap();
    let first = messages("1").unwrap();
    assert_eq!((first.len(), first[1].uuid.as_str()), (2, "y"));
    assert_eq!(first[0].parent_tool_use_id.as_ref().unwrap().as_str(), "toolu_1");
    assert_eq!(first[0].parent_agent_id.as_deref(), Some("0"));
    assert_eq!(messages("2").unwrap()[0].parent_tool_use_id, None);
    let long = format!(r#"{{"toolUseId":"toolu_2"{}}}"#, " ".repeat(1 << 20));
    fs::write(nested.join("agent-2.meta.json"), long).unwrap();
    assert_eq!(messages("2").unwrap()[0].parent_tool_use_id, None, "the file is too long to be read");
    assert!(messages("3").is_none() && messages("../x").is_none());
    assert!(config.sessions().subagents(&id(2).into()).unwrap().is_none());
}

#[test]
fn later_prompts_to_a_subagent_are_included() {
    let config = Config::new();
    let path = config.write("/w", &id(1), 10, &[user("a", None, "a")]);
    let folder = path.with_extension("").join("subagents");
    fs::create_dir_all(&folder).unwrap();
    let prompt = |uuid: &str, parent: &str, source: &str, meta: bool| {
        let attachment =
            json!({"type": "queued_command", "prompt": "more", "source_uuid": source, "isMeta": meta});
        entry("attachment", uuid, Some(parent), json!({"attachment": attachment}))
    };
    let entries = [
        user("a", None, "a"),
        answer("b", "a"),
        prompt("c", "b", "q", false),
        prompt("d", "c", "r", true),
        answer("e", "d"),
    ];
    let lines: Vec<_> = entries.iter().map(Value::to_string).collect();
    fs::write(folder.join("agent-1.jsonl"), lines.join("\n")).unwrap();
    fs::write(folder.join("agent-1.meta.json"), r#"{"toolUseId":"toolu_1"}"#).unwrap();
    let messages = config.sessions().subagent_messages(&id(1).into(), "1", Page::ALL).unwrap().unwrap();
    let ids: Vec<_> = messages.iter().map(|message| message.uuid.as_str()).collect();
    assert_eq!(ids, ["a", "b", "q", "r", "e"]);
    assert_eq!(messages[2].parent_tool_use_id.as_ref().unwrap().as_str(), "toolu_1");
}

#[test]
fn messages_that_others_sent_are_included() {
    for kind in ["channel", "peer", "slack-ping", "voice-call", "observer", "observer-activity", "other"] {
        let origin = json!({"kind": kind});
        let mut sent = user("c", Some("b"), "ping");
        sent["isMeta"] = true.into();
        sent["origin"] = origin.clone();
        let attachment =
            json!({"type": "queued_command", "prompt": "ping", "isMeta": true, "origin": origin});
        let queued = entry("attachment", "c", Some("b"), json!({"attachment": attachment}));
        for entry in [sent, queued] {
            let wanted = if kind == "other" { "a b d" } else { "a b c d" };
            assert_eq!(
                read(&[user("a", None, "a"), answer("b", "a"), entry, answer("d", "c")]),
                wanted,
                "{kind}"
            );
        }
    }
}

#[test]
fn the_end_of_a_turn_without_an_answer_is_left_out() {
    let mut wake = user("c", Some("b"), "wake");
    wake["isMeta"] = true.into();
    for (text, expected) in [("", "a b e"), ("No response requested.", "a b e"), ("An answer.", "a b d e")] {
        let mut quiet = assistant("d", "c", "d", json!({"type": "text", "text": text}));
        quiet["closesQuietTurn"] = true.into();
        let entries =
            [user("a", None, "a"), answer("b", "a"), wake.clone(), quiet, user("e", Some("d"), "e")];
        assert_eq!(read(&entries), expected);
        assert_eq!(read(&entries[..4]), expected.trim_end_matches(" e"));
    }
}

#[test]
fn talk_of_a_voice_call_is_included() {
    let talk = |beside: Value| {
        let mut talk =
            entry("system", "c", Some("b"), json!({"subtype": "voice_call_talk", "content": "hello"}));
        talk["origin"] = json!({"kind": "voice-call"});
        talk.as_object_mut().unwrap().extend(beside.as_object().unwrap().clone());
        [user("a", None, "a"), answer("b", "a"), talk, answer("d", "c")]
    };
    let command = json!({"source_uuid": "q", "isMeta": true});
    for (beside, uuid, content) in [
        (json!({"isMeta": true}), "c", json!("hello")),
        (json!({"blocks": [{"type": "text", "text": "b"}]}), "c", json!([{"type": "text", "text": "b"}])),
        (json!({"fold": {"command": command}}), "q", json!("hello")),
    ] {
        let entries = raw(&talk(beside));
        let messages = conversation(&entries);
        assert_eq!((messages.len(), messages[2].uuid.as_str()), (4, uuid));
        assert_eq!(messages[2].kind, SessionMessageKind::User);
        let message: Value = messages[2].message.decode().unwrap();
        assert_eq!(message, json!({"role": "user", "content": content}));
        assert_eq!(conversation_with_system(&entries), messages);
    }
    for damaged in [json!({"content": 1}), json!({"origin": {"kind": "other"}}), json!({"fold": {}})] {
        assert_eq!(read(&talk(damaged)), "a b d");
    }
}

/// Regression test: each message before a compaction caused a walk to the start.
#[test]
fn a_long_session_that_was_compacted_is_read_in_time() {
    let mut entries = vec![user("0", None, "x")];
    for number in 1..40_000 {
        entries.push(user(&number.to_string(), Some(&(number - 1).to_string()), "x"));
    }
    let boundary = json!({"subtype": "compact_boundary", "compactMetadata": {"trigger": "auto"}});
    entries.push(entry("system", "b", None, boundary));
    entries.push(user("s", Some("b"), "summary"));
    let entries = raw(&entries);
    let started = cpu::time();
    assert_eq!(conversation(&entries).len(), 1);
    let spent = cpu::time() - started;
    assert!(spent < Duration::from_secs(20), "{spent:?}");
}

#[test]
fn too_deep_values_do_not_drop_the_entry() {
    let deep = format!("{}1{}", "[".repeat(500), "]".repeat(500));
    let texts = [
        user("a", None, "one").to_string(),
        format!(
            r#"{{"type":"attachment","uuid":"b","parentUuid":"a","attachment":{{"n":1e999,"deep":{deep}}}}}"#
        ),
        assistant("c", "b", "m", json!({"type": "text", "text": "two"})).to_string(),
    ];
    let entries: Vec<_> = texts.into_iter().map(|text| RawEntry::parse(text).unwrap()).collect();
    assert_eq!(conversation(&entries).len(), 2);
}

#[test]
fn system_entries_are_read_on_request() {
    let config = Config::new();
    let boundary = json!({"subtype": "compact_boundary", "content": "compacted"});
    let meta = json!({"subtype": "informational", "isMeta": true});
    let entries = [
        user("a", None, "a"),
        entry("system", "s", None, boundary),
        user("b", Some("s"), "b"),
        entry("system", "m", Some("b"), meta),
        entry("system", "n", Some("m"), json!({"subtype": "informational"})),
        answer("c", "n"),
    ];
    config.write("/w", &id(1), 10, &entries);
    let messages = config.sessions().messages_with_system(&id(1).into(), Page::ALL).unwrap().unwrap();
    let ids: Vec<_> = messages.iter().map(|message| message.uuid.as_str()).collect();
    assert_eq!(ids, ["s", "b", "n", "c"]);
    assert_eq!(messages[0].kind, SessionMessageKind::System);
    assert_eq!(messages[0].message.as_str(), "null");
    assert_eq!(conversation_with_system(&raw(&entries)), messages);
    assert_eq!(read(&entries), "b c");
}

#[test]
fn of_repeated_fields_the_last_counts() {
    let entries = [
        r#"{"type":"system","type":"user","uuid":"x","uuid":"a","message":1,"message":{"role":"user","content":"a"}}"#,
        r#"{"type":"assistant","uuid":"b","parentUuid":"x","parentUuid":"a","message":{"id":"r","id":"q","content":[],"content":[{"type":"text","type":"tool_use","id":"c","id":"d"}]}}"#,
        r#"{"type":"user","uuid":"e","parentUuid":"b","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","tool_use_id":"d"}]}}"#,
        r#"{"type":"attachment","uuid":"f","parentUuid":"e","attachment":1,"attachment":{"type":"queued_command","prompt":"x","prompt":"more"}}"#,
        r#"{"type":"assistant","uuid":"g","parentUuid":"f","message":{"id":"r","content":[]}}"#,
    ];
    let entries: Vec<_> = entries.iter().map(|text| RawEntry::parse(*text).unwrap()).collect();
    let messages = conversation(&entries);
    let ids: Vec<_> = messages.iter().map(|message| message.uuid.as_str()).collect();
    assert_eq!(ids, ["a", "b", "e", "f", "g"]);
    assert_eq!(messages[0].message.as_str(), r#"{"role":"user","content":"a"}"#);
    assert_eq!(messages[3].message.as_str(), r#"{"role":"user","content":"more"}"#);
}
