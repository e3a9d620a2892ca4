//! Tests of searches: hits, their order, and errors.

use std::fs::{self, File};
use std::io::Write as _;

use agentwire_sessions::{Hit, HitPart, Search, SessionError};
use serde_json::{Value, json};

use crate::written::{Config, append_too_long, id, raw, user};

fn found(config: &Config, search: &Search) -> Vec<Hit> {
    config.sessions().search(search).unwrap().map(Result::unwrap).collect()
}

fn uuids(hits: &[Hit]) -> String {
    hits.iter().map(|hit| hit.uuid.as_ref().unwrap().as_str()).collect::<Vec<_>>().join(" ")
}

fn assistant(uuid: &str, blocks: Value) -> Value {
    json!({"type": "assistant", "uuid": uuid, "message": {"role": "assistant", "content": blocks}})
}

#[test]
fn an_empty_newer_file_does_not_hide_a_session() {
    let config = Config::new();
    config.write("/a", &id(1), 10, &[user("a", None, "needle")]);
    config.write("/b", &id(1), 20, &[]);
    assert_eq!(uuids(&found(&config, &Search::new("needle"))), "a");
}

#[test]
fn the_newest_session_is_searched_first_and_only_as_far_as_needed() {
    let config = Config::new();
    config.write("/a", &id(1), 10, &[user("a", None, "a Needle"), user("b", None, "hay")]);
    config.write("/b", &id(2), 20, &[user("c", None, "needles"), user("d", None, "NEEDLE and needle")]);
    let hits = found(&config, &Search::new("needle"));
    assert_eq!(uuids(&hits), "c d a");
    assert_eq!((hits[0].session_id.as_str(), hits[2].session_id.as_str()), (&*id(2), &*id(1)));
    assert_eq!((hits[2].offset, hits[2].at.clone(), &*hits[2].excerpt), (2, 2..8, "a Needle"));
    assert_eq!(uuids(&found(&config, &Search::new("needle").exact())), "c d");
    let in_project = config.sessions().in_project("/a").search(&Search::new("needle")).unwrap();
    assert_eq!(in_project.count(), 1);
    // Files after the requested hit are not read.
    let mut lazy = config.sessions().search(&Search::new("needle")).unwrap();
    assert!(lazy.next().unwrap().is_ok());
    fs::remove_dir_all(config.project("/a")).unwrap();
    assert_eq!(lazy.map(|hit| hit.unwrap().uuid.unwrap().to_string()).collect::<Vec<_>>(), ["d"]);
}

#[test]
fn an_entry_that_the_file_repeats_is_found_once() {
    let config = Config::new();
    let text = |text: &str| json!({"type": "text", "text": text});
    let two = assistant("a", json!([text("needle"), text("a needle")]));
    config.write("/a", &id(1), 20, &[two.clone(), user("b", Some("a"), "needle"), two.clone()]);
    // The other session has an entry with the same id.
    config.write("/a", &id(2), 10, &[two]);
    assert_eq!(uuids(&found(&config, &Search::new("needle"))), "a a b a a");
}

#[test]
fn escaped_text_is_found() {
    let config = Config::new();
    let path = config.write("/a", &id(1), 10, &[user("a", None, "say \"one\"\ntwo \\ three")]);
    let mut text = fs::read_to_string(&path).unwrap();
    text += r#"{"type":"user","uuid":"b","message":{"content":"caf\u00e9 \ud83d\ude00 \u0048ello a\/b"}}"#;
    fs::write(&path, text).unwrap();
    for (wanted, uuid) in [
        ("\"one\"\nTWO \\ t", "a"),
        ("CAF\u{c9}", "b"),
        ("\u{1f600} hello", "b"),
        ("a/b", "b"),
        ("uuid", ""),
        ("\\n", ""),
        ("u00e9", ""),
    ] {
        assert_eq!(uuids(&found(&config, &Search::new(wanted))), uuid, "{wanted}");
    }
}

#[test]
fn the_last_of_a_repeated_field_is_searched() {
    let config = Config::new();
    let path = config.write("/a", &id(1), 10, &[]);
    let message = r#"{"type":"user","uuid":"x","uuid":"a","message":{"content":"hay","content":"needle"}}"#;
    let attachment = r#"{"type":"queued_command","prompt":"hay","prompt":"needle"}"#;
    let queued = format!(r#"{{"type":"attachment","uuid":"b","attachment":{{}},"attachment":{attachment}}}"#);
    fs::write(path, format!("{message}\n{queued}\n")).unwrap();
    assert_eq!(uuids(&found(&config, &Search::new("needle"))), "a b");
    assert!(found(&config, &Search::new("hay")).is_empty());
}

#[test]
fn thinking_tools_and_subagents_are_searched_on_request() {
    let config = Config::new();
    let mut meta = user("m", None, "needle");
    meta["isMeta"] = true.into();
    let result = json!([{"type": "tool_result", "tool_use_id": "needle", "content": [
        {"type": "text", "text": "a needle"},
        {"type": "image", "source": {"type": "base64", "data": "needle"}},
    ]}]);
    let entries = [
        meta,
        assistant("t", json!([{"type": "thinking", "thinking": "needle", "signature": "needle"}])),
        assistant(
            "u",
            json!([{"type": "tool_use", "name": "needle", "input": {"needle": ["x", "the needle"]}}]),
        ),
        json!({"type": "user", "uuid": "r", "message": {"content": result}}),
        json!({"type": "attachment", "uuid": "q", "attachment": {"type": "queued_command", "prompt": "needle"}}),
        json!({"type": "attachment", "uuid": "no", "attachment": {"type": "queued_command", "isMeta": true, "prompt": "needle"}}),
        json!({"type": "user", "uuid": "c", "isMeta": true, "origin": {"kind": "channel"}, "message": {"content": "needle"}}),
        json!({"type": "attachment", "uuid": "p", "attachment": {"type": "queued_command", "isMeta": true, "origin": {"kind": "peer"}, "prompt": "needle"}}),
        json!({"type": "summary", "summary": "needle"}),
    ];
    let path = config.write("/a", &id(1), 10, &entries);
    let agents = path.with_extension("").join("subagents");
    fs::create_dir_all(&agents).unwrap();
    fs::write(agents.join("agent-7.jsonl"), format!("{}\n", user("s", None, "needle"))).unwrap();
    let search = Search::new("needle");
    assert_eq!(uuids(&found(&config, &search)), "q c p");
    assert_eq!(uuids(&found(&config, &search.clone().in_thinking())), "t q c p");
    let hits = found(&config, &search.in_tools().in_subagents());
    assert_eq!(uuids(&hits), "u r q c p s");
    let parts: Vec<_> = hits.iter().map(|hit| hit.part).collect();
    assert_eq!(parts[..2], [HitPart::ToolInput, HitPart::ToolResult]);
    assert!(parts[2..].iter().all(|part| *part == HitPart::Text));
    assert_eq!((hits[0].role.as_str(), hits[1].role.as_str()), ("assistant", "user"));
    assert_eq!((&hits[2].agent, hits[5].agent.as_deref()), (&None, Some("7")));
}

#[test]
fn talk_of_a_voice_call_is_searched() {
    let system = |uuid: &str, subtype: &str| json!({"type": "system", "uuid": uuid, "subtype": subtype, "content": "needle"});
    let entries = raw(&[system("a", "voice_call_talk"), system("b", "informational")]);
    let (search, session) = (Search::new("needle"), id(1).into());
    assert_eq!(uuids(&search.in_entries(&session, &entries).collect::<Vec<_>>()), "a");
}

#[test]
fn too_long_lines_are_reported_and_broken_ones_skipped() {
    let config = Config::new();
    let path = config.write("/a", &id(1), 10, &[user("a", None, "needle")]);
    let start = append_too_long(&path);
    let mut text = b"\n\xff needle\n".to_vec();
    text.extend(b"{\"type\":\"user\",\"uuid\":\"c\",\"message\":{\"content\":\"\xff needle\"}}\n");
    text.extend(b"{\"type\":\"user\",\"uuid\":\"d\",\"message\":{\"content\":\"needle");
    File::options().append(true).open(&path).unwrap().write_all(&text).unwrap();
    let found: Vec<_> = config.sessions().search(&Search::new("needle")).unwrap().collect();
    assert_eq!(found[0].as_ref().unwrap().uuid.as_ref().unwrap().as_str(), "a");
    let Err(SessionError::LineTooLong { offset, limit, .. }) = found[1] else { panic!("{found:?}") };
    assert_eq!((offset, limit), (start, 64 << 20));
    assert_eq!(found[2].as_ref().unwrap().excerpt, "\u{fffd} needle");
    assert_eq!(found.len(), 3);
}

#[test]
fn entries_from_other_sources_are_searched() {
    let entries = raw(&[user("a", None, "hay"), user("b", None, "before the needle after")]);
    let (search, session) = (Search::new("Needle").with_context(3), id(1).into());
    let hits: Vec<_> = search.in_entries(&session, &entries).collect();
    assert_eq!((uuids(&hits), &*hits[0].excerpt, hits[0].at.clone()), ("b".to_owned(), "he needle af", 3..9));
}
