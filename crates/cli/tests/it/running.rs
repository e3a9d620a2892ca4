//! `agentwire run`, with a shell script as the CLI that never finishes a turn by itself.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::agentwire;

/// Starts `agentwire run` in this folder, and returns once the turn has begun.
fn running(folder: &Path) -> Child {
    let cli = folder.join("cli");
    fs::write(&cli, CLI).unwrap();
    fs::set_permissions(&cli, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = agentwire(&["run", "Wait.", "--json"]);
    command.env("AGENTWIRE_CLI", &cli).env("LOG", folder.join("log")).current_dir(folder);
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

fn signal(program: &Child, name: &str) {
    let kill = Command::new("kill").args(["-s", name, &program.id().to_string()]).status().unwrap();
    assert!(kill.success());
}

#[test]
fn interrupt_ends_the_turn_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let mut program = running(folder.path());
    signal(&program, "INT");
    assert_eq!(program.wait().unwrap().code(), Some(128 + 2));
    let log = fs::read_to_string(folder.path().join("log")).unwrap();
    assert_eq!(log, "initialize\nuser\ninterrupt\nend\n");
}

#[test]
fn terminated_run_ends_its_cli() {
    let folder = tempfile::tempdir().unwrap();
    let mut program = running(folder.path());
    signal(&program, "TERM");
    assert_eq!(program.wait().unwrap().code(), Some(128 + 15));
    let log = fs::read_to_string(folder.path().join("log")).unwrap();
    assert_eq!(log, "initialize\nuser\ninterrupt\nend\n");
}

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
