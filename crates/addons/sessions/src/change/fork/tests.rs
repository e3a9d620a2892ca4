//! Forks of whole and cut conversations: their links, copied entries, restrictions and titles.

use agentwire_protocol::{SessionId, Uuid};
use serde_json::{Value, json};

use super::{Fork, fork_entries};
use crate::ChangeError;
use crate::{RawEntry, SessionSummary, conversation, fold_summary};

fn entry(kind: &str, uuid: &str, parent: Option<&str>) -> Value {
    json!({"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "isSidechain": false,
        "timestamp": uuid, "message": {"role": kind, "content": uuid}})
}

fn with(mut entry: Value, name: &str, value: Value) -> Value {
    entry[name] = value;
    entry
}

fn raw(entries: &[Value]) -> Vec<RawEntry> {
    entries.iter().map(|entry| RawEntry::parse(entry.to_string()).unwrap()).collect()
}

fn fork(entries: &[Value], up_to: Option<&str>) -> Result<Fork, ChangeError> {
    fork_entries(&SessionId::from("s"), &raw(entries), up_to.map(Uuid::from).as_ref(), None, || None)
}

/// Returns the texts of the fork's messages; each text is the id that the entry had.
fn message_texts(entries: &[Value], up_to: Option<&str>) -> String {
    let messages = conversation(&fork(entries, up_to).unwrap().entries);
    let texts = messages.iter().map(|message| {
        message.message.decode::<Value>().unwrap()["content"].as_str().unwrap_or("-").to_owned()
    });
    texts.collect::<Vec<_>>().join(" ")
}

fn values(fork: &Fork) -> Vec<Value> {
    fork.entries.iter().map(|entry| entry.decode().unwrap()).collect()
}

#[test]
fn a_fork_has_the_same_messages_up_to_its_end() {
    let entries = [
        entry("user", "a", None),
        entry("assistant", "b", Some("a")),
        entry("user", "c", Some("b")),
        entry("assistant", "d", Some("c")),
        // The sidechain is not in the fork, so the entry after it has no parent there.
        entry("progress", "p", Some("b")),
        with(entry("user", "x", Some("p")), "isSidechain", true.into()),
        entry("user", "e", Some("x")),
        entry("assistant", "f", Some("e")),
    ];
    for (up_to, texts) in [
        (None, "e f"),
        (Some("f"), "e f"),
        (Some("e"), "e"),
        (Some("d"), "a b c d"),
        (Some("c"), "a b c"),
        (Some("a"), "a"),
        (Some("p"), "a b c d"),
    ] {
        assert_eq!(message_texts(&entries, up_to), texts, "{up_to:?}");
    }
    for missing in ["x", "z", ""] {
        let error = fork(&entries, Some(missing)).unwrap_err();
        assert!(matches!(&error, ChangeError::UnknownMessage(id) if id.as_str() == missing), "{error}");
    }
    assert!(matches!(fork(&entries[5..6], None), Err(ChangeError::NoMessages)));
    assert!(matches!(fork(&entries[4..5], Some("p")), Err(ChangeError::NoMessages)));
    assert!(matches!(fork(&[], None), Err(ChangeError::NoMessages)));
}

#[test]
fn links_lead_past_progress_and_not_out_of_the_fork() {
    let entries = [
        entry("user", "a", None),
        entry("progress", "p", Some("a")),
        entry("progress", "q", Some("p")),
        entry("assistant", "b", Some("q")),
        with(entry("user", "x", Some("b")), "isSidechain", true.into()),
        entry("user", "c", Some("x")),
        entry("user", "d", Some("nowhere")),
    ];
    let values = values(&fork(&entries, None).unwrap());
    assert_eq!(values[1]["parentUuid"], values[0]["uuid"]);
    assert_eq!((&values[2]["parentUuid"], &values[3]["parentUuid"]), (&Value::Null, &Value::Null));
}

#[test]
fn entries_that_are_written_again_after_the_end_of_a_fork_do_not_change_it() {
    let head = [
        entry("user", "a", None),
        entry("assistant", "b", Some("a")),
        entry("progress", "p", Some("b")),
        entry("user", "c", Some("p")),
        entry("assistant", "d", Some("c")),
    ];
    let middle = [entry("user", "e", Some("d")), entry("assistant", "f", Some("e"))];
    let end = [entry("user", "g", Some("f")), entry("assistant", "h", Some("g"))];
    let entries = [&head[..], &middle, &head, &end].concat();
    for (up_to, texts) in [(Some("d"), "a b c d"), (Some("f"), "a b c d e f"), (None, "a b c d e f g h")] {
        assert_eq!(message_texts(&entries, up_to), texts, "{up_to:?}");
    }
}

#[test]
fn a_cycle_is_forked_up_to_a_message_of_it() {
    let entries = [
        with(entry("user", "a", Some("c")), "logicalParentUuid", "c".into()),
        entry("assistant", "b", Some("a")),
        entry("user", "c", Some("b")),
    ];
    for (up_to, texts) in [("a", "a"), ("b", "a b")] {
        let fork = fork(&entries, Some(up_to)).unwrap();
        let first = &values(&fork)[0];
        assert_eq!((&first["parentUuid"], &first["logicalParentUuid"]), (&Value::Null, &Value::Null));
        assert_eq!(message_texts(&entries, Some(up_to)), texts);
    }
    let whole = values(&fork(&entries, None).unwrap());
    assert_eq!(whole[0]["parentUuid"], whole[2]["uuid"]);
    let progress =
        [entry("progress", "p", Some("q")), entry("progress", "q", Some("p")), entry("user", "a", Some("p"))];
    assert_eq!(values(&fork(&progress, None).unwrap())[0]["parentUuid"], Value::Null);
}

#[test]
fn entries_of_a_fork_name_their_origin() {
    let entries = [
        with(entry("user", "a", None), "teamName", "t".into()),
        with(entry("assistant", "b", Some("a")), "slug", "s".into()),
        with(
            entry("attachment", "c", Some("b")),
            "attachment",
            json!({"type": "queued_command", "source_uuid": "a"}),
        ),
        json!({"type": "content-replacement", "sessionId": "s", "replacements": [{"n": 1}]}),
        json!({"type": "content-replacement", "sessionId": "s", "agentId": "g", "replacements": [{"n": 2}]}),
        json!({"type": "relocated", "sessionId": "s", "relocatedCwd": "/elsewhere"}),
        json!({"type": "history-suppression", "sessionId": "s"}),
        json!({"type": "file-history-snapshot", "messageId": "a"}),
        json!({"type": "ai-title", "aiTitle": "A walk"}),
    ];
    let fork = fork(&entries, None).unwrap();
    let values = values(&fork);
    let kinds: Vec<_> = values.iter().map(|value| value["type"].as_str().unwrap()).collect();
    let expected = "history-suppression user assistant attachment content-replacement relocated custom-title";
    assert_eq!(kinds.join(" "), expected);
    assert!(values.iter().all(|value| value["sessionId"] == fork.session.as_str()));
    let [_, a, b, c, replacement, _, title] = &values[..] else { panic!("{values:?}") };
    assert_eq!(
        (&a["parentUuid"], &b["parentUuid"], &c["parentUuid"]),
        (&Value::Null, &a["uuid"], &b["uuid"])
    );
    assert_eq!(b["forkedFrom"], json!({"sessionId": "s", "messageUuid": "b"}));
    assert_eq!((b["requestSessionId"].as_str(), b["timestamp"].as_str()), (Some("s"), Some("b")));
    assert!(a.get("teamName").is_none() && b.get("slug").is_none() && a["uuid"] != "a");
    assert_eq!(c["attachment"]["source_uuid"], a["uuid"]);
    assert_ne!(c["timestamp"], "c");
    assert_eq!(replacement["replacements"], json!([{"n": 1}]));
    assert_eq!(title["customTitle"], "Forked session (fork)");
}

#[test]
fn fork_ends_at_talk_that_a_turn_took_from_the_queue() {
    let talk = |prompt: &str| {
        let talk = with(entry("system", "c", Some("b")), "subtype", "voice_call_talk".into());
        let talk = with(with(talk, "content", "c".into()), "origin", json!({"kind": "voice-call"}));
        with(talk, "fold", json!({"command": {"source_uuid": prompt}}))
    };
    let entries = [
        entry("user", "a", None),
        entry("assistant", "b", Some("a")),
        talk("q"),
        entry("assistant", "d", Some("c")),
    ];
    assert_eq!(message_texts(&entries, None), "a b c d");
    assert_eq!(message_texts(&entries, Some("q")), "a b c");
    let values = values(&fork(&[entry("user", "a", None), talk("a")], None).unwrap());
    assert_eq!(values[1]["fold"]["command"]["source_uuid"], values[0]["uuid"]);
}

#[test]
fn fork_ends_at_a_queued_prompt_although_an_abandoned_branch_repeats_it() {
    let queued = json!({"type": "queued_command", "prompt": "q", "source_uuid": "q"});
    let entries = [
        entry("user", "a", None),
        entry("assistant", "b", Some("a")),
        with(entry("attachment", "c", Some("b")), "attachment", queued),
        entry("assistant", "d", Some("c")),
        entry("user", "q", Some("d")),
        entry("assistant", "e", Some("q")),
        // The user went back behind the repeated prompt.
        entry("user", "f", Some("d")),
        entry("assistant", "g", Some("f")),
    ];
    assert_eq!(message_texts(&entries, None), "a b q d f g");
    assert_eq!(message_texts(&entries, Some("q")), "a b q");
    assert_eq!(message_texts(&entries, Some("e")), "a b d q e");
}

#[test]
fn fork_of_restricted_data_names_the_sessions_it_comes_from() {
    let records = json!({"type": "data-flow-records", "v": 1, "sessionId": "s", "records": []});
    let derived = json!({"type": "derived-from", "v": 1, "sessionId": "s", "sessions": [{"id": "o"}]});
    let from = |id: &str| json!({"type": "claude_code_session", "id": id, "via": "fork"});
    // This entry came from the session `o`.
    let user = with(entry("user", "a", None), "forkedFrom", json!({"sessionId": "o", "messageUuid": "b"}));
    let origin = from("s");
    for (carried, sessions) in [
        (vec![records.clone()], json!([from("o"), origin])),
        (vec![derived.clone()], json!([{"id": "o"}, origin])),
        (vec![derived, records], json!([{"id": "o"}, origin])),
    ] {
        let fork = fork(&[vec![user.clone()], carried].concat(), None).unwrap();
        let last = values(&fork).into_iter().rfind(|value| value["type"] == "derived-from").unwrap();
        assert_eq!(last["sessions"], sessions);
        assert_eq!((&last["v"], &last["sessionId"]), (&json!(1), &json!(fork.session.as_str())));
    }
}

#[test]
fn restrictions_are_copied_whichever_session_they_name() {
    let owner = |restricted: Value| json!({"type": "session-owner", "sessionId": "o", "accountUuid": "u", "restricted": restricted});
    let entries = [
        json!({"type": "history-suppression", "sessionId": "o"}),
        json!({"type": "hybrid-organization", "sessionId": "o", "organizationUuid": "u"}),
        owner(Value::Null),
        owner(json!(["ldr"])),
        entry("user", "a", None),
    ];
    let fork = fork(&entries, None).unwrap();
    let values = values(&fork);
    let kinds: Vec<_> = values.iter().map(|value| value["type"].as_str().unwrap()).collect();
    assert_eq!(kinds.join(" "), "history-suppression hybrid-organization session-owner user custom-title");
    assert_eq!(values[2]["restricted"], json!(["ldr"]));
    assert!(values.iter().all(|value| value["sessionId"] == fork.session.as_str()));
}

#[test]
fn fork_names_the_gaps_in_the_records_of_the_data_flow() {
    let tracked = |entry| with(entry, "dataFlowOn", true.into());
    let (a, b) = (entry("user", "a", None), entry("assistant", "b", Some("a")));
    let aside = with(b.clone(), "isSidechain", true.into());
    let boundary = with(entry("system", "x", None), "subtype", "compact_boundary".into());
    let records = json!({"type": "data-flow-records", "v": 1, "sessionId": "s", "records": []});
    let snapshot = with(records.clone(), "snapshot", true.into());
    for (entries, codes) in [
        (vec![a.clone(), snapshot.clone(), tracked(b.clone()), aside], None),
        (vec![a.clone(), snapshot.clone(), b.clone()], Some(json!([11]))),
        (vec![a.clone(), tracked(boundary.clone()), snapshot.clone()], None),
        (vec![a.clone(), tracked(boundary.clone()), records.clone()], Some(json!([13]))),
        (vec![a.clone(), snapshot, boundary.clone(), records], Some(json!([11, 13]))),
        (vec![a, boundary, b], None),
    ] {
        let values = values(&fork(&entries, None).unwrap());
        let incomplete = values.iter().find(|value| value["type"] == "data-flow-incomplete");
        assert_eq!(incomplete.map(|value| value["codes"].clone()), codes, "{entries:?}");
    }
}

#[test]
fn a_fork_has_a_title_of_its_own() {
    let entries = raw(&[
        with(entry("user", "a", None), "message", json!({"content": "the first words"})),
        json!({"type": "custom-title", "customTitle": "Mine"}),
        json!({"type": "ai-title", "aiTitle": "Made"}),
    ]);
    let title = |entries: &[RawEntry], title| {
        let session = SessionId::from("s");
        let data = fold_summary(None, entries).unwrap();
        let info = || SessionSummary::new(session.clone(), 0, data).info();
        let fork = fork_entries(&session, entries, None, title, info).unwrap();
        fork.entries.last().unwrap().decode::<Value>().unwrap()["customTitle"].as_str().unwrap().to_owned()
    };
    assert_eq!(title(&entries, Some(" Given ")), "Given");
    assert_eq!(title(&entries, Some(" ")), "Mine (fork)");
    assert_eq!(title(&entries[..1], None), "the first words (fork)");
    assert_eq!(title(&raw(&[entry("assistant", "a", None)]), None), "Forked session (fork)");
}

#[test]
fn fork_of_a_compacted_session_is_cut_on_either_side() {
    let boundary = |uuid: &str, summary: &str, kept: [&str; 2]| {
        let boundary = with(entry("system", uuid, None), "subtype", "compact_boundary".into());
        let boundary = with(boundary, "logicalParentUuid", kept[1].into());
        let kept = json!({"preservedMessages": {"anchorUuid": summary, "uuids": kept}});
        with(boundary, "compactMetadata", kept)
    };
    let entries = [
        entry("user", "a", None),
        entry("assistant", "b", Some("a")),
        entry("user", "c", Some("b")),
        entry("assistant", "d", Some("c")),
        entry("attachment", "command", Some("d")),
        boundary("x", "s", ["c", "d"]),
        with(entry("user", "s", Some("x")), "isCompactSummary", true.into()),
        entry("user", "e", Some("s")),
        entry("assistant", "f", Some("e")),
    ];
    for (up_to, texts) in [
        (None, "s c d e f"),
        (Some("e"), "s c d e"),
        (Some("s"), "s"),
        (Some("x"), "a b c d"),
        (Some("c"), "a b c"),
    ] {
        assert_eq!(message_texts(&entries, up_to), texts, "{up_to:?}");
    }
    // The end follows a message that the compaction kept, a message that it dropped, and a compaction whose kept
    // message a later compaction kept too.
    let (after_d, after_b) = (entry("user", "g", Some("d")), entry("user", "g", Some("b")));
    let later = [
        after_d.clone(),
        boundary("y", "t", ["d", "g"]),
        with(entry("user", "t", Some("y")), "isCompactSummary", true.into()),
        entry("user", "h", Some("f")),
    ];
    for (more, up_to, texts, boundaries) in [
        (&[after_d][..], "g", "s c d g", 1),
        (&[after_b][..], "g", "a b g", 0),
        (&later[..], "h", "t d e f h", 2),
    ] {
        let entries = [&entries[..], more].concat();
        assert_eq!(message_texts(&entries, Some(up_to)), texts);
        let values = values(&fork(&entries, Some(up_to)).unwrap());
        let found = values.iter().filter(|value| value["subtype"] == "compact_boundary").count();
        assert_eq!(found, boundaries, "{texts}");
    }
    // The second compaction follows at once and keeps the same messages, so the fork ends after the first summary.
    let second = [
        boundary("y", "t", ["c", "d"]),
        with(entry("user", "t", Some("y")), "isCompactSummary", true.into()),
    ];
    assert_eq!(message_texts(&[&entries[..7], &second].concat(), Some("y")), "s c d");
    let whole = fork(&entries, None).unwrap();
    let values = values(&whole);
    assert_eq!(values[5]["logicalParentUuid"], values[3]["uuid"]);
    assert_eq!(fork(&entries, Some("x")).unwrap().entries.len(), 5);
}
