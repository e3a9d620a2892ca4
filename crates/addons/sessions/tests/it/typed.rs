//! Tests of typed entries; live scenarios check the entries of the real CLI.

use agentwire_protocol::message::RefusalCategory;
use agentwire_sessions::RawEntry;
use agentwire_sessions::entry::{Attachment, Entry, SystemEntry};

fn entry(text: &str) -> RawEntry {
    RawEntry::parse(text).unwrap()
}

#[test]
fn each_known_kind_is_read_by_its_name() {
    // The required fields of each kind; kinds that are not listed have none.
    let needed = [
        ("user", r#","message":{"role":"user","content":"x"}"#),
        ("assistant", r#","message":{"id":"m","role":"assistant","model":"x","content":[]}"#),
        ("system", r#","subtype":"compact_boundary""#),
        ("attachment", r#","attachment":{"type":"queued_command","prompt":"x"}"#),
        ("summary", r#","summary":"x""#),
        ("custom-title", r#","customTitle":"x""#),
        ("ai-title", r#","aiTitle":"x""#),
        ("tag", r#","tag":"x""#),
        ("mode", r#","mode":"x""#),
        ("permission-mode", r#","permissionMode":"plan""#),
        ("agent-name", r#","agentName":"x""#),
        ("agent-color", r#","agentColor":"x""#),
        ("agent-setting", r#","agentSetting":"x""#),
        ("relocated", r#","relocatedCwd":"x""#),
        ("continued-in", r#","continuedInSessionId":"x""#),
        ("queue-operation", r#","operation":"enqueue""#),
        ("file-history-snapshot", r#","messageId":"x""#),
        ("file-history-delta", r#","messageId":"x""#),
    ];
    for kind in Entry::KINDS {
        let fields = needed.iter().find(|(name, _)| name == kind).map_or("", |(_, fields)| fields);
        let text = format!(r#"{{"type":"{kind}","new":[1e400],"sessionId":"s"{fields}}}"#);
        let typed = entry(&text).typed().unwrap_or_else(|error| panic!("{kind}: {error}"));
        assert_eq!(typed.kind(), *kind);
        assert!(!matches!(typed, Entry::Unknown(_)), "{kind}");
        if !fields.is_empty() {
            let without = entry(&text.replace(fields, ""));
            let unknown_system = |typed: &Entry| matches!(typed, Entry::System(SystemEntry::Unknown(_)));
            assert!(without.typed().as_ref().map_or(true, unknown_system), "{kind}");
        }
    }
}

#[test]
fn unknown_kinds_keep_their_json() {
    let text = r#"{"type":"later","n":1.0,"n":2,"in":{"a":[ ]}}"#;
    let Entry::Unknown(unknown) = entry(text).typed().unwrap() else { panic!("it is not known") };
    assert_eq!((unknown.kind.as_deref(), unknown.raw.as_str()), (Some("later"), text));
    for text in ["{}", r#"{"type":7}"#] {
        let typed = entry(text).typed().unwrap();
        assert_eq!(typed.kind(), "");
        assert!(matches!(typed, Entry::Unknown(unknown) if unknown.raw.as_str() == text));
    }
    let text = r#"{"type":"date","date":"2026"}"#;
    let attached = entry(&format!(r#"{{"type":"attachment","attachment":{text}}}"#)).typed().unwrap();
    let Entry::Attachment(attached) = attached else { panic!("it is an attachment") };
    assert!(matches!(attached.attachment, Attachment::Unknown(unknown) if unknown.raw.as_str() == text));
}

#[test]
fn refusal_has_the_category_of_the_stream() {
    for (category, expected) in [
        ("\"cyber\"", Some(RefusalCategory::Cyber)),
        ("\"later\"", Some(RefusalCategory::from("later"))),
        ("null", None),
    ] {
        let start = r#""type":"system","subtype":"model_refusal_no_fallback","originalModel":"m""#;
        let text = format!(r#"{{{start},"apiRefusalCategory":{category}}}"#);
        let Entry::System(SystemEntry::ModelRefusalNoFallback(refusal)) = entry(&text).typed().unwrap()
        else {
            panic!("{text}")
        };
        assert_eq!(refusal.api_refusal_category, expected);
    }
}

#[test]
fn decode_errors_have_a_position() {
    let error = entry(r#"{"type":"user","message":{"role":"user","content":7}}"#).typed().unwrap_err();
    assert_eq!(error.path(), "message.content", "{error}");
}

#[test]
fn context_of_an_entry_is_read() {
    let text = r#"{"type":"system","subtype":"x","uuid":"b","parentUuid":null,"logicalParentUuid":"a",
        "isSidechain":true,"sessionId":"s","gitBranch":"main","forkedFrom":{"sessionId":"t","messageUuid":"c"}}"#;
    let context = entry(text).context().unwrap();
    assert_eq!((context.uuid, context.parent_uuid), (Some("b".into()), None));
    assert_eq!((context.logical_parent_uuid, context.is_sidechain), (Some("a".into()), true));
    assert_eq!(context.forked_from.unwrap().session_id.as_str(), "t");
    let about_the_session = entry(r#"{"type":"ai-title","aiTitle":"x"}"#).context().unwrap();
    assert_eq!((about_the_session.uuid, about_the_session.is_sidechain), (None, false));
}
