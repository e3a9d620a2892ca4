//! Scenarios against a fake CLI: each deviation from a scenario is reported.

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf};

use agentwire_judge::{Scenario, scenario::Failed};
use agentwire_testkit::transcript::{Entry, Transcript};
use tempfile::TempDir;

/// Answers the handshake, then each prompt with a result, and exits with 0 at the end of input.
const GOOD: &str = r#"
while read -r line; do
  case "$line" in
    *'"subtype":"initialize"'*)
      echo '{"type":"control_response","response":{"subtype":"success","request_id":"req_1","response":{}}}' ;;
    *'"type":"user"'*)
      echo '{"type":"greeting","cwd":"'"$PWD"'"}'
      echo '{"type":"result","subtype":"success","is_error":false,"result":"done"}' ;;
  esac
done
"#;

struct Fake {
    folder: TempDir,
}

impl Fake {
    fn new(body: &str) -> Self {
        let fake = Self { folder: tempfile::tempdir().unwrap() };
        fs::write(fake.path(), format!("#!/bin/sh\n{body}")).unwrap();
        fs::set_permissions(fake.path(), fs::Permissions::from_mode(0o755)).unwrap();
        fake
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("claude")
    }
}

fn scenario(steps: &str, expect: &str) -> Scenario {
    let text = format!(
        r#"{{"about": "A test.", "model": {{"replies": []}}, "files": {{"in.txt": "in"}}, "steps": {steps}, "expect": {expect}}}"#
    );
    Scenario::parse("test", text).unwrap()
}

const ASK: &str = r#"[{"prompt": "go"}, {"until": "result"}]"#;
const DONE: &str = r#"{"results": [{"result": "done"}]}"#;

async fn run(body: &str, text: &str) -> Result<Transcript, Failed> {
    Scenario::parse("test", text).unwrap().run(&Fake::new(body).path()).await
}

async fn failure(body: &str, steps: &str, expect: &str) -> Failed {
    scenario(steps, expect).run(&Fake::new(body).path()).await.unwrap_err()
}

#[tokio::test]
async fn a_good_run_gives_the_redacted_transcript() {
    let transcript = scenario(ASK, DONE).run(&Fake::new(GOOD).path()).await.unwrap();
    assert_eq!(transcript.header.redacted, Some(true));
    assert_eq!(transcript.inbound().nth(1).unwrap(), r#"{"type":"greeting","cwd":"/project"}"#);
    assert!(transcript.entries.contains(&Entry::EndOfInput));
    assert!(transcript.argv.unwrap().args().contains(&"stream-json".to_owned()));
}

#[tokio::test]
async fn turn_is_read_until_the_cli_is_idle() {
    let idle = r#"echo '{"type":"system","subtype":"session_state_changed","state":"idle"}'"#;
    let cli = Fake::new(&GOOD.replace("\"done\"}' ;;", &format!("\"done\"}}'; {idle} ;;")));
    let steps = r#"[{"turn": "go"}, {"keep": {"state": "/state"}}, {"run": "test ${state} = idle"}]"#;
    scenario(steps, DONE).run(&cli.path()).await.unwrap();
}

#[tokio::test]
async fn unmet_expectation_fails_the_scenario() {
    for (expect, message) in [
        (r#"{"results": [{"result": "other"}]}"#, "result 1 is not"),
        (r#"{"results": []}"#, "1 results, not 0"),
        (r#"{"results": ["result"], "kinds": ["assistant"]}"#, "no message is \"assistant\""),
        (r#"{"results": ["result"], "absent": ["greeting"]}"#, "was to be \"greeting\""),
        (r#"{"results": ["result"], "files": {"in.txt": null}}"#, "in.txt holds"),
        (r#"{"results": ["result"], "files": {"out.txt": "x"}}"#, "out.txt holds"),
        (r#"{"results": ["result"], "asked": ["Bash"]}"#, "asked"),
        (r#"{"results": ["result"], "hooked": ["Stop"]}"#, "hooked"),
        (r#"{"results": ["result"], "called": ["a/b"]}"#, "called"),
        (r#"{"results": ["result"], "exit": 1}"#, "not 1"),
        (r#"{"results": ["result"], "longestLine": 1000}"#, "longest line"),
    ] {
        let failed = failure(GOOD, ASK, expect).await;
        assert!(failed.to_string().contains(message), "{expect}: {failed}");
        assert!(!failed.to_string().starts_with("step "), "{failed}");
        assert!(failed.transcript.is_some());
    }
}

#[tokio::test]
async fn unrequested_replies_are_reported() {
    let text = r#"{"about": "A test.", "model": {"replies": [{"blocks": [{"text": "a"}]}]}, "steps": []}"#;
    let failed = run(GOOD, text).await.unwrap_err();
    assert!(failed.to_string().contains("1 replies of the model were not asked for"), "{failed}");
}

#[tokio::test]
async fn failure_of_the_cli_names_the_step() {
    for (body, step, message) in [
        ("exit 3", "step 0, the handshake", "exit code 3"),
        (
            &GOOD.replace(r#"echo '{"type":"result""#, r#"exit 0; echo '{"type":"result""#),
            "step 2, until",
            "turn",
        ),
        (&GOOD.replace("greeting", "assistant"), "step 2, until", "Undecodable"),
        (
            &GOOD.replace(r#"echo '{"type":"result""#, r#"echo noise; echo '{"type":"result""#),
            "step 2, until",
            "NonJson",
        ),
    ] {
        let failed = failure(body, ASK, DONE).await;
        let text = failed.to_string();
        assert!(text.contains(step) && text.contains(message), "{step} {message}: {text}");
    }
}

#[tokio::test]
async fn failed_command_is_reported_with_its_status_and_errors() {
    let failed = failure(GOOD, r#"[{"run": "echo no >&2; exit 3"}]"#, "{}").await.to_string();
    assert!(failed.starts_with("step 1, run") && !failed.contains("step 0"), "{failed}");
    assert!(failed.ends_with(r#"it ended with exit status: 3 and the errors "no""#), "{failed}");
}

#[tokio::test]
async fn lone_surrogate_is_replaced_and_a_pair_stays() {
    let line = r#"printf '%s\n' '{"type":"greeting","title":"\ud83d\ude00 \ud83d"}'; echo '{"type":"result""#;
    let steps = r#"[{"prompt": "go"}, {"until": {"title": "\ud83d\ude00 \ufffd"}}, {"until": "result"}]"#;
    let cli = Fake::new(&GOOD.replace(r#"echo '{"type":"result""#, line));
    scenario(steps, DONE).run(&cli.path()).await.unwrap();
}

#[tokio::test]
async fn scenario_fails_without_a_cli() {
    let nowhere = tempfile::tempdir().unwrap();
    let failed = scenario(ASK, DONE).run(&nowhere.path().join("claude")).await.unwrap_err();
    assert!(failed.to_string().starts_with("step 0"), "{failed}");
}

#[tokio::test(start_paused = true)]
async fn a_wait_has_a_limit() {
    let text = r#"{"about": "A test.", "model": {"replies": []}, "steps": [{"hooked": "Stop"}]}"#;
    let failed = run(GOOD, text).await;
    // With a paused clock the handshake may run out of time as well: what matters is that something does.
    assert!(failed.unwrap_err().to_string().contains("step "));
}

#[tokio::test(start_paused = true)]
async fn command_of_the_shell_has_a_limit() {
    let text = r#"{"about": "A test.", "model": {"replies": []}, "prepare": ["sleep 20"], "steps": []}"#;
    let failed = run(GOOD, text).await.unwrap_err().to_string();
    assert_eq!(failed, "step 0, sleep 20: nothing came of it within 60s");
}

/// Answers the handshake with its input, then each prompt with its line; `[BYE]` ends it in a turn.
const ECHO: &str = r#"
while read -r line; do
  case "$line" in
    *'"subtype":"initialize"'*)
      echo '{"type":"control_response","response":{"subtype":"success","request_id":"req_1","response":{"pid":'$$'}}}'
      echo '{"type":"greeting","title":"'"$(expr "$line" : '.*"title":"\([^"]*\)"')"'","session_id":"s-1"}' ;;
    *'"early"'*)
      echo '{"type":"control_request","request_id":"c1","request":{"subtype":"elicitation","mcp_server_name":"s","message":"m"}}'
      echo '{"type":"control_response","response":{"subtype":"success","request_id":"req_2","response":{"id":7}}}' ;;
    *'"type":"user"'*)
      echo '{"type":"result","subtype":"success","is_error":false,"result":"'"$(expr "$line" : '.*"uuid":"\([^"]*\)"')"'"}' ;;
  esac
done
"#;

#[tokio::test]
async fn handshake_has_the_fields_of_the_scenario_and_kept_words_are_replaced() {
    let text = r#"{"about": "A test.", "model": {"replies": []},
        "before": [{"until": "greeting"}, {"keep": {"session": "/session_id"}}],
        "initialize": {"title":"${session}"},
        "answers": {"elicitation": [{"action": "decline"}]},
        "files": {"~/a.json": {"b": 1}},
        "prepare": ["cat ~/a.json > b.json"],
        "steps": [
            {"until": {"title": "s-1"}},
            {"keep": {"id": "/session_id"}},
            {"ask": {"name": "early", "request": {"subtype": "early"}}},
            {"sent": {"response": {"response": {"action": "decline"}}}},
            {"replied": {"request": "early", "reply": {"id": 7}}},
            {"user": {"content": [{"type": "text", "text": "go"}], "uuid": "u-${id}"}},
            {"until": "result"}, {"run": "echo in > c.txt"}, {"received": "result"}],
        "expect": {"results": [{"result": "u-s-1"}], "requested": ["elicitation"],
            "files": {"b.json": "{\"b\": 1}", "c.txt": "in\n"}}}"#;
    let transcript = run(ECHO, text).await.unwrap();
    let first = transcript.outbound().next().unwrap();
    assert!(first.ends_with(br#","title":"s-1"}}"#), "{first:?}");
}

#[tokio::test]
async fn signal_ends_the_session_and_cuts_the_turn() {
    let text = r#"{"about": "A test.", "model": {"replies": []}, "steps": [{"signal": "SIGTERM"}, {"until": "never"}],
        "expect": {"cut": true, "signal": "SIGTERM"}}"#;
    let failed = run(ECHO, text).await.unwrap_err();
    assert!(failed.to_string().contains("the session ended first"), "{failed}");
    let text = text.replace(r#", {"until": "never"}"#, "");
    let transcript = run(ECHO, &text).await.unwrap();
    assert!(transcript.entries.contains(&Entry::Signal("SIGTERM".into())));
}

#[tokio::test]
async fn refused_handshake_is_expected_or_a_failure() {
    let text = r#"{"about": "A test.", "model": {"replies": []}, "steps": [], "expect": {"refused": "exit code 3", "exit": 3}}"#;
    assert!(run("exit 3", text).await.is_ok());
    let failed = run(GOOD, text).await.unwrap_err();
    assert!(failed.to_string().contains("was to be refused"), "{failed}");
}

#[tokio::test(start_paused = true)]
async fn refused_handshake_has_a_limit() {
    let text = r#"{"about": "A test.", "model": {"replies": []}, "steps": [], "expect": {"refused": "exit code 3"}}"#;
    let failed = run("while read -r line; do :; done", text).await.unwrap_err().to_string();
    assert!(failed.starts_with("step 0, the handshake") && failed.contains("within 60s"), "{failed}");
}

#[test]
fn misspelt_scenario_is_refused() {
    for text in [
        "{}",
        r#"{"about": "", "model": {}, "steps": ["no such step"]}"#,
        r#"{"about": "", "model": {}, "steps": [], "unknown": 1}"#,
        r#"{"about": "", "model": {}, "steps": [{"until": "result", "also": 1}]}"#,
    ] {
        assert!(Scenario::parse("test", text).is_err(), "{text}");
    }
}

#[test]
fn every_scenario_of_the_repository_can_be_read() {
    let mut count = 0;
    for entry in fs::read_dir("scenarios").unwrap() {
        let scenario = Scenario::load(&entry.unwrap().path()).unwrap();
        assert!(scenario.about().ends_with('.'), "{}", scenario.name());
        count += 1;
    }
    assert!(count > 20, "{count}");
}
