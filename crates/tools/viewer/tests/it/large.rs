//! Long sessions and long lines: the page stays about as long as its transcript, and long texts are closed.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use agentwire_testkit::Transcript;

use super::{expected, recordings, shown};

#[test]
fn ten_thousand_frames_give_a_page_about_as_long() {
    let mut text = String::from(
        "# agentwire-transcript 1\n> {\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"go\"}}\n",
    );
    for n in 0..2_500 {
        let _ = writeln!(
            text,
            r#"< {{"type":"assistant","message":{{"id":"msg_{n}","model":"a-model","role":"assistant","content":[{{"type":"tool_use","id":"toolu_{n}","name":"Bash","input":{{"command":"ls -l {n}"}}}}],"usage":{{"input_tokens":1,"output_tokens":1}}}},"parent_tool_use_id":null,"session_id":"00000000-0000-4000-8000-000000000002","uuid":"00000000-0000-4000-8000-{n:012}"}}
< {{"type":"control_request","request_id":"r{n}","request":{{"subtype":"can_use_tool","tool_name":"Bash","display_name":"Bash","input":{{"command":"ls -l {n}"}},"tool_use_id":"toolu_{n}"}}}}
> {{"type":"control_response","response":{{"subtype":"success","request_id":"r{n}","response":{{"behavior":"allow"}}}}}}
< {{"type":"user","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"toolu_{n}","content":"total 0"}}]}},"parent_tool_use_id":null,"session_id":"00000000-0000-4000-8000-000000000002","uuid":"00000000-0000-4000-9000-{n:012}"}}"#
        );
    }
    let session = Transcript::parse(&text).unwrap();
    let started = Instant::now();
    let page = agentwire_viewer::page(&session, "x");
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    assert!(page.len() * 2 < text.len() * 5 + OWN, "{} bytes for {}", page.len(), text.len());
    let mut lines = shown(&page);
    lines.sort_unstable();
    assert_eq!(lines, expected(&session));
}

#[test]
fn long_text_is_on_the_page_once_and_collapsed() {
    let long = "word ".repeat(1 << 20);
    let line = format!(
        r#"{{"type":"assistant","message":{{"id":"m","model":"x","content":[{{"type":"text","text":"{long}"}}]}}}}"#
    );
    let page = agentwire_viewer::page(&Transcript::from_json_lines(&line), "x");
    assert!(page.len() < line.len() + OWN, "{} bytes for {}", page.len(), line.len());
    assert!(page.contains("data-at=\"/message/content/0/text\">show all 5\u{202f}242\u{202f}880 bytes</a>"));
    assert_eq!(page.matches("<details class=rest>").count(), 1);
    assert!(!page.contains("<details open"));
}

#[test]
fn the_pages_of_recordings_are_bounded() {
    for (path, session) in recordings() {
        let (page, text) = (agentwire_viewer::page(&session, "x"), session.to_bytes().unwrap());
        assert!(
            page.len() * 2 < text.len() * 5 + 2 * OWN,
            "{} for {} in {}",
            page.len(),
            text.len(),
            path.display()
        );
    }
}

#[test]
fn many_agents_within_each_other_are_no_deep_page() {
    let mut text = String::new();
    for n in 0..3_000 {
        let _ = writeln!(
            text,
            r#"{{"type":"assistant","parent_tool_use_id":"t{}","message":{{"id":"m{n}","model":"x","content":[{{"type":"tool_use","id":"t{n}","name":"Task","input":{{}}}}]}}}}"#,
            n - 1
        );
    }
    let page = agentwire_viewer::page(&Transcript::from_json_lines(&text), "x");
    assert_eq!(shown(&page).len(), 3_000);
    let (mut open, mut deepest) = (0_usize, 0_usize);
    for tag in page.split('<') {
        if tag.starts_with("div") {
            open += 1;
            deepest = deepest.max(open);
        } else if tag.starts_with("/div") {
            open -= 1;
        }
    }
    assert!(deepest < 30, "{deepest} within each other");
}

/// The size of a page without its content.
const OWN: usize = 40 << 10;
