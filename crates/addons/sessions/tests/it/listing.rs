//! Tests of lists of sessions: content and order.

use std::fs;

use agentwire_sessions::{Page, SessionError};
use serde_json::{Value, json};

use crate::written::{Config, id, mark, user};

#[test]
fn sessions_are_listed_newest_first_and_by_pages() {
    let config = Config::new();
    for number in 0..5 {
        let entry = user("a", None, &format!("prompt {number}"));
        config.write(&format!("/project/{}", number % 2), &id(number), u64::from(number) + 10, &[entry]);
    }
    config.write("/project/0", &id(9), 99, &[json!({"type": "user", "isSidechain": true})]);
    config.write("/project/0", &id(8), 98, &[]);
    config.write("/project/0", &id(7), 97, &[json!({"type": "mode"})]);
    fs::write(config.project("/project/0").join("notes.jsonl"), "{}").unwrap();
    let summaries = |page| -> Vec<String> {
        config.sessions().list(page).unwrap().into_iter().map(|info| info.summary).collect()
    };
    assert_eq!(summaries(Page::ALL), ["prompt 4", "prompt 3", "prompt 2", "prompt 1", "prompt 0"]);
    assert_eq!(summaries(Page::first(9)), summaries(Page::ALL));
    assert_eq!(summaries(Page::first(2).after(1)), ["prompt 3", "prompt 2"]);
    assert_eq!(summaries(Page::ALL.after(4)), ["prompt 0"]);
    let project = config.sessions().in_project("/project/1").list(Page::ALL).unwrap();
    assert_eq!(project.iter().map(|info| info.last_modified).collect::<Vec<_>>(), [13_000, 11_000]);
    assert!(Config::new().sessions().list(Page::ALL).unwrap().is_empty());
}

#[test]
fn a_session_in_two_projects_counts_once_with_the_newest() {
    let config = Config::new();
    config.write("/a", &id(1), 10, &[user("a", None, "old")]);
    config.write("/b", &id(1), 20, &[user("a", None, "new")]);
    let all = config.sessions().list(Page::ALL).unwrap();
    assert_eq!(config.sessions().list(Page::first(2)).unwrap(), all);
    assert_eq!((all.len(), &*all[0].summary), (1, "new"));
    assert_eq!(config.sessions().info(&id(1).into()).unwrap().unwrap().summary, "new");
}

#[test]
fn session_fields_are_read_from_both_ends() {
    let config = Config::new();
    let mut entries = vec![user("a", None, "the first words")];
    entries[0]["cwd"] = "/w".into();
    entries[0]["gitBranch"] = "main".into();
    let filler = json!({"type": "progress", "text": "x".repeat(1000)});
    entries.extend(vec![filler; 200]);
    entries.push(json!({"type": "user", "gitBranch": "topic", "input": {"tag": "v1"}}));
    entries.push(json!({"customTitle": "Mine", "type": "custom-title"}));
    let path = config.write("/w", &id(1), 10, &entries);
    let text = fs::read_to_string(&path).unwrap()
        + "{\"type\":\"tag\",\"tag\":\"kept\",\"sessionId\":\"x\"}\n{\"type\":\"us";
    fs::write(&path, &text).unwrap();
    let info = config.sessions().info(&id(1).into()).unwrap().unwrap();
    assert_eq!((&*info.summary, info.first_prompt.as_deref()), ("Mine", Some("the first words")));
    assert_eq!((info.git_branch.as_deref(), info.cwd.as_deref()), (Some("topic"), Some("/w")));
    assert_eq!((info.tag.as_deref(), info.file_size), (Some("kept"), Some(text.len() as u64)));
    assert_eq!((info.created_at, info.archived), (Some(1_767_225_600_000), None));
}

#[test]
fn a_title_in_the_input_of_a_tool_is_not_the_title_of_the_session() {
    let config = Config::new();
    let mut prompt = user("a", None, "the first words");
    let input = json!({"customTitle": "x", "aiTitle": "x", "lastPrompt": "x", "summary": "x"});
    let call = json!({"type": "assistant", "message": {"content": [{"type": "tool_use", "input": input}]}});
    config.write("/w", &id(1), 10, &[prompt.clone(), call.clone()]);
    let info = config.sessions().info(&id(1).into()).unwrap().unwrap();
    assert_eq!((&*info.summary, info.custom_title), ("the first words", None));
    let title = json!({"type": "custom-title", "customTitle": "Mine"});
    prompt["message"]["content"] =
        "<pasted_content id=\"a1b2\">\npasted\n</pasted_content id=\"a1b2\">".into();
    config.write("/w", &id(1), 10, &[prompt, title, call]);
    let info = config.sessions().info(&id(1).into()).unwrap().unwrap();
    assert_eq!((&*info.summary, info.first_prompt.as_deref()), ("Mine", Some("pasted")));
}

#[test]
fn session_that_the_cli_moved_has_the_last_folder() {
    let config = Config::new();
    let mut entry = user("a", None, "hello");
    entry["cwd"] = "/w".into();
    let moved = |to: &str| json!({"type": "relocated", "sessionId": id(1), "relocatedCwd": to});
    let cwd = |entries: &[Value]| {
        config.write("/w", &id(1), 10, entries);
        config.sessions().info(&id(1).into()).unwrap().unwrap().cwd.unwrap()
    };
    assert_eq!(cwd(&[entry.clone(), moved("/w/a"), moved("/w/b"), moved("")]), "/w/b");
    let mentioned = json!({"type": "user", "input": {"type": "relocated"}, "relocatedCwd": "/x"});
    assert_eq!(cwd(&[entry, mentioned]), "/w");
}

#[test]
fn title_in_the_folder_of_a_session_is_between_those_in_its_file() {
    let config = Config::new();
    let title = |text: &str| json!({"type": "custom-title", "customTitle": text});
    let filler = vec![json!({"type": "progress", "text": "x".repeat(1000)}); 100];
    let entries = [&[user("a", None, "hello"), title("old")][..], &filler[..]].concat();
    let path = config.write("/w", &id(1), 10, &entries);
    let summary = || config.sessions().info(&id(1).into()).unwrap().unwrap().summary;
    assert_eq!(&*summary(), "old");
    fs::create_dir(path.with_extension("")).unwrap();
    for (kept, shown) in [
        (r#"{"customTitle":" kept\n"}"#, "kept"),
        (r#"{"customTitle":" "}"#, "old"),
        ("[]", "old"),
        (r#"{"customTitle":"\u200bone\r\ntwo \u001b[31mred \u202ertl"}"#, "one two  [31mred  rtl"),
        (&format!(r#"{{"customTitle":"{}"}}"#, "x".repeat(201)), &"x".repeat(200)),
    ] {
        fs::write(path.with_extension("").join("custom-title.json"), kept).unwrap();
        assert_eq!(&*summary(), shown);
        assert_eq!(&*config.sessions().list(Page::ALL).unwrap()[0].summary, shown);
    }
    config.sessions().rename(&id(1).into(), "new").unwrap();
    fs::write(path.with_extension("").join("custom-title.json"), r#"{"customTitle":"kept"}"#).unwrap();
    assert_eq!(&*summary(), "new");
    // An empty title at the end of the file is newer too.
    let path = config.write("/w", &id(2), 10, &[user("a", None, "hello"), title("old"), title("")]);
    fs::create_dir(path.with_extension("")).unwrap();
    fs::write(path.with_extension("").join("custom-title.json"), r#"{"customTitle":"kept"}"#).unwrap();
    assert_eq!(config.sessions().info(&id(2).into()).unwrap().unwrap().summary, "hello");
}

#[test]
fn a_session_is_archived_until_the_user_sends_a_message() {
    let config = Config::new();
    let path = config.write("/w", &id(1), 10, &[user("a", None, "hello")]);
    for (archived, at, listed) in [
        (true, "2026-01-01T00:00:01.000Z", Some(true)),
        (false, "2026-01-01T00:00:01.000Z", Some(false)),
        (true, "2025-12-31T23:59:59.999Z", Some(false)),
        (true, "some time", None),
    ] {
        mark(&path, archived, at);
        assert_eq!(config.sessions().info(&id(1).into()).unwrap().unwrap().archived, listed, "{at}");
    }
}

/// Returns whether a session of 2025 is archived that was put into the archive before these entries.
fn archived_before(config: &Config, later: &[Value]) -> Option<bool> {
    let mut first = user("a", None, "hello");
    first["timestamp"] = "2025-01-01T00:00:00.000Z".into();
    let path = config.write("/w", &id(1), 1_767_225_600, &[&[first], later].concat());
    mark(&path, true, "2025-12-31T00:00:00.000Z");
    config.sessions().info(&id(1).into()).unwrap().unwrap().archived
}

#[test]
fn text_that_the_user_did_not_write_leaves_a_session_in_the_archive() {
    let config = Config::new();
    for (text, origin, archived) in [
        ("<command-name>/exit</command-name>\n<command-message>exit</command-message>", None, true),
        ("<local-command-stdout>Bye!</local-command-stdout>", None, true),
        ("<bash-stdout>x</bash-stdout><bash-stderr></bash-stderr>", None, true),
        ("<bash-input>ls</bash-input>", None, false),
        ("<command-message>init</command-message>\n<command-name>/init</command-name>", None, false),
        ("words", None, false),
        ("<task-notification>\n<task-id>b1</task-id>\n</task-notification>", None, true),
        ("<teammate-message teammate_id=\"a\">hi</teammate-message>", None, true),
        ("<teammate-message teammate_id=\"a\">hi</teammate-message>", Some("teammate"), true),
        ("<div> is broken", Some("human"), false),
        ("<a@b.c> wrote", None, false),
    ] {
        let mut later = user("b", Some("a"), text);
        later["origin"] = origin.map(|kind| json!({"kind": kind})).into();
        assert_eq!(archived_before(&config, &[later]), Some(archived), "{text}");
    }
}

#[test]
fn a_turn_that_the_user_did_not_start_leaves_a_session_in_the_archive() {
    let config = Config::new();
    let queued = |mode: &str| json!({"type": "queued_command", "prompt": "words", "commandMode": mode});
    for (name, value, archived) in [
        ("turnOrigin", json!("human"), false),
        ("turnOrigin", json!("scheduled"), true),
        ("persist", json!("never"), true),
        ("attachment", queued("prompt"), false),
        ("attachment", queued("task-notification"), true),
    ] {
        let mut later = user("b", Some("a"), "words");
        later[name] = value;
        if name == "attachment" {
            later["type"] = name.into();
        }
        assert_eq!(archived_before(&config, &[later]), Some(archived), "{name}");
    }
}

#[test]
fn a_message_in_the_middle_of_a_long_file_takes_a_session_out_of_the_archive() {
    let config = Config::new();
    let filler = vec![json!({"type": "progress", "text": "x".repeat(1000)}); 100];
    let message = user("b", Some("a"), "go on");
    for (middle, archived) in [(&[message][..], false), (&[][..], true)] {
        let later = [&filler[..], middle, &filler[..]].concat();
        assert_eq!(archived_before(&config, &later), Some(archived));
        assert_eq!(config.sessions().list(Page::first(1)).unwrap()[0].archived, Some(archived));
    }
}

#[test]
fn a_session_with_only_pictures_or_documents_is_listed() {
    let config = Config::new();
    for (number, (kind, summary)) in [("image", "Image"), ("document", "Document")].into_iter().enumerate() {
        let path = config.write("/w", &id(number as u32), 10, &[]);
        // With the kind first, as the CLI writes it; the line does not fit into the first 64 KiB.
        let block = format!(r#"{{"type":"{kind}","source":"{}"}}"#, "x".repeat(100_000));
        let line = format!(r#"{{"type":"user","message":{{"role":"user","content":[{block}]}}}}"#);
        fs::write(&path, line).unwrap();
        let info = config.sessions().info(&id(number as u32).into()).unwrap().unwrap();
        assert_eq!((&*info.summary, info.first_prompt), (summary, None));
    }
    let mut made = user("a", None, "");
    made["message"]["content"] = json!([{"type": "image"}]);
    made["isMeta"] = true.into();
    let result = json!([{"type": "tool_result", "content": [{"type": "image"}]}]);
    let result = json!({"type": "user", "message": {"content": result}});
    config.write("/w", &id(3), 10, &[made, result]);
    assert_eq!(config.sessions().info(&id(3).into()).unwrap(), None);
}

#[test]
fn a_session_that_continues_in_another_is_not_listed() {
    let config = Config::new();
    let entries = [user("a", None, "go on")];
    let moved = json!({"type": "continued-in", "sessionId": id(1), "continuedInSessionId": id(2)});
    let listed = |entries: &[Value]| {
        config.write("/w", &id(1), 10, entries);
        assert!(config.sessions().info(&id(1).into()).unwrap().is_some());
        config.sessions().list(Page::ALL).unwrap().iter().any(|info| info.session_id.as_str() == id(1))
    };
    let moved = [entries[0].clone(), moved];
    // The other session does not exist, or has no message.
    assert!(listed(&moved));
    config.write("/w", &id(2), 11, &[json!({"type": "mode"})]);
    assert!(listed(&moved));
    config.write("/w", &id(2), 11, &entries);
    assert!(!listed(&moved));
    // What the CLI wrote after it changes nothing.
    let answer = |stop: Value| json!({"type": "assistant", "uuid": "c", "parentUuid": "a", "message": {"stop_reason": stop, "content": []}});
    let local = user("b", Some("a"), "<command-name>/exit</command-name>");
    assert!(!listed(&[&moved[..], &[local, answer(json!(null))]].concat()));
    // The conversation went on here.
    assert!(listed(&[&moved[..], &[user("b", Some("a"), "on")]].concat()));
    assert!(listed(&[&moved[..], &[answer(json!("end_turn"))]].concat()));
    assert!(!listed(&[&moved[..], &[user("b", Some("a"), "on")], &moved[1..]].concat()));
}

#[test]
fn only_uuids_are_searched() {
    let config = Config::new();
    for id in ["", "..", "../../x", "notes"] {
        assert!(matches!(config.sessions().info(&id.into()), Err(SessionError::Id(_))), "{id}");
    }
    assert!(config.sessions().info(&id(1).into()).unwrap().is_none());
}

#[test]
fn an_empty_tag_in_a_message_removes_no_tag() {
    let config = Config::new();
    let mut entry = user("b", Some("a"), "x");
    entry["tag"] = "".into();
    let path = config.write("/a", &id(1), 10, &[user("a", None, "x")]);
    let text = fs::read_to_string(&path).unwrap();
    // As the CLI writes it, with the kind first.
    let tag = format!(r#"{{"type":"tag","tag":"red","sessionId":"{}"}}"#, id(1));
    fs::write(&path, format!("{text}{tag}\n{entry}\n")).unwrap();
    assert_eq!(config.sessions().info(&id(1).into()).unwrap().unwrap().tag.as_deref(), Some("red"));
}

#[test]
fn sessions_of_programs_are_left_out_on_request() {
    let config = Config::new();
    let with = |name: &str, value: &str| {
        let mut entry = user("a", None, "x");
        entry[name] = value.into();
        entry
    };
    let filler = vec![json!({"type": "progress", "text": "x".repeat(1000)}); 200];
    let sessions = [
        vec![with("entrypoint", "cli")],
        vec![with("entrypoint", "sdk-py")],
        vec![with("entrypoint", "cli"), with("entrypoint", "sdk-ts")],
        vec![user("a", None, "x"), with("sessionKind", "daemon")],
        vec![with("sessionKind", "daemon-worker")],
        [vec![user("a", None, "x")], filler.clone(), vec![with("entrypoint", "sdk-cli")]].concat(),
        [vec![user("a", None, "x")], filler, vec![with("sessionKind", "daemon")]].concat(),
    ];
    for (number, entries) in sessions.iter().enumerate() {
        config.write("/w", &id(number as u32), 10 + number as u64, entries);
    }
    let times = |page| -> Vec<u64> {
        let listed = config.sessions().without_programmatic().list(page).unwrap();
        listed.iter().map(|info| info.last_modified / 1000 - 10).collect()
    };
    assert_eq!(times(Page::ALL), [6, 3, 2, 0]);
    assert_eq!(times(Page::first(2)), [6, 3]);
    assert_eq!(config.sessions().list(Page::ALL).unwrap().len(), 7);
}
