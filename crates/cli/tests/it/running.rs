//! `agentwire run`, with shell scripts as the CLI.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use agentwire_testkit::eventually;
use serde_json::Value;

use super::{agentwire, on_terminal, without_reader};

/// Returns `agentwire run` in this folder with a script as the CLI.
pub(super) fn run(folder: &Path, script: &str, arguments: &[&str]) -> Command {
    with_cli(folder, script, &[&["run"], arguments].concat())
}

/// Returns the program in this folder with a script as the CLI.
fn with_cli(folder: &Path, script: &str, arguments: &[&str]) -> Command {
    let cli = folder.join("cli");
    fs::write(&cli, script).unwrap();
    fs::set_permissions(&cli, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = agentwire(arguments);
    command.env("AGENTWIRE_CLI", &cli).env("LOG", folder.join("log")).current_dir(folder);
    command
}

/// Runs the same in a folder of its own; returns the exit code, the output and the notes.
pub(super) fn ran(script: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let done = run(folder.path(), script, arguments).stdin(Stdio::null()).output().unwrap();
    let [text, notes] = [done.stdout, done.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (done.status.code(), text, notes)
}

/// Returns [`COMMAND_CLI`] with these lines before its answer.
fn with_lines(lines: &[impl std::fmt::Display]) -> String {
    let lines: String = lines.iter().map(|line| format!("        echo '{line}'\n")).collect();
    COMMAND_CLI.replacen("        echo", &format!("{lines}        echo"), 1)
}

/// Starts `agentwire run` with a CLI that never finishes a turn by itself, and returns once the turn has begun.
fn running(folder: &Path) -> Child {
    in_turn(&mut run(folder, CLI, &["Wait.", "--json"]))
}

/// Starts the command, and returns once its turn has begun.
fn in_turn(command: &mut Command) -> Child {
    let mut program = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(program.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("\"init\"") {
        line.clear();
        assert_ne!(lines.read_line(&mut line).unwrap(), 0, "it ended before the turn began");
    }
    // A closed pipe would end the program too.
    std::thread::spawn(move || lines.lines().for_each(drop));
    program
}

/// The CLI would inherit it, and get no exit codes of its own commands.
#[cfg(target_os = "linux")]
#[test]
fn sigchld_is_not_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let command = run(folder.path(), CLI, &["Wait.", "--json"]);
    let mut parent = Command::new("env");
    parent.arg("--ignore-signal=CHLD").arg(command.get_program()).args(command.get_args());
    parent.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut program = in_turn(parent.current_dir(folder.path()));
    let status = fs::read_to_string(format!("/proc/{}/status", program.id())).unwrap();
    signal(&program, "TERM");
    program.wait().unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:\t")).unwrap();
    assert_eq!(u64::from_str_radix(ignored, 16).unwrap() >> 16 & 1, 0, "{ignored}");
}

/// Sends a signal to the program.
pub(super) fn signal(program: &Child, name: &str) {
    let kill = Command::new("kill").args(["-s", name, &program.id().to_string()]).status().unwrap();
    assert!(kill.success());
}

/// Waits for the end of the program, and returns its exit code.
pub(super) async fn code_of(program: &mut Child) -> Option<i32> {
    eventually(|| program.try_wait().unwrap().is_some()).await;
    program.wait().unwrap().code()
}

/// Reads the first byte of the output. If the rest does not fit into the pipe, the program waits for its reader then.
pub(super) fn begin_to_read(program: &mut Child) -> ChildStdout {
    let mut output = program.stdout.take().unwrap();
    output.read_exact(&mut [0]).unwrap();
    output
}

#[tokio::test]
async fn signal_ends_a_program_whose_output_is_not_read() {
    let script = COMMAND_CLI.replace("the context", &"x".repeat(1_000_000));
    for (arguments, name, number) in
        [(&["Go."][..], "TERM", 15), (&["Go.", "--json"][..], "TERM", 15), (&["Go."][..], "INT", 2)]
    {
        let folder = tempfile::tempdir().unwrap();
        let mut command = run(folder.path(), &script, arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut program = command.spawn().unwrap();
        let _output = begin_to_read(&mut program);
        let mut notes = BufReader::new(program.stderr.take().unwrap());
        if name == "INT" {
            // The first one interrupts the turn. Two at once would count as one.
            signal(&program, name);
            notes.read_line(&mut String::new()).unwrap();
        }
        signal(&program, name);
        assert_eq!(code_of(&mut program).await, Some(128 + number), "{arguments:?} {name}");
    }
}

#[tokio::test]
async fn line_that_is_written_at_a_signal_is_whole_for_a_slow_reader() {
    let folder = tempfile::tempdir().unwrap();
    let script = COMMAND_CLI.replace("the context", &"x".repeat(1_000_000)) + "\ntouch ended\n";
    let mut command = run(folder.path(), &script, &["Go.", "--json"]);
    let mut program = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut output = begin_to_read(&mut program);
    signal(&program, "TERM");
    eventually(|| folder.path().join("ended").exists()).await;
    let mut text = String::from("{");
    output.read_to_string(&mut text).unwrap();
    let last: Value = serde_json::from_str(text.lines().next_back().unwrap()).unwrap();
    assert!(last.is_object());
    assert_eq!(code_of(&mut program).await, Some(143));
}

#[test]
fn closed_pipe_interrupts_the_turn_and_is_no_success() {
    let folder = tempfile::tempdir().unwrap();
    let done = without_reader(&mut run(folder.path(), CLI, &["Wait.", "--json"]));
    assert_eq!((done.status.code(), super::text(&done.stderr)), (Some(128 + 13), ""));
    let log = fs::read_to_string(folder.path().join("log")).unwrap();
    assert_eq!(log, "initialize\nuser\ninterrupt\nend\n");
}

#[test]
fn signal_ends_the_turn_in_order() {
    for (name, number) in [("INT", 2), ("TERM", 15)] {
        let folder = tempfile::tempdir().unwrap();
        let mut program = running(folder.path());
        signal(&program, name);
        assert_eq!(program.wait().unwrap().code(), Some(128 + number));
        let log = fs::read_to_string(folder.path().join("log")).unwrap();
        assert_eq!(log, "initialize\nuser\ninterrupt\nend\n", "{name}");
    }
}

#[test]
fn doctor_applies_no_settings_of_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let script = COMMAND_CLI.replacen("while", "echo \"$*\" >\"$LOG\"\nwhile", 1);
    let mut command = with_cli(folder.path(), &script, &["doctor"]);
    let done = command.env("HOME", folder.path()).output().unwrap();
    let words = fs::read_to_string(folder.path().join("log")).unwrap_or_default();
    assert!(words.split_whitespace().any(|word| word == "--setting-sources=user"), "{words} {done:?}");
}

#[test]
fn answer_that_did_not_stream_is_printed() {
    let (code, text, _) = ran(COMMAND_CLI, &["/context"]);
    assert!(code == Some(0) && text.starts_with("the context\n["), "{text}");
}

#[test]
fn answer_that_was_cut_off_is_not_printed_again() {
    let delta = |text| {
        let delta = serde_json::json!({"type": "text_delta", "text": text});
        serde_json::json!({"type": "content_block_delta", "index": 0, "delta": delta})
    };
    let start = serde_json::json!({"type": "message_start", "message": {"content": []}});
    let events = [start.clone(), delta("This nev"), start, delta("Once more.")];
    let events = events.map(|event| serde_json::json!({"type": "stream_event", "event": event}));
    let script = with_lines(&events).replace("the context", "Once more.");
    let (code, text, _) = ran(&script, &["Go."]);
    assert!(code == Some(0) && text.starts_with("This nev\nOnce more.\n["), "{text}");
}

#[test]
fn answer_without_a_result_ends_its_line() {
    let (code, text, notes) = ran(&COMMAND_CLI.replace(RESULT, "exit 3"), &["Go."]);
    assert_eq!((code, &*text), (Some(2), "the context\n"), "{notes}");
}

#[test]
fn json_is_the_lines_of_the_cli() {
    let line = r#"{"type": "keep_alive","zz" : 1}"#;
    let script = with_lines(&[line, "a stray print", r#"{"type":"a line that is cut"#]);
    let (code, text, notes) = ran(&script, &["Go.", "--json"]);
    assert!(code == Some(0) && text.starts_with(&format!("{line}\n")), "{text}");
    for noise in ["a stray print", "a line that is cut"] {
        assert!(!text.contains(noise) && notes.contains(noise), "{text}{notes}");
    }
}

#[test]
fn json_has_the_lines_after_the_result() {
    let idle = r#"{"type":"system","subtype":"session_state_changed","state":"idle"}"#;
    let script = COMMAND_CLI.replace(RESULT, &format!("{RESULT}; echo '{idle}'"));
    let (code, text, _) = ran(&script, &["Go.", "--json"]);
    assert!(code == Some(0) && text.ends_with(&format!("{idle}\n")), "{text}");
}

#[test]
fn turns_after_background_work_are_printed() {
    let started = r#"{"type":"system","subtype":"task_started","task_id":"t","description":"d","task_type":"local_agent","is_backgrounded":true}"#;
    let ended = r#"{"type":"system","subtype":"task_notification","task_id":"t","status":"completed","output_file":"/o","summary":"s"}"#;
    let turn = |text: &str| {
        let message = serde_json::json!({
            "type": "assistant", "message": {"content": [{"type": "text", "text": text}]},
        });
        format!("echo '{message}'; {RESULT}")
    };
    let script = COMMAND_CLI
        .replace(RESULT, &format!("echo '{started}'; {RESULT}; echo '{ended}'; {}", turn("The report.")));
    let (code, text, _) = ran(&script, &["Go."]);
    assert!(code == Some(0) && text.contains("the context\n[") && text.contains("The report.\n["), "{text}");
}

#[test]
fn repeated_requests_are_reported() {
    let retry = r#"{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"retry_delay_ms":5,"error_status":401,"error":"authentication_failed"}"#;
    let (_, _, notes) = ran(&with_lines(&[retry]), &["Go."]);
    assert_eq!(notes, "(the request failed: authentication_failed; sent again, 1 of 10)\n");
}

#[test]
fn warnings_of_the_cli_are_printed() {
    let news = |level: &str, text: &str| {
        serde_json::json!({
            "type": "system", "subtype": "informational", "level": level, "content": text,
        })
    };
    let script = with_lines(&[news("info", "A detail."), news("warning", "A hook gave no answer.")]);
    assert_eq!(ran(&script, &["Go."]).2, "A hook gave no answer.\n");
}

#[test]
fn refused_prompt_is_a_failure_with_its_reason() {
    let refused = RESULT.replace("}'", r#","num_turns":0,"result":"blocked by a hook: no"}'"#);
    let answer = COMMAND_CLI.lines().find(|line| line.contains("assistant")).unwrap();
    let command = COMMAND_CLI.replace(RESULT, &refused);
    let outcome = serde_json::json!({
        "type": "system", "subtype": "informational", "level": "warning", "content": "blocked by a hook: no",
        "prompt_submit_outcome": {"kind": "blocked_by_hook"},
    });
    let refused = command.replace(answer, &format!("        echo '{outcome}'"));
    for arguments in [&["Go."][..], &["Go.", "--json"]] {
        let (code, _, notes) = ran(&refused, arguments);
        assert_eq!((code, &*notes), (Some(1), "agentwire: the turn failed: blocked by a hook: no\n"));
    }
    // A command of the CLI answers with a message.
    let ran = ran(&command, &["/cost"]);
    assert_eq!(ran.0, Some(0), "{ran:?}");
}

#[test]
fn failed_turn_has_a_reason_for_people() {
    let reason = r#""is_error":true,"terminal_reason":"aborted_tools","errors":["[ede_diagnostic] x"]"#;
    let result = RESULT.replace(r#""is_error":false"#, reason);
    // The end of the CLI is a consequence of the failure.
    let script = COMMAND_CLI.replace(RESULT, &format!("{result}; exit 3"));
    let (code, _, notes) = ran(&script, &["Go."]);
    assert_eq!((code, &*notes), (Some(1), "agentwire: the turn failed: it was interrupted\n"));
}

#[cfg(target_os = "linux")]
#[test]
fn terminal_gets_no_control_characters_of_a_model() {
    let folder = tempfile::tempdir().unwrap();
    let tool = "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"Bash\",\"input\":{\"command\":\"\u{9b}2J\"}}";
    let retry = "{\"type\":\"system\",\"subtype\":\"api_retry\",\"attempt\":1,\"error\":\"e\u{9b}2J\"}";
    let script = with_lines(&[retry]).replace(r#"{"type":"text","text":"the context"}"#, tool);
    let failure = "\"is_error\":true,\"errors\":[\"No \u{9b}2J.\"],\"session_id\":\"s\u{9b}2J\"";
    let script = script.replace("\"is_error\":false", failure);
    let command = run(folder.path(), &script, &["Go."]);
    let shown = on_terminal(&command);
    assert!(
        shown.contains("{\"command\":\"\u{fffd}2J\"}") && shown.contains("failed: No \u{fffd}2J."),
        "{shown}"
    );
    assert!(shown.contains("failed: e\u{fffd}2J;") && shown.contains("session s\u{fffd}2J]"), "{shown}");
    let shown = on_terminal(&run(folder.path(), &script, &["Go.", "--json"]));
    assert!(shown.contains("{\"command\":\"\u{fffd}2J\"}") && !shown.contains('\u{9b}'), "{shown:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn terminal_gets_no_control_characters_of_the_standard_error() {
    let folder = tempfile::tempdir().unwrap();
    let note = "printf 'A \\033[2J note.\\n' >&2";
    let script = COMMAND_CLI.replacen("        echo", &format!("        {note}\n        echo"), 1);
    let failing = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && echo '2.1.330 (Claude Code)' && exit\n{note}; exit 3\n"
    );
    for (script, arguments) in [(&script, &["run", "Go."][..]), (&failing, &["doctor"][..])] {
        let mut command = with_cli(folder.path(), script, arguments);
        let shown = on_terminal(command.env("HOME", folder.path()));
        assert!(shown.contains("A \u{fffd}[2J note."), "{shown}");
    }
}

#[test]
fn with_json_only_reading_is_permitted() {
    for (tool, behavior) in [("Read", "allow"), ("Bash", "deny")] {
        let request = serde_json::json!({
            "subtype": "can_use_tool", "tool_name": tool, "tool_use_id": "t", "input": {"command": "rm a"},
        });
        let asked = serde_json::json!({"type": "control_request", "request_id": "ask", "request": request});
        // The turn ends after the answer, which is logged.
        let asking = format!(
            "        echo '{asked}' ;;\n    *'\"type\":\"control_response\"'*)\n        \
             printf '%s\\n' \"$line\" >\"$LOG\"\n        echo"
        );
        let script = COMMAND_CLI.replacen("        echo", &asking, 1);
        let folder = tempfile::tempdir().unwrap();
        // A line of input is no permission.
        let input = folder.path().join("input");
        fs::write(&input, "y\n").unwrap();
        let mut command = run(folder.path(), &script, &["Go.", "--json"]);
        let done = command.stdin(fs::File::open(input).unwrap()).output().unwrap();
        let answer = fs::read_to_string(folder.path().join("log")).unwrap();
        assert!(answer.contains(&format!(r#""behavior":"{behavior}""#)), "{tool}: {answer} {done:?}");
    }
}

/// Answers a prompt without stream events.
pub(super) const COMMAND_CLI: &str = r#"#!/bin/sh
case $1 in --version | -v) echo '2.1.330 (Claude Code)'; exit ;; esac
while read -r line; do
    case $line in
    *'"type":"user"'*)
        echo '{"type":"assistant","message":{"content":[{"type":"text","text":"the context"}]}}'
        echo '{"type":"result","subtype":"success","is_error":false}' ;;
    *)
        id=$(printf '%s' "$line" | sed 's/.*"request_id":"\([^"]*\)".*/\1/')
        echo "{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"$id\",\"response\":{}}}" ;;
    esac
done
"#;

/// How [`COMMAND_CLI`] ends a turn.
const RESULT: &str = r#"echo '{"type":"result","subtype":"success","is_error":false}'"#;

const CLI: &str = r#"#!/bin/sh
case $1 in --version | -v) echo '2.1.330 (Claude Code)'; exit ;; esac
reply() {
    id=$(printf '%s' "$line" | sed 's/.*"request_id":"\([^"]*\)".*/\1/')
    echo "{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"$id\",\"response\":{}}}"
}
session='"session_id":"0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11"'
while read -r line; do
    case $line in
    *'"subtype":"initialize"'*) echo initialize >>"$LOG"; reply ;;
    *'"type":"user"'*)
        echo user >>"$LOG"
        echo "{\"type\":\"system\",\"subtype\":\"init\",$session}" ;;
    *'"subtype":"interrupt"'*)
        echo interrupt >>"$LOG"
        reply
        echo "{\"type\":\"result\",\"subtype\":\"error_during_execution\",\"is_error\":true,$session}" ;;
    *) reply ;;
    esac
done
echo end >>"$LOG"
"#;
