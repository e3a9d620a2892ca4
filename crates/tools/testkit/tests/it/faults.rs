//! The fault CLI as a program: its command line, and a session without any fault.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Command, Output, Stdio},
};

use agentwire_testkit::faults::{Fault, VARIABLE};
use serde_json::{Value, json};

fn program() -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_agentwire-fault-cli"));
    program.env_remove(VARIABLE).stdin(Stdio::null());
    program
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

#[test]
fn help_lists_every_fault() {
    let output = program().arg("--help").output().unwrap();
    assert!(output.status.success());
    for fault in Fault::ALL {
        let flag = fault.usage();
        assert!(stdout(&output).contains(&flag), "{flag}");
        assert!(stdout(&output).contains(fault.does()) && stdout(&output).contains(fault.right()), "{flag}");
    }
}

#[test]
fn version_is_printed_with_any_fault() {
    let output = program().arg("--version").env(VARIABLE, "refuse-start crash").output().unwrap();
    assert_eq!((output.status.code(), stdout(&output)), (Some(0), "2.1.330 (Claude Code)\n"));
}

#[test]
fn unknown_fault_is_an_error() {
    let (mut by_flag, mut by_variable) = (program(), program());
    by_flag.arg("--fault-crush");
    by_variable.env(VARIABLE, "crush");
    for mut program in [by_flag, by_variable] {
        let output = program.output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains("there is no fault `crush`"), "{stderr}");
    }
}

#[test]
fn the_flags_of_the_cli_are_ignored_and_a_session_goes_well() {
    let mut child = program()
        .args("--print --output-format=stream-json --model x --verbose --include-partial-messages".split(' '))
        .env("CLAUDE_CODE_SDK_READS_SESSION_STATE", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();

    let initialize =
        json!({"type": "control_request", "request_id": "1", "request": {"subtype": "initialize"}});
    writeln!(input, "{initialize}").unwrap();
    let reply = next();
    assert_eq!(reply["response"]["request_id"], "1");
    assert_eq!(reply["response"]["response"]["pid"], child.id());
    for _ in 0..2 {
        // Blank lines and kinds that it does not know are passed over, as by the CLI.
        writeln!(input, "\n{}", json!({"type": "from_the_future"})).unwrap();
        writeln!(input, "{}", json!({"type": "user", "message": {"role": "user", "content": "hi"}})).unwrap();
        let kinds: Vec<String> = (0..11).map(|_| next()["type"].as_str().unwrap().to_owned()).collect();
        let event = "stream_event";
        let expected =
            ["system", "system", event, event, event, "assistant", event, event, event, "result", "system"];
        assert_eq!(kinds, expected);
    }
    drop(input);
    assert!(lines.next().is_none());
    assert!(child.wait().unwrap().success());
}

#[test]
fn line_without_json_ends_the_fault_cli() {
    let mut child =
        program().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"null x\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stdout(&output)), (Some(1), ""));
    assert!(!output.stderr.is_empty());
}
