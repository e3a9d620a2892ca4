//! Nothing that a transcript holds becomes markup, and the page may load nothing.

use agentwire_testkit::Transcript;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest as _, Sha256};

use super::{page_of, recordings};

const EVIL: &str =
    "</script></pre><script>alert(1)</script><img src=x onerror=alert(2)>\\\" onclick=\\\"alert(3)";

#[test]
fn markup_in_any_place_is_text() {
    let lines = [
        format!(r#"> {{"type":"user","message":{{"role":"user","content":"{EVIL}"}}}}"#),
        format!(
            r#"< {{"type":"assistant","message":{{"id":"m","model":"{EVIL}","content":[{{"type":"tool_use","id":"t","name":"{EVIL}","input":{{"{EVIL}":"{EVIL}"}}}}]}}}}"#
        ),
        format!(
            r#"< {{"type":"user","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","content":"{EVIL}"}}]}}}}"#
        ),
        format!(r#"< {{"type":"{EVIL}","a":1}}"#),
        format!(r#"< {{"type":"system","subtype":"{EVIL}"}}"#),
        format!(
            r#"< {{"type":"system","subtype":"init","session_id":"{EVIL}","cwd":"{EVIL}","model":"{EVIL}"}}"#
        ),
        format!(
            r#"< {{"type":"control_request","request_id":"h","request":{{"subtype":"hook_callback","callback_id":"{EVIL}","input":{{"hook_event_name":"{EVIL}","{EVIL}":1}}}}}}"#
        ),
        format!(
            r#"> {{"type":"control_response","response":{{"subtype":"error","request_id":"h","error":"{EVIL}"}}}}"#
        ),
        format!(
            r#"< {{"type":"control_request","request_id":"m","request":{{"subtype":"mcp_message","server_name":"{EVIL}","message":{{"method":"{EVIL}","id":1}}}}}}"#
        ),
        format!("< {EVIL}"),
        format!("! {EVIL}"),
        format!("# {EVIL}"),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let text = format!("# agentwire-transcript 1\n{}\n", lines.join("\n"));
    let page = agentwire_viewer::page(&Transcript::parse(text).unwrap(), EVIL);
    assert!(page.matches("alert(1)").count() > 20);
    let found = markup(&page);
    assert_eq!(found.iter().filter(|tag| tag.starts_with("<script")).count(), 1, "{found:?}");
    assert!(!found.iter().any(|tag| tag.starts_with("<img") || tag.contains("alert")), "{found:?}");
}

#[test]
fn a_long_value_under_a_key_of_markup_is_no_markup_either() {
    let long = "x".repeat(9_000);
    let line = format!(
        r#"< {{"type":"assistant","message":{{"id":"m","model":"x","content":[{{"type":"tool_use","id":"t","name":"n","input":{{"{EVIL}/~":"{long}"}}}}]}}}}"#
    );
    let page = page_of(&[&line]);
    assert!(page.contains("show all 9\u{202f}000 bytes"));
    assert!(page.contains("onclick=&#34;alert(3)~1~0\""), "the key is in an attribute, as a JSON pointer");
    assert!(!markup(&page).iter().any(|tag| tag.contains("onclick=\"")));
}

#[test]
fn unreadable_lines_are_shown() {
    let page = page_of(&[
        r#"< {"type":"assistant","message":{"id":"m","model":"x","content":[{"type":"text","text":"cut \ud83d here"}]}}"#,
        "< {\"type\":\"keep_alive\",\"text\":\"a\u{2028}b\u{202e}c\"}",
        "< a\u{1b}[31m\u{7}\rb",
    ]);
    assert!(page.contains("cut \u{fffd} here"), "a lone surrogate reads as a replacement character");
    assert!(page.contains(r"cut \ud83d here"), "and stays what it was in the frame");
    assert!(page.contains("a\u{2028}b"));
    assert!(page.contains("a\u{241b}[31m\u{2407}\u{240d}b"));
    let bytes = Transcript::from_json_lines(b"{\"type\":\"keep_alive\",\"a\":\"\xff\"}\n");
    assert!(agentwire_viewer::page(&bytes, "x").contains("<strong class=badge>undecodable</strong>"));
}

#[test]
fn the_page_names_nothing_outside_itself() {
    for (path, session) in recordings() {
        for tag in markup(&agentwire_viewer::page(&session, "x")) {
            let target = |name: &str| tag.split_once(name).map(|(_, value)| value.to_owned());
            if let Some(href) = target("href=\"") {
                assert!(href.starts_with('#'), "{tag} in {}", path.display());
            }
            let loads =
                ["<link", "<img", "<iframe", "<object", "<embed", "<form", "<base", "<audio", "<video"];
            assert!(!loads.iter().any(|name| tag.starts_with(name)), "{tag} in {}", path.display());
            assert!(!tag.contains(" src=") && !tag.contains(" style=") && !tag.contains(" on"), "{tag}");
        }
    }
}

#[test]
fn the_policy_allows_the_style_and_the_script_of_the_page_and_nothing_else() {
    let page = page_of(&["# nothing"]);
    let policy = between(&page, "Content-Security-Policy content=\"", "\"");
    let (style, script) = (between(&page, "<style>", "</style>"), between(&page, "<script>", "</script>"));
    let expected = format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        digest(style),
        digest(script),
    );
    assert_eq!(policy, expected, "the style or the script has changed: put these hashes into src/lib.rs");
    for text in [style, script] {
        assert!(!text.contains("http") && !text.contains("url(") && !text.contains("@import"), "{text}");
        assert!(!text.contains("innerHTML") && !text.contains("eval("), "{text}");
    }
}

/// Returns the tags of a page, without the text of its style and its script.
fn markup(page: &str) -> Vec<String> {
    let without_style =
        [&page[..page.find("<style>").unwrap()], page.split_once("</style>").unwrap().1].concat();
    let script = without_style.rfind("<script>").unwrap();
    let text = &without_style[..script + "<script>".len()];
    let tags = text.split('<').skip(1).map(|rest| format!("<{}", &rest[..rest.find('>').unwrap()]));
    tags.collect()
}

fn between<'a>(page: &'a str, start: &str, end: &str) -> &'a str {
    page.split_once(start).unwrap().1.split_once(end).unwrap().0
}

/// Returns SHA-256 in base64, as a policy contains it.
fn digest(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text.as_bytes()))
}
