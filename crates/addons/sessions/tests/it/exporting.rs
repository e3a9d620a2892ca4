//! Tests of exports: content, order, and escaping.

use agentwire_sessions::{Export, conversation, conversation_with_system};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::written::{Config, id, raw, user};

fn entry(kind: &str, uuid: &str, parent: &str, content: Value) -> Value {
    json!({"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": id(1),
        "message": {"role": kind, "id": uuid, "content": content}})
}

fn exported(export: &Export, entries: &[Value]) -> String {
    let mut out = Vec::new();
    export.write(&conversation(&raw(entries)), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Returns a conversation with content of each kind.
fn walk() -> Vec<Value> {
    let picture =
        json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJDRA=="}});
    let result = json!([
        {"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "one\n```\ntwo"}, picture]},
        {"type": "tool_result", "tool_use_id": "gone", "is_error": true, "content": "no such use"},
    ]);
    vec![
        user("a", None, "# Look\n<b>here</b>"),
        entry("assistant", "b", "a", json!([{"type": "thinking", "thinking": "Hm.", "signature": "s"}])),
        entry("assistant", "c", "b", json!([{"type": "text", "text": "I read."}])),
        entry(
            "assistant",
            "d",
            "c",
            json!([{"type": "tool_use", "id": "1", "name": "Read", "input": {"n": 1}}]),
        ),
        entry("user", "e", "d", result),
        entry(
            "assistant",
            "f",
            "e",
            json!([{"type": "text", "text": "Done."}, {"type": "later", "x": "</details>"}]),
        ),
    ]
}

#[test]
fn a_conversation_is_written_in_its_order_as_markdown() {
    // The keys of the test's values are sorted.
    let text = exported(&Export::markdown().titled("A #walk"), &walk());
    insta::assert_snapshot!(text);
    assert!(text.ends_with("</details>\n\n"));
    let with_pictures = exported(&Export::markdown().with_pictures(), &walk());
    assert!(with_pictures.contains("![Picture, image/png, 4 bytes](data:image/png;base64,QUJDRA==)"));
}

#[test]
fn a_page_has_the_same_texts_and_no_tag_from_them() {
    let page = exported(&Export::html().titled("</title><script>"), &walk());
    let places = [
        "# Look\n&lt;b&gt;here&lt;/b&gt;",
        "Hm.",
        "I read.",
        "Tool Read",
        "one\n```\ntwo",
        "4 bytes",
        "no such use",
        "Done.",
        "&lt;/details&gt;",
    ];
    let mut at = 0;
    for place in places {
        at += page[at..].find(place).unwrap_or_else(|| panic!("{place} is not in its place"));
    }
    assert!(!page.contains("<script") && !page.contains("<b>") && !page.contains("<img"));
    assert!(page.contains("<title>&lt;/title&gt;&lt;script&gt;</title>"));
    assert_eq!(page.matches("</details>").count(), page.matches("<details>").count());
    let with_pictures = exported(&Export::html().with_pictures(), &walk());
    assert!(with_pictures.contains("src=\"data:image/png;base64,QUJDRA==\""));
}

#[test]
fn pictures_of_other_types_and_urls_are_not_shown() {
    let source = |media: &str, data: &str| json!({"type": "image", "source": {"type": "base64", "media_type": media, "data": data}});
    let url = json!({"type": "image", "source": {"type": "url", "url": "https://example.com/\"onload=x"}});
    let blocks = json!([
        source("image/svg+xml", "QUJD"),
        source("image/png", "\"onload="),
        source("image/png\"", "QUJD"),
        url
    ]);
    let entries = [user("a", None, "x"), entry("assistant", "b", "a", blocks)];
    let page = exported(&Export::html().with_pictures(), &entries);
    assert!(!page.contains("<img") && !page.contains("src="), "{page}");
    assert_eq!(page.matches("[Picture").count(), 4);
    let text = exported(&Export::markdown().with_pictures(), &entries);
    assert!(!text.contains("]("), "{text}");
}

#[test]
fn the_policy_of_the_page_allows_its_style_and_no_script() {
    let page = exported(&Export::html(), &[]);
    let between = |start: &str, end: &str| page.split_once(start).unwrap().1.split_once(end).unwrap().0;
    let expected = format!(
        "default-src 'none'; img-src data:; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        digest(between("<style>", "</style>"))
    );
    assert_eq!(
        between("Content-Security-Policy\" content=\"", "\""),
        expected,
        "the style has changed: put this hash into html.rs"
    );
}

#[test]
fn invalid_content_is_shown_as_json() {
    let mut without = user("c", Some("b"), "x");
    without["message"] = json!("words");
    let entries = [
        user("a", None, "\u{1b}[31mred\r\nline\u{202e}"),
        entry("assistant", "b", "a", json!([{"type": "text"}, 7, {"type": "tool_use", "name": 1}])),
        without,
        entry("assistant", "d", "c", json!({"a": "```\n"})),
    ];
    for export in [Export::markdown(), Export::html()] {
        let text = exported(&export, &entries);
        for there in ["\u{fffd}", "words", "7", "\"tool_use\"", "```"] {
            let escaped = there.replace('"', "&quot;");
            assert!(text.contains(there) || text.contains(&escaped), "{there} in {text}");
        }
        assert!(!text.contains(['\u{1b}', '\r']));
    }
}

#[test]
fn system_entries_without_a_message_are_left_out() {
    let system = json!({"type": "system", "uuid": "b", "parentUuid": "a", "content": "a note"});
    let entries = [user("a", None, "words"), system, entry("assistant", "c", "b", json!("an answer"))];
    let messages = conversation_with_system(&raw(&entries));
    assert_eq!(messages.len(), 3);
    let mut out = Vec::new();
    Export::markdown().write(&messages, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert_eq!(text, "# Session\n\n## User\n\nwords\n\n## Assistant\n\nan answer\n\n");
}

#[test]
fn a_session_is_exported_under_its_title() {
    let config = Config::new();
    config.write("/w", &id(1), 10, &walk());
    let export = |number, export: &Export| {
        let mut out = Vec::new();
        let found = config.sessions().export(&id(number).into(), export, &mut out).unwrap();
        (found, String::from_utf8(out).unwrap())
    };
    let (found, text) = export(1, &Export::markdown());
    assert!(found && text.starts_with("# \\# Look &lt;b&gt;here&lt;/b&gt;\n\n## User\n"), "{text}");
    assert!(export(1, &Export::html().titled("Mine")).1.contains("<h1>Mine</h1>"));
    assert_eq!(export(2, &Export::html()), (false, String::new()));
}

/// Returns SHA-256 in base64, as in a content security policy.
fn digest(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text.as_bytes()))
}

#[test]
fn each_of_two_results_of_one_use_is_shown() {
    let result = |text: &str| json!({"type": "tool_result", "tool_use_id": "1", "content": text});
    let entries = [
        user("a", None, "x"),
        entry("assistant", "b", "a", json!([{"type": "tool_use", "id": "1", "name": "Read", "input": {}}])),
        entry("user", "c", "b", json!([result("first"), result("second")])),
    ];
    for export in [Export::markdown(), Export::html()] {
        let text = exported(&export, &entries);
        assert!(text.contains("first") && text.contains("second"), "{text}");
    }
}
