//! The built program, as a user runs it.
#![expect(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use agentwire_testkit::{Entry, Transcript};

fn agentwire(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agentwire"));
    command.args(arguments);
    command
}

fn output(arguments: &[&str]) -> Output {
    agentwire(arguments).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/sessions/2.1.330/quickstart.transcript")
}

#[test]
fn bad_input_is_one_line_and_exit_code_2() {
    for arguments in [
        &["check", "no-such-file"][..],
        &["check"],
        &["view", "no-such-file"],
        &["wire", "no-such-file"],
        &["replay", "no-such-file"],
        &["mock", "no-such-file", "--home", "x"],
        &["sessions", "--folder", "no-such-folder", "show", "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11"],
        &["record", "-o", "no-such-folder/x", "--", "no-such-program"],
    ] {
        let done = output(arguments);
        assert_eq!(done.status.code(), Some(2), "{arguments:?}");
        let errors = text(&done.stderr);
        assert!(errors.starts_with("agentwire: ") && errors.lines().count() == 1, "{arguments:?}: {errors}");
        assert!(done.stdout.is_empty());
    }
}

#[test]
fn check_reports_each_transcript() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.transcript");
    fs::write(&broken, "no transcript\n").unwrap();
    let junit = folder.path().join("report.xml");
    let (good, bad, report) = (fixture(), broken.to_str().unwrap(), junit.to_str().unwrap());
    let good = good.to_str().unwrap();
    assert_eq!(output(&["check", good]).status.code(), Some(0));
    let done = output(&["check", good, bad, "--json", "--junit", report]);
    assert_eq!(done.status.code(), Some(1));
    let verdicts: Vec<serde_json::Value> =
        text(&done.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(verdicts.iter().filter(|verdict| verdict["passed"] == true).count(), 1);
    assert_eq!(verdicts.len(), 2);
    let report = fs::read_to_string(junit).unwrap();
    assert!(report.contains("tests=\"2\" failures=\"1\"") && report.contains("<failure>"), "{report}");
}

#[test]
fn replay_answers_as_the_recorded_cli() {
    let recorded = Transcript::parse(fs::read(fixture()).unwrap()).unwrap();
    let mut arguments = vec!["replay".to_owned(), fixture().display().to_string()];
    arguments.extend(["--output-format".to_owned(), "stream-json".to_owned()]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut command = agentwire(&arguments);
    let mut program = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = program.stdin.take();
    let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
    for entry in &recorded.entries {
        match entry {
            Entry::Outbound(line) => {
                let line = [&line[..], b"\n"].concat();
                input.as_mut().unwrap().write_all(&line).unwrap();
            }
            Entry::EndOfInput => drop(input.take()),
            Entry::Inbound(line) => assert_eq!(lines.next().unwrap().unwrap().as_bytes(), &line[..]),
            _ => {}
        }
    }
    drop(input);
    assert!(program.wait().unwrap().success());
}

#[test]
fn replay_knows_its_version_as_sdks_ask_first() {
    let done = output(&["replay", fixture().to_str().unwrap(), "-v"]);
    assert_eq!(text(&done.stdout), "2.1.330 (Claude Code)\n");
}

#[test]
fn record_writes_no_transcript_without_a_session() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("session.transcript");
    assert_eq!(
        output(&["record", "-o", out.to_str().unwrap(), "--", "no-such-program"]).status.code(),
        Some(2)
    );
    assert!(!out.exists());
    assert!(output(&["record", "-o", out.to_str().unwrap(), "--", "cat", "--version"]).status.success());
    assert!(!out.exists());
}

#[test]
fn record_keeps_both_directions_and_no_key() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("session.transcript");
    let mut command = agentwire(&["record", "-o", out.to_str().unwrap(), "--", "cat"]);
    let mut program = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let line = r#"{"type":"user","message":"sk-ant-api03-abcdefghijklmnopqrstuvwxyz"}"#;
    writeln!(program.stdin.take().unwrap(), "{line}").unwrap();
    let done = program.wait_with_output().unwrap();
    assert!(done.status.success());
    assert_eq!(text(&done.stdout), format!("{line}\n"), "the traffic is unchanged");
    let recorded = fs::read_to_string(out).unwrap();
    assert!(
        recorded.lines().any(|line| line.starts_with("> "))
            && recorded.lines().any(|line| line.starts_with("< "))
    );
    assert!(!recorded.contains("abcdefghijklmnopqrstuvwxyz"), "{recorded}");
}

#[test]
fn closed_pipe_ends_quietly() {
    let file = fixture();
    let mut command = agentwire(&["decode", file.to_str().unwrap()]);
    let mut program = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(program.stdout.take());
    let done = program.wait_with_output().unwrap();
    assert!(done.status.success() && done.stderr.is_empty(), "{}", text(&done.stderr));
}

#[test]
fn stored_session_is_listed_shown_renamed_and_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("projects/-p");
    fs::create_dir_all(&project).unwrap();
    let id = "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11";
    let entry = serde_json::json!({
        "type": "user", "uuid": "5f3f4c52-5a35-4f0e-9a51-6d8d0e7b1a10", "sessionId": id, "parentUuid": null,
        "timestamp": "2026-11-01T10:00:00.000Z", "cwd": "/p", "message": {"role": "user", "content": "A walk."},
    });
    fs::write(project.join(format!("{id}.jsonl")), format!("{entry}\n")).unwrap();
    let run = |arguments: &[&str]| {
        let folder = folder.path().to_str().unwrap();
        let done = output(&[&["sessions", "--folder", folder], arguments].concat());
        assert!(done.status.success(), "{arguments:?}: {}", text(&done.stderr));
        text(&done.stdout).to_owned()
    };
    assert_eq!(run(&["list"]), format!("{id}  A walk.\n"));
    assert!(run(&["show", id]).contains("A walk."));
    assert!(run(&["search", "walk"]).starts_with(id));
    run(&["rename", id, "In the park"]);
    assert_eq!(run(&["list"]), format!("{id}  In the park\n"));
    let copy = run(&["fork", id]);
    assert_eq!(run(&["list"]).lines().count(), 2);
    run(&["delete", copy.trim()]);
    run(&["delete", id]);
    assert_eq!(run(&["list"]), "");
}

#[test]
fn doctor_names_a_remedy_without_a_cli() {
    let home = tempfile::tempdir().unwrap();
    let mut command = agentwire(&["doctor", "--json"]);
    let done =
        command.env_clear().env("HOME", home.path()).env("AGENTWIRE_CLI", "/no/such/cli").output().unwrap();
    assert_eq!(done.status.code(), Some(1));
    let findings: Vec<serde_json::Value> =
        text(&done.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let finding = |check: &str| findings.iter().find(|finding| finding["check"] == check).unwrap();
    assert_eq!(finding("CLI")["ok"], false);
    assert!(!finding("CLI")["remedy"].as_str().unwrap().is_empty());
    assert_eq!(finding("login")["ok"], false);
    assert_eq!(finding("configuration")["ok"], true);
}

#[test]
fn completions_name_each_command() {
    let done = output(&["completions", "bash"]);
    for command in ["doctor", "record", "replay", "check", "sessions"] {
        assert!(text(&done.stdout).contains(command));
    }
}
