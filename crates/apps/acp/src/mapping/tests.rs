//! Recorded sessions, as the updates that editors receive.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use agent_client_protocol::v1::schema::{ContentBlock, SessionUpdate, ToolCallStatus};
use agentwire::{Block, Message};
use agentwire_testkit::transcript::{Entry, Transcript};

use super::Mapping;
use crate::features::Features;

const VERSIONS: &[&str] = &["2.1.330", "2.1.197"];

/// Recordings with something to show in each.
#[rustfmt::skip]
const SHOWN: &[&str] = &[
    "agent-foreground", "ask-user-question", "compact", "exit-plan-mode", "interrupt-mid-stream", "interrupt-mid-tool",
    "mcp-tool-image", "mode-plan", "partial-messages-with-thinking", "permission-allow", "permission-deny",
    "permission-updates-mode", "refusal-fallback", "resume", "rewind-files", "slash-context", "task-tools", "todo",
    "tool-over-3-s",
];

fn folder(version: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fixtures/sessions").join(version)
}

fn messages(path: &Path) -> Vec<Message> {
    let transcript = Transcript::parse(fs::read(path).unwrap()).unwrap();
    let lines = transcript.entries.into_iter().filter_map(|entry| match entry {
        Entry::Inbound(line) => Some(line),
        _ => None,
    });
    lines.filter_map(|line| Message::from_bytes(&line).ok()).collect()
}

fn all() -> impl Iterator<Item = (PathBuf, Vec<Message>)> {
    let paths = VERSIONS.iter().flat_map(|version| fs::read_dir(folder(version)).unwrap());
    paths.map(|entry| entry.unwrap().path()).map(|path| {
        let messages = messages(&path);
        (path, messages)
    })
}

fn features() -> Features {
    Features { cwd: PathBuf::from("/project"), ..Features::default() }
}

fn shown(messages: &[Message], features: Features) -> String {
    let mut mapping = Mapping::new(features);
    let mut text = String::new();
    for update in messages.iter().flat_map(|message| mapping.updates(message)) {
        writeln!(text, "{}", serde_json::to_string(&update).unwrap()).unwrap();
    }
    text
}

#[test]
fn recordings_are_shown_as_in_the_snapshots() {
    for name in SHOWN {
        let messages = messages(&folder(VERSIONS[0]).join(format!("{name}.transcript")));
        insta::assert_snapshot!(*name, shown(&messages, features()));
    }
}

#[test]
fn richer_clients_get_terminals_notices_and_compactions() {
    let features = Features { terminal_output: true, notices: true, compactions: true, ..features() };
    for name in ["permission-allow", "compact", "refusal-fallback"] {
        let messages = messages(&folder(VERSIONS[0]).join(format!("{name}.transcript")));
        insta::assert_snapshot!(format!("{name}-rich"), shown(&messages, features.clone()));
    }
}

/// Streamed fragments and whole blocks together show each text once. A block that was cut off has fragments alone.
#[test]
fn each_answer_is_shown_once() {
    for (path, messages) in all() {
        let mut mapping = Mapping::new(features());
        let (mut received, mut shown) = (BTreeMap::<_, String>::new(), BTreeMap::<_, String>::new());
        for message in &messages {
            if let Message::Assistant(answer) = message
                && answer.parent_tool_use_id.is_none()
            {
                let texts = answer.message.content.iter().filter_map(Block::as_text);
                received.entry(answer.message.id.to_string()).or_default().extend(texts);
            }
            for update in mapping.updates(message) {
                // Notes of the CLI have no message.
                if let SessionUpdate::AgentMessageChunk(chunk) = update
                    && let Some(id) = chunk.message_id
                    && let ContentBlock::Text(text) = chunk.content
                {
                    shown.entry(id.to_string()).or_default().push_str(&text.text);
                }
            }
        }
        for (id, received) in received {
            assert_eq!(shown.remove(&id).unwrap_or_default(), received, "{}: {id}", path.display());
        }
    }
}

/// An update names a call that was announced, and nothing follows a result.
#[test]
fn each_tool_call_is_announced_and_ends_once() {
    for (path, messages) in all() {
        let mut mapping = Mapping::new(features());
        let (mut open, mut ended, mut failed) = (Vec::new(), Vec::new(), Vec::new());
        for message in &messages {
            for update in mapping.updates(message) {
                match update {
                    SessionUpdate::ToolCall(call) if call.status == ToolCallStatus::Completed => {
                        ended.push(call.tool_call_id);
                    }
                    SessionUpdate::ToolCall(call) => {
                        assert!(!open.contains(&call.tool_call_id), "{}: announced twice", path.display());
                        open.push(call.tool_call_id);
                    }
                    SessionUpdate::ToolCallUpdate(update) => {
                        let id = update.tool_call_id;
                        assert!(open.contains(&id), "{}: {id} was not announced", path.display());
                        assert!(!ended.contains(&id), "{}: {id} has ended", path.display());
                        match update.fields.status {
                            Some(ToolCallStatus::Completed) => ended.push(id),
                            // The result follows the report of a denial.
                            Some(ToolCallStatus::Failed) => failed.push(id),
                            _ => {}
                        }
                    }
                    _ => {}
                }
            }
            if let Message::Result(_) = message {
                let left = open.iter().find(|id| !ended.contains(id) && !failed.contains(id));
                assert_eq!(left, None, "{}: it outlives its turn", path.display());
            }
        }
    }
}

/// Returns the ids of the calls that a message ends as failed.
fn failed_by(mapping: &mut Mapping, message: &str) -> Vec<String> {
    let updates = mapping.updates(&Message::from_line(message).unwrap()).into_iter();
    let failed = updates.filter_map(|update| match update {
        SessionUpdate::ToolCallUpdate(update) if update.fields.status == Some(ToolCallStatus::Failed) => {
            Some(update.tool_call_id.to_string())
        }
        _ => None,
    });
    failed.collect()
}

#[test]
fn call_of_an_answer_that_was_cut_off_fails() {
    let mut mapping = Mapping::new(features());
    let event = |event: &str, fields: &str| {
        format!(r#"{{"type":"stream_event","event":{event},"parent_tool_use_id":null{fields}}}"#)
    };
    let start = |place: u32, id: &str| {
        let block = format!(r#"{{"type":"tool_use","id":"{id}","name":"Bash","input":{{}}}}"#);
        event(&format!(r#"{{"type":"content_block_start","index":{place},"content_block":{block}}}"#), "")
    };
    let whole = r#"{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{}}]},"parent_tool_use_id":null}"#;
    for message in [&start(0, "t1"), whole, &start(1, "t2")] {
        assert_eq!(failed_by(&mut mapping, message), [""; 0]);
    }
    let blocks = r#","abandoned_blocks":{"api_message_id":"m","from_block_index":1}"#;
    assert_eq!(failed_by(&mut mapping, &event(r#"{"type":"message_stop"}"#, blocks)), ["t2"]);
    let result = r#"{"type":"result","subtype":"error_during_execution","is_error":true}"#;
    assert_eq!(failed_by(&mut mapping, result), ["t1"]);
}

/// Returns a call of `Bash`, as a message of the conversation of `parent`, which is JSON.
fn call(id: &str, parent: &str) -> String {
    let block = format!(r#"{{"type":"tool_use","id":"{id}","name":"Bash","input":{{}}}}"#);
    format!(
        r#"{{"type":"assistant","message":{{"id":"m","content":[{block}]}},"parent_tool_use_id":{parent}}}"#
    )
}

#[test]
fn call_of_a_background_agent_outlives_the_turn() {
    let mut mapping = Mapping::new(features());
    let launched = r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"background","content":"Started."}]},"parent_tool_use_id":null}"#;
    for message in [
        &call("background", "null"),
        launched,
        &call("stays", r#""background""#),
        &call("agent", "null"),
        &call("inner", r#""agent""#),
    ] {
        assert_eq!(failed_by(&mut mapping, message), [""; 0]);
    }
    let result = r#"{"type":"result","subtype":"error_max_budget_usd","is_error":true}"#;
    assert_eq!(failed_by(&mut mapping, result), ["agent", "inner"]);
}

/// The order of `interrupt-agent.transcript`, with a call of the agent, which gets no result.
#[test]
fn call_of_an_interrupted_agent_fails() {
    let mut mapping = Mapping::new(features());
    let (agent, inner) = (call("agent", "null"), call("inner", r#""agent""#));
    let stopped =
        r#"{"type":"system","subtype":"task_notification","tool_use_id":"agent","status":"stopped"}"#;
    let rejected = r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"agent","content":"Rejected.","is_error":true}]},"parent_tool_use_id":null}"#;
    let result = r#"{"type":"result","subtype":"error_during_execution","is_error":true}"#;
    let failed =
        [&*agent, &*inner, stopped, rejected, result].map(|message| failed_by(&mut mapping, message));
    assert_eq!(failed.map(|ids| ids.join(" ")), ["", "", "inner", "agent", ""]);
}

#[test]
fn terminal_of_a_command_without_a_result_has_an_exit() {
    let mut mapping = Mapping::new(Features { terminal_output: true, ..features() });
    mapping.updates(&Message::from_line(&call("t", "null")).unwrap());
    let result = Message::from_line(r#"{"type":"result","subtype":"success","is_error":false}"#).unwrap();
    let update = serde_json::to_value(&mapping.updates(&result)[0]).unwrap();
    assert_eq!(update["status"], "failed");
    let exit = serde_json::json!({"terminal_id": "t", "exit_code": null, "signal": null});
    assert_eq!(update["_meta"]["terminal_exit"], exit);
}

#[test]
fn conversation_that_was_reset_has_no_tasks_and_no_tokens() {
    let mut mapping = Mapping::new(features());
    let mut shown = |line: &str| {
        let updates = mapping.updates(&Message::from_line(line).unwrap());
        updates.last().map(|update| serde_json::to_value(update).unwrap()).unwrap_or_default()
    };
    let called = r#"{"type":"assistant","message":{"id":"m","model":"m","usage":{"input_tokens":5},"content":[{"type":"tool_use","id":"t","name":"TaskCreate","input":{"subject":"Think"}}]},"parent_tool_use_id":null}"#;
    let created = r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"Task #1 created successfully: Think"}]}}"#;
    let result =
        r#"{"type":"result","subtype":"success","is_error":false,"modelUsage":{"m":{"contextWindow":100}}}"#;
    let reset = r#"{"type":"conversation_reset","new_conversation_id":"c"}"#;
    shown(called);
    assert_eq!(shown(created)["entries"][0]["content"], "Think");
    assert_eq!(shown(result)["used"], 5);
    assert_eq!(shown(reset)["entries"], serde_json::json!([]));
    assert_eq!(shown(reset), serde_json::Value::Null);
    assert_eq!(shown(result)["used"], 0);
    let todos = r#"{"type":"assistant","message":{"id":"n","content":[{"type":"tool_use","id":"u","name":"TodoWrite","input":{"todos":[{"content":"Rest"}]}}]},"parent_tool_use_id":null}"#;
    assert_eq!(shown(todos)["entries"][0]["content"], "Rest");
    assert_eq!(shown(reset)["entries"], serde_json::json!([]));
}

#[test]
fn unknown_message_is_ignored() {
    let unknown = Message::from_line(r#"{"type":"later","text":"new"}"#).unwrap();
    assert!(Mapping::new(features()).updates(&unknown).is_empty());
}

/// Describes a call in the folder `/project`.
fn show(name: &str, input: &str) -> super::tool::Described {
    super::described(name, &serde_json::from_str(input).unwrap(), None, Path::new("/project"))
}

#[test]
fn paths_are_relative_in_titles_and_absolute_elsewhere() {
    let read = show("Read", r#"{"file_path":"/project/src/a.rs","offset":10,"limit":5}"#);
    assert_eq!(read.title, "Read src/a.rs (lines 10 to 14)");
    assert_eq!(
        (read.locations[0].path.to_str(), read.locations[0].line),
        (Some("/project/src/a.rs"), Some(10))
    );
    assert_eq!(
        show("Write", r#"{"file_path":"b.rs","content":""}"#).locations[0].path.to_str(),
        Some("/project/b.rs")
    );
    assert_eq!(show("mcp__files__list", "{}").title, "list (files)");
    assert_eq!(show("Later", "null").title, "Later");
}

#[test]
fn titles_say_what_else_an_edit_changes() {
    let all =
        show("Edit", r#"{"file_path":"/project/a","old_string":"1","new_string":"2","replace_all":true}"#);
    assert_eq!(all.title, "Edit a (all occurrences)");
    let delete =
        show("NotebookEdit", r#"{"notebook_path":"/project/n.ipynb","edit_mode":"delete","new_source":"1"}"#);
    assert_eq!((&*delete.title, delete.content.len()), ("Delete a cell of n.ipynb", 0));
    assert_eq!(show("Monitor", r#"{"command":"tail -f log","description":"Watch."}"#).title, "tail -f log");
}

#[test]
fn each_edit_of_a_file_is_a_diff() {
    let input = r#"{"file_path":"/project/a","edits":[{"old_string":"1","new_string":"2"},{"old_string":"","new_string":"3"}]}"#;
    let diffs = serde_json::to_value(show("MultiEdit", input).content).unwrap();
    assert_eq!((&diffs[0]["oldText"], &diffs[0]["newText"]), (&"1".into(), &"2".into()));
    assert_eq!((&diffs[1]["oldText"], &diffs[1]["newText"]), (&serde_json::Value::Null, &"3".into()));
}

#[test]
fn stored_conversation_is_shown_again() {
    let stored = [
        r#"{"type":"user","uuid":"u1","session_id":"s","message":{"role":"user","content":"Look."},"parent_tool_use_id":null,"parent_agent_id":null}"#,
        r#"{"type":"user","uuid":"u2","session_id":"s","message":{"role":"user","content":"<command-name>/init</command-name><command-args>all</command-args>"},"parent_tool_use_id":null,"parent_agent_id":null}"#,
        r#"{"type":"user","uuid":"u3","session_id":"s","message":{"role":"user","content":"<local-command-stdout>x</local-command-stdout>"},"parent_tool_use_id":null,"parent_agent_id":null}"#,
        r#"{"type":"assistant","uuid":"a1","session_id":"s","message":{"id":"m1","role":"assistant","content":[{"type":"thinking","thinking":"Hm."},{"type":"text","text":"I read it."},{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"/project/a.txt"}}]},"parent_tool_use_id":null,"parent_agent_id":null}"#,
        r#"{"type":"user","uuid":"u4","session_id":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"1\tone"}]},"parent_tool_use_id":null,"parent_agent_id":null}"#,
    ];
    let mut mapping = Mapping::new(features());
    let mut text = String::new();
    for message in stored {
        for update in mapping.stored(&serde_json::from_str(message).unwrap()) {
            writeln!(text, "{}", serde_json::to_string(&update).unwrap()).unwrap();
        }
    }
    insta::assert_snapshot!("stored", text);
}

#[test]
fn server_that_has_failed_is_reported_once() {
    let init = |status: &str| {
        let server = format!(r#"{{"name":"broken","status":"{status}"}}"#);
        Message::from_line(&format!(r#"{{"type":"system","subtype":"init","mcp_servers":[{server}]}}"#))
            .unwrap()
    };
    let mut mapping = Mapping::new(features());
    assert_eq!(mapping.updates(&init("connected")), []);
    let reported = serde_json::to_string(&mapping.updates(&init("failed"))).unwrap();
    assert!(reported.contains("The MCP server `broken` failed."), "{reported}");
    assert!(reported.contains("agent_thought_chunk"), "no part of the answer: {reported}");
    assert_eq!(mapping.updates(&init("failed")), []);
}

#[test]
fn offered_commands_have_no_blank_and_begin_no_other_session() {
    let commands = ["clear", "compact", "__own", "files:list (MCP)", "my files.v2:list (MCP)"]
        .map(|name| serde_json::json!({"name": name, "description": "", "argumentHint": ""}));
    let commands = serde_json::Value::from(commands).to_string();
    let commands = serde_json::from_str::<Vec<_>>(&commands).unwrap();
    let shown = serde_json::to_value(super::system::available_commands(&commands)).unwrap();
    let shown = shown["availableCommands"].as_array().unwrap().iter().map(|command| command["name"].clone());
    assert_eq!(shown.collect::<Vec<_>>(), ["compact", "mcp:files:list", "mcp__my_files_v2__list"]);
}

#[test]
fn terminal_has_the_exit_code_of_the_command() {
    let mut mapping = Mapping::new(Features { terminal_output: true, ..features() });
    for line in [
        r#"{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"exit 3"}}]}}"#,
        r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"Exit code 3\nhi"}]}}"#,
    ] {
        let updates = mapping.updates(&Message::from_line(line).unwrap());
        let text = serde_json::to_string(&updates).unwrap();
        assert_eq!(text.contains(r#""exit_code":3"#), line.contains("tool_result"), "{text}");
    }
}

/// The lines of `heartbeat.transcript`: `tool_use_id` is the id of the progress, not that of the call.
#[test]
fn progress_updates_the_tool_call_that_runs() {
    let mut mapping = Mapping::new(features());
    let progress = r#"{"type":"tool_progress","tool_use_id":"t-heartbeat-0","tool_name":"Bash","parent_tool_use_id":"t","elapsed_time_seconds":30,"heartbeat":true}"#;
    let progress = Message::from_line(progress).unwrap();
    assert!(mapping.updates(&progress).is_empty());
    let called = r#"{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"sleep 40"}}]}}"#;
    mapping.updates(&Message::from_line(called).unwrap());
    let shown = serde_json::to_string(&mapping.updates(&progress)).unwrap();
    assert!(shown.contains(r#""toolCallId":"t","status":"in_progress""#), "{shown}");
}

#[test]
fn tasks_of_a_stored_conversation_are_a_plan_again() {
    let called = |id: &str, name: &str, input: &str| {
        let block = format!(r#"{{"type":"tool_use","id":"{id}","name":"{name}","input":{input}}}"#);
        format!(
            r#"{{"type":"assistant","uuid":"a{id}","session_id":"s","message":{{"id":"m{id}","role":"assistant","content":[{block}]}},"parent_tool_use_id":null,"parent_agent_id":null}}"#
        )
    };
    let result = |id: &str, text: &str, failed: bool| {
        let block = format!(
            r#"{{"type":"tool_result","tool_use_id":"{id}","content":"{text}","is_error":{failed}}}"#
        );
        format!(
            r#"{{"type":"user","uuid":"u{id}","session_id":"s","message":{{"role":"user","content":[{block}]}},"parent_tool_use_id":null,"parent_agent_id":null}}"#
        )
    };
    let mut mapping = Mapping::new(features());
    let mut last = None;
    for message in [
        called("1", "TaskCreate", r#"{"subject":"Think"}"#),
        result("1", "Task #7 created successfully: Think", false),
        called("2", "TaskCreate", r#"{"subject":"Rest"}"#),
        result("2", "Task #8 created successfully: Rest", true),
        called("3", "TaskUpdate", r#"{"taskId":"7","status":"in_progress"}"#),
        result("3", "Updated task #7 status", false),
    ] {
        last = mapping.stored(&serde_json::from_str(&message).unwrap()).pop().or(last);
    }
    let plan = serde_json::to_value(last).unwrap();
    assert_eq!(plan["entries"].as_array().map(Vec::len), Some(1), "{plan}");
    assert_eq!(
        (&plan["entries"][0]["content"], &plan["entries"][0]["status"]),
        (&"Think".into(), &"in_progress".into())
    );
}
