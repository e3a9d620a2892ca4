//! The numbers on the page equal independent counts of the recordings.

use agentwire_testkit::transcript::{Entry, Transcript};
use serde_json::Value;

use super::{expected, item, page_of, recording, recordings, shown, total};

#[test]
fn every_line_of_every_recording_is_there_once() {
    for (path, session) in recordings() {
        let page = agentwire_viewer::page(&session, "x");
        let mut lines = shown(&page);
        lines.sort_unstable();
        assert_eq!(lines, expected(&session), "{}", path.display());
        for link in page.split("href=\"#line-").skip(1) {
            let line = link[..link.find('"').unwrap()].parse().unwrap();
            assert!(lines.binary_search(&line).is_ok(), "a link to line {line} in {}", path.display());
        }
    }
}

#[test]
fn the_totals_are_those_of_the_lines() {
    let mut sums = [0; 5];
    for (path, session) in recordings() {
        let page = agentwire_viewer::page(&session, "x");
        let counted = counted(&session);
        for (at, name) in ["turns", "tools", "hooks", "permissions", "mcp"].into_iter().enumerate() {
            assert_eq!(total(&page, name), counted[at], "{name} in {}", path.display());
            sums[at] += counted[at];
        }
    }
    assert!(sums.iter().all(|sum| *sum > 10), "hardly anything was counted: {sums:?}");
}

#[test]
fn each_prompt_of_a_stored_session_begins_a_turn() {
    let message = |way: char, kind: &str, number: u32| {
        let message = serde_json::json!({
            "id": format!("msg_{number}"), "model": "a-model", "role": kind,
            "content": [{"type": "text", "text": format!("Text {number}.")}],
        });
        format!("{way} {}", serde_json::json!({"type": kind, "message": message, "session_id": "s"}))
    };
    let lines = [message('>', "user", 1), message('<', "assistant", 2), message('>', "user", 3)];
    let session = Transcript::parse(format!("# agentwire-transcript 1\n{}\n", lines.join("\n"))).unwrap();
    let page = agentwire_viewer::page(&session, "x");
    assert_eq!(total(&page, "turns"), 2);
    assert!(page.contains("a-model") && !page.contains("no result"));
}

#[test]
fn tokens_of_the_input_contain_those_of_the_cache() {
    let usage = serde_json::json!({
        "input_tokens": 11, "output_tokens": 15,
        "cache_read_input_tokens": 102_000, "cache_creation_input_tokens": 2000,
    });
    let result =
        serde_json::json!({"type": "result", "subtype": "success", "is_error": false, "usage": usage});
    let page = page_of(&[&format!("< {result}")]);
    assert!(page.contains("104011 in, 15 out") && page.contains("104011 tokens in, 15 out"));
}

#[test]
fn largest_numbers_of_a_recording_are_drawn() {
    let most = u64::MAX;
    let usage = serde_json::json!({"input_tokens": most, "output_tokens": most});
    let result =
        serde_json::json!({"type": "result", "subtype": "success", "is_error": false, "usage": usage});
    let prompt = r#"> {"type":"user","message":{"role":"user","content":"Go."}}"#;
    for pause in [most, most / 2] {
        let (pause, result) = (format!("~ {pause}ms"), format!("< {result}"));
        let page = page_of(&[&pause, prompt, &pause, &result, prompt, &result]);
        assert!(page.contains(&format!("{most} in, {most} out")) && page.contains("Longest"));
    }
}

#[test]
fn session_of_our_own_messages_is_not_shown() {
    let prompt = r#"> {"type":"user","message":{"role":"user","content":"Go."},"session_id":"default"}"#;
    assert!(!page_of(&[prompt]).contains("<dd>default"));
}

/// Counts turns, tool uses, hooks, permission requests and MCP messages from the lines alone.
fn counted(session: &Transcript) -> [usize; 5] {
    let mut counts = [0; 5];
    let mut running = false;
    for entry in &session.entries {
        let (inbound, line) = match entry {
            Entry::Inbound(line) => (true, line),
            Entry::Outbound(line) => (false, line),
            _ => continue,
        };
        let Ok(frame) = serde_json::from_slice::<Value>(line) else { continue };
        let request = &frame["request"];
        match (frame["type"].as_str().unwrap_or_default(), inbound) {
            ("result", _) => {
                counts[0] += 1;
                running = false;
            }
            ("user", false) => running = true,
            ("system", _) if frame["subtype"] == "init" => running = true,
            ("assistant", _) => {
                running |= frame["parent_tool_use_id"].is_null();
                let blocks = frame["message"]["content"].as_array().unwrap();
                counts[1] += blocks.iter().filter(|block| block["type"] == "tool_use").count();
            }
            ("control_request", true) if request["subtype"] == "hook_callback" => counts[2] += 1,
            ("control_request", true) if request["subtype"] == "can_use_tool" => counts[3] += 1,
            ("control_request", _) if request["subtype"] == "mcp_message" => {
                counts[4] += usize::from(request["message"]["method"].is_string());
            }
            _ => {}
        }
    }
    // The last turn of a recording may lack a result.
    counts[0] += usize::from(running);
    counts
}

#[test]
fn recordings_have_no_unknown_undecodable_or_unpaired_lines() {
    // Lines that our side sent wrongly on purpose have badges, so such recordings are left out.
    for (path, session) in recordings().into_iter().filter(|(_, session)| session.header.faults != Some(true))
    {
        let page = agentwire_viewer::page(&session, "x");
        // Scenarios contain unknown requests on purpose; any other badge is a gap of the viewer.
        for item in page.split("<div class=\"it ").filter(|item| item.contains("<strong class=badge>")) {
            assert!(item.starts_with("request\""), "{}: {item}", path.display());
        }
        assert!(!page.contains("no known tool use"), "{}", path.display());
    }
}

#[test]
fn the_same_transcript_gives_the_same_page() {
    let session = recording("quickstart");
    assert_eq!(agentwire_viewer::page(&session, "x"), agentwire_viewer::page(&session, "x"));
}

#[test]
fn a_denied_permission_is_within_its_tool_and_marked_as_denied() {
    let session = recording("permission-deny-interrupt");
    let page = agentwire_viewer::page(&session, "x");
    let question = item(&page, line_with(&session, "can_use_tool"));
    assert!(question.starts_with("permission\""), "{question}");
    assert!(question.contains("<span class=\"o bad\">denied</span>"), "{question}");
    assert_eq!(shown(&format!("<div class=\"it {question}")).len(), 2);
    let tool = page.split("<div class=\"it tool\">").nth(1).unwrap();
    let nested = tool.split_once("<div class=nest>").unwrap().1;
    assert!(nested.starts_with("<div class=\"it permission\">"), "{nested}");
    assert!(tool.contains("<span class=\"o bad\">error</span>"));
}

#[test]
fn an_agent_works_within_the_tool_use_that_started_it() {
    let session = recording("agent-foreground");
    let page = agentwire_viewer::page(&session, "x");
    let task = page.split("<b>Task</b>").nth(1).unwrap();
    let nested = task.split_once("<div class=nest>").unwrap().1;
    let read = nested.find("<b>Read</b>").unwrap();
    assert!(nested[..read].matches("<div class=nest>").count() <= 1);
    assert!(nested[..read].contains("Prompt of the agent") && nested.contains("<b>SubagentStart</b>"));
}

#[test]
fn a_stream_is_within_the_message_that_it_became() {
    let session = recording("partial-messages-with-thinking");
    let page = agentwire_viewer::page(&session, "x");
    let events = session.inbound().filter(|line| line.starts_with(b"{\"type\":\"stream_event\"")).count();
    assert!(events > 10);
    assert!(!page.contains("without a final message"));
    let thought =
        page.split("<div class=\"it thinking\">").nth(1).unwrap().split("<div class=\"it ").next().unwrap();
    assert!(shown(thought).len() > events, "{}", shown(thought).len());
    assert_eq!(page.matches("streamed in ").count(), 1);
}

#[test]
fn cut_stream_shows_its_pieces() {
    let page = page_of(&[
        r#"< {"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"half a "}},"session_id":"s","api_message_id":"m"}"#,
        r#"< {"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"sentence"}},"session_id":"s","api_message_id":"m"}"#,
    ]);
    assert!(page.contains("Stream without a final message") && page.contains("half a sentence"));
    let long = "word ".repeat(1_000);
    let delta = format!(
        r#"< {{"type":"stream_event","event":{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{long}"}}}},"session_id":"s","api_message_id":"m"}}"#
    );
    let page = page_of(&[&delta]);
    assert!(page.contains("<span class=v>word word ") && !page.contains("#line-0"), "{page}");
}

#[test]
fn an_mcp_call_is_paired_with_its_answer_and_shown_with_its_tool() {
    let session = recording("mcp-tool-text");
    let page = agentwire_viewer::page(&session, "x");
    let call = page.split("<b>tools/call</b>").nth(1).unwrap().split("<div class=\"it ").next().unwrap();
    assert!(
        call.contains("calc · add") && call.contains("The sum is 5.") && call.contains("o good\">ok"),
        "{call}"
    );
    assert_eq!(shown(call).len(), 2);
    let page = agentwire_viewer::page(&recording("mcp-tool-image"), "x");
    let call = page.split("<b>tools/call</b>").nth(1).unwrap().split("<div class=\"it ").next().unwrap();
    assert!(call.contains("Here is the picture.") && call.contains("(image)"), "{call}");
}

#[test]
fn acknowledgements_do_not_replace_the_outcome_of_an_mcp_call() {
    let page = page_of(&[
        r#"> {"type":"control_request","request_id":"a","request":{"subtype":"mcp_message","server_name":"s","message":{"jsonrpc":"2.0","id":1,"method":"roots/list"}}}"#,
        r#"< {"type":"control_response","response":{"subtype":"success","request_id":"a","response":{}}}"#,
        r#"< {"type":"control_request","request_id":"b","request":{"subtype":"mcp_message","server_name":"s","message":{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}}}"#,
        r#"> {"type":"control_response","response":{"subtype":"success","request_id":"b","response":{"mcp_response":{"jsonrpc":"2.0","id":0,"result":{}}}}}"#,
    ]);
    let call = item(&page, 5);
    assert!(call.contains("<b>roots/list</b>") && call.contains("o good\">ok<"), "{call}");
}

#[test]
fn mcp_error_without_a_text_is_an_error() {
    let page = page_of(&[
        r#"< {"type":"control_request","request_id":"a","request":{"subtype":"mcp_message","server_name":"s","message":{"jsonrpc":"2.0","id":1,"method":"tools/list"}}}"#,
        r#"> {"type":"control_response","response":{"subtype":"success","request_id":"a","response":{"mcp_response":{"jsonrpc":"2.0","id":1,"error":{"code":-32603}}}}}"#,
    ]);
    let call = item(&page, 3);
    assert!(call.contains("<b>tools/list</b>") && call.contains("o bad\">error<"), "{call}");
}

#[test]
fn unknown_undecodable_and_unpaired_lines_have_badges() {
    let page = page_of(&[
        r#"< {"type":"brand_new","n":1}"#,
        r#"< {"type":"system","subtype":"brand_new_too"}"#,
        r#"< {"type":"assistant","message":{"id":"m","model":"x","content":[{"type":"new_block"}]}}"#,
        "< not JSON",
        r#"< {"type":"control_request","request_id":"q","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{},"tool_use_id":"t"}}"#,
        r#"> {"type":"control_response","response":{"subtype":"success","request_id":"other"}}"#,
        r#"> {"type":"control_request","request_id":"r","request":{"subtype":"count_words"}}"#,
        r#"< {"type":"control_request","request_id":"h","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{},"tool_use_id":"t"}}"#,
        r#"< {"type":"control_cancel_request","request_id":"h"}"#,
        "~ 40ms",
    ]);
    assert_eq!(total(&page, "unknown"), 6);
    assert!(item(&page, 2).contains("<strong class=badge>unknown</strong>"));
    assert!(item(&page, 3).contains("system/brand_new_too"));
    assert!(item(&page, 4).contains("new_block"));
    assert!(item(&page, 5).contains("<strong class=badge>undecodable</strong>"));
    assert!(item(&page, 6).contains("o open\">no answer"));
    assert!(item(&page, 7).contains("an answer to no known request"));
    assert!(item(&page, 8).contains("<strong class=badge>unknown</strong>"));
    assert!(item(&page, 9).contains("o plain\">cancelled"));
    assert!(page.contains("40 ms") && !page.contains("No times recorded"));
}

#[test]
fn fields_of_a_dialog_are_shown() {
    let page = page_of(&[
        r#"< {"type":"control_request","request_id":"d","request":{"subtype":"request_user_dialog","dialog_kind":"choice","payload":"Which?"}}"#,
    ]);
    let dialog = item(&page, 2);
    let summary = dialog.split("</summary>").next().unwrap();
    assert!(summary.contains("<span class=n>choice</span>"), "{summary}");
    assert!(dialog.contains("<span class=t>dialog_kind</span> <span class=v>choice</span>"), "{dialog}");
    assert!(dialog.contains("<span class=t>payload</span> <span class=v>Which?</span>"), "{dialog}");
}

#[test]
fn a_hooks_reply_and_stderr_are_shown_in_words() {
    let session = recording("quickstart");
    let page = agentwire_viewer::page(&session, "x");
    let hook = page.split("<b>PreToolUse</b>").nth(1).unwrap().split("<div class=\"it ").next().unwrap();
    assert!(hook.contains("<span class=t>permissionDecision</span> <span class=v>deny</span>"), "{hook}");
    let page = page_of(&["! one", "! two <b>"]);
    let (item, again) = (item(&page, 2), item(&page, 3));
    assert_eq!(item, again);
    assert!(item.contains("<span class=v>two &lt;b&gt;</span>"), "{item}");
}

#[test]
fn a_recording_with_times_has_durations() {
    let page = page_of(&[
        r#"< {"type":"assistant","message":{"id":"m","model":"x","content":[{"type":"tool_use","id":"t","name":"Bash","input":{}}]}}"#,
        "~ 1200ms",
        r#"< {"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"ok"}]}}"#,
        "~ 300ms",
    ]);
    assert!(item(&page, 2).contains("<span class=n>1.2 s</span>"), "{}", item(&page, 2));
    assert!(page.contains("<dd>1.5 s") && page.contains("<a href=\"#line-2\">1.2 s</a>"));
}

#[test]
fn tool_use_that_names_itself_as_parent_is_shown() {
    let page = page_of(&[
        r#"< {"type":"assistant","parent_tool_use_id":"a","message":{"id":"m","model":"x","content":[{"type":"tool_use","id":"a","name":"A","input":{}}]}}"#,
        r#"< {"type":"assistant","parent_tool_use_id":"c","message":{"id":"n","model":"x","content":[{"type":"tool_use","id":"b","name":"B","input":{}}]}}"#,
        r#"< {"type":"assistant","parent_tool_use_id":"b","message":{"id":"o","model":"x","content":[{"type":"tool_use","id":"c","name":"C","input":{}}]}}"#,
    ]);
    let mut lines = shown(&page);
    lines.sort_unstable();
    assert_eq!(lines, [2, 3, 4, 5]);
}

fn line_with(session: &Transcript, word: &str) -> usize {
    let has =
        |entry: &Entry| matches!(entry, Entry::Inbound(line) if String::from_utf8_lossy(line).contains(word));
    session.line_number(session.entries.iter().position(has).unwrap())
}

#[test]
fn input_that_is_nested_too_deeply_is_shown_as_its_text() {
    let deep = format!(r#"{{"to":"evil","x":{}1{}}}"#, "[".repeat(200), "]".repeat(200));
    let tool = format!(
        r#"< {{"type":"assistant","message":{{"id":"m","role":"assistant","model":"x","content":[{{"type":"tool_use","id":"t1","name":"mcp__a__b","input":{deep}}}]}}}}"#
    );
    let question = format!(
        r#"< {{"type":"control_request","request_id":"r","request":{{"subtype":"can_use_tool","tool_name":"mcp__a__b","tool_use_id":"t2","input":{deep}}}}}"#
    );
    let call = format!(
        r#"< {{"type":"control_request","request_id":"m","request":{{"subtype":"mcp_message","server_name":"s","message":{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"t","arguments":{deep}}}}}}}}}"#
    );
    let page = page_of(&[&tool, &question, &call]);
    for line in [2, 3, 4] {
        assert!(item(&page, line).contains("evil"), "{}", item(&page, line));
    }
}
