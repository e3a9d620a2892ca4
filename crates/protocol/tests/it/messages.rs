//! Walks `fixtures/messages`: known messages round-trip, unknown ones are kept, and broken ones report their
//! position.

use std::{
    fs,
    path::{Path, PathBuf},
};

use agentwire_protocol::{
    Block, Content, Message, System,
    content::{Document, Image, Text},
    message::{Event, Priority, UserInput},
};

use crate::{
    tagged::{Union, read},
    tree::Tree,
};

#[test]
fn known_message_round_trips() {
    for Fixture { path, folder, text } in known_fixtures() {
        let message: Message = read(&text);
        let kind = match &message {
            Message::System(system) => format!("system.{}", system.kind()),
            other => other.kind().to_owned(),
        };
        assert_eq!(kind, folder, "{path:?}");
        assert!(!is_unknown(&message), "{path:?}");
        let written = serde_json::to_string(&message).unwrap();
        // The fixtures only contain modelled keys, so nothing may be missing, added or changed.
        assert_eq!(Tree::of(&written).sorted(), Tree::of(&text).sorted(), "{path:?}");
        assert_eq!(read::<Message>(&written), message, "{path:?}");
        check_parts(&message, &path);
    }
}

#[test]
fn unknown_message_is_kept() {
    for Fixture { path, text, .. } in fixtures().into_iter().filter(|fixture| fixture.folder == "unknown") {
        let message: Message = read(&text);
        assert!(is_unknown(&message), "{path:?}");
        assert_eq!(serde_json::to_string(&message).unwrap(), text, "{path:?}");
    }
}

#[test]
fn broken_message_reports_reason_and_position() {
    let bless = std::env::var_os("UPDATE_EXPECT").is_some();
    for Fixture { path, text, .. } in fixtures().into_iter().filter(|fixture| fixture.folder == "invalid") {
        let error = match Message::read(text.as_bytes()) {
            Ok((_, set_aside)) => set_aside.iter().map(|error| format!("set aside: {error}\n")).collect(),
            Err(error) => format!("{error}\n"),
        };
        let expected = path.with_extension("err");
        assert!(!error.is_empty(), "{path:?} can be read whole");
        if bless {
            fs::write(&expected, error).unwrap();
            continue;
        }
        let expected = fs::read_to_string(&expected).unwrap_or_else(|error| panic!("{expected:?}: {error}"));
        assert_eq!(error, expected, "{path:?}");
    }
}

#[test]
fn unmodelled_fields_are_ignored() {
    for Fixture { path, text, .. } in known_fixtures() {
        let more = text.replacen('{', r#"{"later":{"type":"x","a":[1e999,"\ud83d"]},"#, 1);
        assert_eq!(read::<Message>(&more), read::<Message>(&text), "{path:?}");
    }
}

#[test]
fn every_kind_has_its_session_id() {
    for (line, session) in [
        (r#"{"type":"later","session_id":"s"}"#, Some("s")),
        (r#"{"type":"later","session_id":5}"#, None),
        (r#"{"type":"system","subtype":"later","session_id":"s"}"#, Some("s")),
        (r#"{"type":"system","subtype":"status","session_id":"s"}"#, Some("s")),
        (r#"{"type":"keep_alive","session_id":"s"}"#, None),
    ] {
        let found = read::<Message>(line).session_id();
        assert_eq!(found.as_ref().map(|session| session.as_str()), session, "{line}");
    }
}

#[test]
fn ids_of_a_message_match_the_line() {
    for Fixture { path, folder, text } in fixtures() {
        if folder == "invalid" {
            continue;
        }
        let message: Message = read(&text);
        let line: serde_json::Value = serde_json::from_str(&text).unwrap();
        let on_line = |name: &str| line[name].as_str().map(str::to_owned);
        let owned = |text: Option<&str>| text.map(str::to_owned);
        assert_eq!(
            owned(message.session_id().as_ref().map(|id| id.as_str())),
            on_line("session_id"),
            "{path:?}"
        );
        assert_eq!(owned(message.uuid().as_ref().map(|id| id.as_str())), on_line("uuid"), "{path:?}");
        let parent = message.parent_tool_use_id();
        // The parent of a `tool_progress` is the tool use that runs, not that of a subagent.
        let on_line = |name: &str| on_line(name).filter(|_| folder != "tool_progress");
        assert_eq!(owned(parent.as_ref().map(|id| id.as_str())), on_line("parent_tool_use_id"), "{path:?}");
        if let Message::System(system) = &message {
            assert_eq!(owned(system.tool_use_id().map(|id| id.as_str())), on_line("tool_use_id"), "{path:?}");
        }
    }
}

#[test]
fn prompt_round_trips() {
    let text = r#"{"type":"user","message":{"role":"user","content":"hi"},"parent_tool_use_id":null,"session_id":"","uuid":"u","priority":"later","origin":{"kind":"human"},"shouldQuery":false,"timestamp":"t","client_composed":true,"pasted_content":["a",[{"type":"text","text":"b"}]],"inline_pastes":["c"],"isSynthetic":false,"tool_use_result":{"a":1.10},"agent_id":"a","subagent_type":"s","task_description":"d"}"#;
    let input: UserInput = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&input).unwrap(), text);
    let plain = UserInput::new("hi");
    assert_eq!(serde_json::from_str::<UserInput>(&serde_json::to_string(&plain).unwrap()).unwrap(), plain);
    assert!(serde_json::from_str::<UserInput>(&text.replacen("user", "assistant", 1)).is_err());
}

/// Checks the parts that are typed on demand, and that all blocks are known.
fn check_parts(message: &Message, path: &Path) {
    let blocks = match message {
        Message::StreamEvent(event) => {
            assert!(!matches!(event.event, Event::Unknown(_)), "{path:?}");
            assert_eq!(path.file_stem().unwrap() == "text-delta", event.text_delta().is_some(), "{path:?}");
            return;
        }
        Message::Assistant(assistant) => &*assistant.message.content,
        Message::User(user) => user.message.content.blocks(),
        _ => return,
    };
    for block in blocks {
        assert!(block.as_unknown().is_none(), "{path:?}");
        if let Block::ToolResult(result) = block {
            assert!(!result.text().is_empty(), "{path:?}");
            assert!(result.content.as_ref().unwrap().decode::<Content>().is_ok(), "{path:?}");
        }
    }
}

fn is_unknown(message: &Message) -> bool {
    matches!(message, Message::Unknown(_) | Message::System(System::Unknown(_)))
}

pub(crate) struct Fixture {
    pub(crate) path: PathBuf,
    pub(crate) folder: String,
    /// Without the newline at the end.
    pub(crate) text: String,
}

/// The fixtures of kinds that have a type.
pub(crate) fn known_fixtures() -> impl Iterator<Item = Fixture> {
    fixtures().into_iter().filter(|fixture| !["unknown", "invalid"].contains(&&*fixture.folder))
}

pub(crate) fn fixtures() -> Vec<Fixture> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/messages");
    let mut fixtures = Vec::new();
    for folder in entries(&root) {
        for path in
            entries(&folder).into_iter().filter(|path| path.extension().is_some_and(|end| end == "json"))
        {
            let text = fs::read_to_string(&path).unwrap().trim_end().to_owned();
            let folder = folder.file_name().unwrap().to_string_lossy().into_owned();
            fixtures.push(Fixture { path, folder, text });
        }
    }
    assert!(fixtures.len() > 40, "only {} fixtures in {root:?}", fixtures.len());
    for folder in ["unknown", "invalid"] {
        assert!(fixtures.iter().any(|fixture| fixture.folder == folder), "no fixtures in {folder}");
    }
    fixtures
}

/// The CLI's lines in the recorded sessions, with their files. Invalid UTF-8 in them is replaced.
pub(crate) fn recorded() -> Vec<(PathBuf, String)> {
    let sessions = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/sessions");
    let mut recorded = Vec::new();
    for path in entries(&sessions).iter().flat_map(|version| entries(version)) {
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        let lines = text.lines().filter_map(|line| line.strip_prefix("< "));
        recorded.extend(lines.map(|line| (path.clone(), line.to_owned())));
    }
    recorded
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries
}

#[test]
fn interrupted_turn_is_reported_as_interrupted() {
    for (reason, text) in [
        ("aborted_streaming", "it was interrupted"),
        ("aborted_tools", "it was interrupted"),
        ("api_error", "[ede_diagnostic] result_type=user"),
    ] {
        let line = format!(
            r#"{{"type":"result","subtype":"error_during_execution","is_error":true,"terminal_reason":"{reason}","errors":["[ede_diagnostic] result_type=user"]}}"#
        );
        let Message::Result(result) = read::<Message>(&line) else { panic!("{line}") };
        assert_eq!(result.error_text().as_deref(), Some(text), "{reason}");
    }
}

#[test]
fn error_without_a_text_is_described_by_its_subtype() {
    let line = r#"{"type":"result","subtype":"error_during_execution","is_error":true,"result":""}"#;
    let Message::Result(result) = read::<Message>(line) else { panic!("{line}") };
    assert_eq!(result.error_text().as_deref(), Some("error_during_execution"));
}

#[test]
fn prompt_builder_sets_its_fields() {
    let prompt = UserInput::from("What is on it?")
        .with_block(Image::base64("image/png", "aGk="))
        .with_block(Document::text("a plain text"))
        .with_uuid("11111111-0000-4000-8000-000000000001")
        .with_priority(Priority::Later);
    let written: serde_json::Value = serde_json::to_value(&prompt).unwrap();
    assert_eq!(
        written,
        serde_json::json!({
            "type": "user", "parent_tool_use_id": null, "session_id": "",
            "uuid": "11111111-0000-4000-8000-000000000001", "priority": "later",
            "message": {"role": "user", "content": [
                {"type": "text", "text": "What is on it?"},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}},
                {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "a plain text"}},
            ]},
        })
    );
    let note = serde_json::to_value(UserInput::from("by the way").as_note()).unwrap();
    assert_eq!(note["shouldQuery"], false);
    let blocks = UserInput::from(vec![Text::new("one").into(), Text::new("two").into()]);
    assert_eq!(blocks.message.content.into_text(), "one\ntwo");
}
