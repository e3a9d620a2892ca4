//! The bench CLI detects wrong, repeated and unrequested replies.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
};

use agentwire_benches::cli::{Callback, Plan, REPORT, Workload};
use serde_json::{Value, json};

use crate::cli;

/// Changes a reply, and returns how often it is sent; 0 ends the client.
type Spoil = fn(&mut Value) -> usize;

/// Replies to hooks by hand, and returns the exit status and stderr of the bench CLI.
fn played(spoil: Spoil) -> (bool, String) {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.json");
    let plan = Plan { workload: Workload::Callback(Callback::Hook), share: 1_000 };
    let mut command = Command::new(cli());
    command.envs(plan.variables()).env(REPORT, &report).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    writeln!(input, r#"{{"type":"user","message":{{"role":"user","content":"Go."}}}}"#).unwrap();
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let asked: Value = serde_json::from_str(&line.unwrap()).unwrap();
        if asked["type"] == "result" {
            break;
        }
        if asked["type"] != "control_request" {
            continue;
        }
        let mut answer = json!({"type": "control_response", "response": {
            "subtype": "success", "request_id": asked["request_id"], "response": {"hookSpecificOutput": {
                "hookEventName": "PreToolUse", "permissionDecision": "allow",
                "permissionDecisionReason": asked["request"]["input"]["tool_input"]["command"],
            }},
        }});
        let times = spoil(&mut answer);
        if times == 0 {
            break;
        }
        for _ in 0..times {
            // The bench CLI stops reading after a fault.
            if writeln!(input, "{answer}").is_err() {
                break;
            }
        }
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.success(), report.exists());
    (output.status.success(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn right_answers_are_right() {
    assert_eq!(played(|_| 1), (true, String::new()));
}

#[test]
fn wrong_answers_are_found() {
    let spoils: [(&str, Spoil); 5] = [
        ("a wrong answer", |answer| {
            answer["response"]["response"]["hookSpecificOutput"]["permissionDecision"] = "deny".into();
            1
        }),
        ("a wrong answer", |answer| {
            answer["response"]["response"]["hookSpecificOutput"]["permissionDecisionReason"] = "echo".into();
            1
        }),
        ("a wrong answer", |answer| {
            answer["response"]["subtype"] = "error".into();
            1
        }),
        ("not made", |answer| {
            answer["response"]["request_id"] = "00000000-0000-4000-8000-000000009999".into();
            1
        }),
        // The second reply has no open request.
        ("answer", |_| 2),
    ];
    for (what, spoil) in spoils {
        let (well, stderr) = played(spoil);
        assert!(!well && stderr.contains(what), "{what}: {stderr}");
    }
}

#[test]
fn a_client_that_exits_early_is_detected() {
    let (well, stderr) = played(|_| 0);
    assert!(!well && stderr.contains("ended in the middle"), "{stderr}");
}
