//! The terminal handler, in child processes with their own standard input.

use std::{
    env, fs,
    io::{Read as _, Write as _},
    process::{Child, Command, Stdio},
};

use agentwire_hooks::PermissionHandler;
use serde_json::{Value, json};

use crate::cli::Cli;

fn question(title: &str) -> Value {
    json!({"subtype": "can_use_tool", "tool_name": "Bash", "input": {}, "tool_use_id": "t", "title": title})
}

fn start(test: &str, input: Stdio) -> Child {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", test, "--ignored", "--nocapture"]);
    command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits for the end of the child and checks that its test has passed. The harness also succeeds without a test.
fn has_passed(child: Child) {
    let output = child.wait_with_output().unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && stdout.contains("1 passed"), "{output:?}");
}

/// Reads the child's output until it contains `text`.
fn wait_for(child: &mut Child, text: &str) {
    let (mut shown, mut byte) = (Vec::new(), [0]);
    while !String::from_utf8_lossy(&shown).contains(text) {
        let read = child.stderr.as_mut().unwrap().read(&mut byte).unwrap();
        assert_eq!(read, 1, "{}", String::from_utf8_lossy(&shown));
        shown.push(byte[0]);
    }
}

#[test]
fn questions_are_answered_by_lines_and_the_process_ends_while_the_input_is_open() {
    let mut child = start("terminal::asks_several_times", Stdio::piped());
    let answers = [("first", b"y\n".as_slice()), ("third", b"not \xff now\n"), ("fourth", b"y\r\n")];
    for (title, line) in answers {
        wait_for(&mut child, title);
        wait_for(&mut child, "] ");
        child.stdin.as_mut().unwrap().write_all(line).unwrap();
    }
    // `has_passed` would close the input.
    let input = child.stdin.take();
    has_passed(child);
    drop(input);
}

#[tokio::test]
#[ignore = "another test runs it in a process of its own"]
async fn asks_several_times() {
    let mut cli = Cli::start(PermissionHandler::terminal()).await;
    assert_eq!(cli.exchange(question("first")).await.unwrap()["behavior"], "allow");
    cli.ask("second", question("second")).await;
    cli.cancel("second").await;
    let third = cli.exchange(question("third")).await.unwrap();
    assert_eq!(third, json!({"behavior": "deny", "message": "not \u{fffd} now"}));
    assert_eq!(cli.exchange(question("fourth")).await.unwrap()["behavior"], "allow");
}

#[cfg(unix)]
#[test]
fn line_typed_before_the_question_answers_nothing() {
    use rustix::{
        fs::{Mode, OFlags, open},
        pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    };

    let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&person).unwrap();
    unlockpt(&person).unwrap();
    let name = ptsname(&person, Vec::new()).unwrap();
    let terminal = open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
    let mut person = fs::File::from(person);
    person.write_all(b"y\n").unwrap();
    let mut child = start("terminal::is_refused", terminal.into());
    wait_for(&mut child, "] ");
    person.write_all(b"no\n").unwrap();
    has_passed(child);
}

#[tokio::test]
#[ignore = "another test runs it in a process of its own"]
async fn is_refused() {
    let mut cli = Cli::start(PermissionHandler::terminal()).await;
    assert_eq!(cli.exchange(question("first")).await.unwrap()["behavior"], "deny");
}

#[test]
fn without_an_input_every_question_is_denied() {
    has_passed(start("terminal::asks_nobody", Stdio::null()));
}

#[tokio::test]
#[ignore = "another test runs it in a process of its own"]
async fn asks_nobody() {
    let mut cli = Cli::start(PermissionHandler::terminal()).await;
    for _ in 0..2 {
        let denied = cli.exchange(question("first")).await.unwrap();
        assert_eq!(denied, json!({"behavior": "deny", "message": "nobody is there to answer"}));
    }
}
