//! Tests of the program.

use std::{
    ffi::OsStr,
    fs,
    io::Write as _,
    os::{
        fd::OwnedFd,
        unix::{ffi::OsStrExt as _, fs::PermissionsExt as _},
    },
    path::Path,
    process::Stdio,
    time::Duration,
};

use agentwire_hub::{config::Sources, llm::is_invisible};
use agentwire_testkit::ScriptedModel;
use rustix::{
    fs::{Mode, OFlags, open},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    process::{ChildStderr, Command},
    time::timeout,
};

use crate::{chat::model, toy::program};

#[tokio::test]
async fn it_asks_before_it_calls_and_prints_the_answer() {
    let call = json!({"blocks": [{"text": "I will."}, {"tool_use": {"name": "mcp__toy__echo", "input": {"text": "x"}}}]});
    let model = model(
        &json!({"replies": [call, {"blocks": [{"text": "Denied."}]}, call, {"blocks": [{"text": "Done."}]}]}),
    )
    .await;
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("servers.json");
    fs::write(&config, toy_server()).unwrap();
    let arguments = ["--config", config.to_str().unwrap()];
    let (stdout, stderr, code) = chatted_with(&model, folder.path(), &arguments, "Go.\nn\nAgain.\ny\n").await;
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(stdout, "I will.\nDenied.\nI will.\nDone.\n");
    assert!(stderr.contains("{\"text\":\"x\"}\necho of toy with these arguments: allow?"), "{stderr}");
    assert!(
        stderr.contains("[mcp__toy__echo failed]") && stderr.contains("[mcp__toy__echo is done]"),
        "{stderr}"
    );
}

#[tokio::test]
async fn call_is_not_denied_by_the_user_at_the_end_of_the_input() {
    let call = json!({"blocks": [{"tool_use": {"name": "mcp__toy__echo", "input": {"text": "x"}}}]});
    let denied = json!({"blocks": [{"text": "Denied."}]});
    let denied = json!({"marker": "there is no input to approve it", "in": "last", "replies": [denied]});
    let model = model(&json!({"replies": [call], "match": [denied]})).await;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(".mcp.json"), toy_server()).unwrap();
    let (stdout, stderr, _) = chatted_with(&model, folder.path(), &["--trust", "Go."], "").await;
    assert_eq!(stdout, "Denied.\n", "{stderr}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn standard_error_that_is_full_does_not_end_the_chat() {
    let call = json!({"blocks": [{"text": "I will."}, {"tool_use": {"name": "mcp__toy__echo", "input": {"text": "x"}}}]});
    let denied = json!({"blocks": [{"text": "Denied."}]});
    let denied = json!({"marker": "there is no input to approve it", "in": "last", "replies": [denied]});
    let replies = json!([call, {"blocks": [{"text": "Done."}]}, call]);
    let model = model(&json!({"replies": replies, "match": [denied]})).await;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(".mcp.json"), toy_server()).unwrap();
    let input = folder.path().join("input");
    fs::write(&input, "y\n").unwrap();
    // A line of input does not answer a question that was not shown.
    for (arguments, answer) in
        [(&["--trust", "--allow", "Go."][..], "Done."), (&["--trust", "Go."][..], "Denied.")]
    {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let mut chat = chat(&model, folder.path(), arguments);
        chat.stdin(fs::File::open(&input).unwrap()).stdout(Stdio::piped()).stderr(full);
        let output = chat.spawn().unwrap().wait_with_output().await.unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        assert_eq!((output.status.code(), stdout), (Some(0), format!("I will.\n{answer}\n")));
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn standard_output_that_is_full_is_reported() {
    let model = model(&json!({"replies": [{"blocks": [{"text": "Hi."}]}]})).await;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(".mcp.json"), toy_server()).unwrap();
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let mut chat = chat(&model, folder.path(), &["--trust", "Go."]);
    chat.stdin(Stdio::null()).stdout(full).stderr(Stdio::piped());
    let output = chat.spawn().unwrap().wait_with_output().await.unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("agentwire-chat: writing the standard output: No space left"), "{stderr}");
}

#[tokio::test]
async fn answer_that_is_not_complete_is_reported() {
    let replies = json!([
        {"blocks": [{"text": "Half an"}], "stop_reason": "max_tokens"}, {"blocks": [{"text": "Whole."}]},
    ]);
    let model = model(&json!({"replies": replies})).await;
    let folder = tempfile::tempdir().unwrap();
    // The model answers only requests with tools from the script.
    fs::write(folder.path().join(".mcp.json"), toy_server()).unwrap();
    let (stdout, stderr, _) = chatted_with(&model, folder.path(), &["--trust"], "Go.\nAgain.\n").await;
    assert_eq!(stdout, "Half an\nWhole.\n");
    assert_eq!(stderr.matches("[the answer is not complete: max_tokens]").count(), 1, "{stderr}");
    assert_eq!(stderr.matches("not complete").count(), 1, "{stderr}");
}

#[tokio::test]
async fn line_that_is_no_utf8_is_a_prompt_too() {
    let with_line_end = json!({"marker": "\u{fffd}\n", "replies": [{"blocks": [{"text": "No."}]}]});
    let script = json!({"replies": [{"blocks": [{"text": "Yes?"}]}], "match": [with_line_end]});
    let model = model(&script).await;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(".mcp.json"), toy_server()).unwrap();
    let (stdout, stderr, code) = chatted_with(&model, folder.path(), &["--trust"], b"caf\xe9\n").await;
    assert_eq!((stdout.as_str(), code), ("Yes?\n", Some(0)), "{stderr}");
}

#[tokio::test]
async fn terminal_escapes_of_the_model_are_shown_as_text() {
    let text = "\u{1b}]52;c;cm0=\u{7}\u{1b}[2J\u{1b}[1;1Hallow? \u{9b}2K\u{202e}x";
    let input = json!({"text": text, "\u{9b}8m": "\u{61c}"});
    let call = json!({"blocks": [{"text": text}, {"tool_use": {"name": "mcp__toy__echo\u{9b}\u{1b}[2J", "input": input}}]});
    let known = json!({"blocks": [{"tool_use": {"name": "mcp__toy__echo", "input": input}}]});
    let model = model(&json!({"replies": [call, known, {"blocks": [{"text": "Done."}]}]})).await;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(".mcp.json"), toy_server()).unwrap();
    let (stdout, stderr, _) = chatted_with(&model, folder.path(), &["--trust", "Go."], "").await;
    assert!(stdout.contains("\\u{1b}]52;c;cm0=\\u{7}") && stderr.contains("\\u{9b}8m"), "{stdout} {stderr}");
    assert!(stderr.contains("echo of toy with these arguments: allow?"), "{stderr}");
    let hidden = |text: &str| text.chars().filter(|char| is_invisible(*char)).collect::<Vec<_>>();
    assert_eq!((hidden(&stdout), hidden(&stderr)), (vec![], vec![]), "{stdout} {stderr}");
}

#[tokio::test]
async fn name_of_a_call_does_not_look_like_a_question() {
    let name = "x\necho of toy with these arguments: allow? [y/N] ";
    let call = json!({"blocks": [{"tool_use": {"name": name, "input": {}}}]});
    let model = model(&json!({"replies": [call, {"blocks": [{"text": "Done."}]}]})).await;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(".mcp.json"), toy_server()).unwrap();
    let (_, stderr, _) = chatted_with(&model, folder.path(), &["--trust", "Go."], "").await;
    assert!(stderr.contains("[calls x\\necho of toy with") && !stderr.contains("\necho of toy"), "{stderr}");
}

#[tokio::test]
async fn servers_of_the_folder_start_only_where_they_are_trusted() {
    let reply = json!({"blocks": [{"text": "Hi."}]});
    let model = model(&json!({"replies": [reply, reply, reply, reply]})).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    let write = |text: &str| fs::write(path.join(".mcp.json"), text).unwrap();
    write(
        r#"{"mcpServers": {"s": {"command": "touch", "args": ["started"], "env": {"A": "${ANTHROPIC_API_KEY}"}}}}"#,
    );
    let is_started = || fs::remove_file(path.join("started")).is_ok();
    let config = tempfile::tempdir().unwrap();
    let kept = config.path().join("agentwire/chat-trusted");
    let chatted = async |arguments: &[&str]| {
        let mut chat = chat(&model, &path, arguments);
        chat.env("XDG_CONFIG_HOME", config.path()).stdin(Stdio::null()).output().await.unwrap()
    };

    let output = chatted(&["Go."]).await;
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && stderr.contains("s: not started") && !is_started(), "{stderr}");
    chatted(&["--trust", "Go."]).await;
    assert!(is_started() && !kept.exists());

    // Trusted definitions are started; others are not.
    let fingerprint = Sources::new().project(&path).read().servers[0].fingerprint();
    fs::create_dir(kept.parent().unwrap()).unwrap();
    fs::write(&kept, format!("{fingerprint}\n")).unwrap();
    fs::set_permissions(&kept, fs::Permissions::from_mode(0o600)).unwrap();
    chatted(&["Go."]).await;
    assert!(is_started());
    write(r#"{"mcpServers": {"s": {"command": "touch", "args": ["./started"]}}}"#);
    chatted(&["Go."]).await;
    assert!(!is_started());
}

#[tokio::test]
async fn without_a_terminal_the_first_error_ends_the_program() {
    let refusal = json!({"status": 401, "error_message": "No such key."});
    let model = model(&json!({"replies": [refusal, {"blocks": [{"text": "Hi."}]}]})).await;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(".mcp.json"), toy_server()).unwrap();
    let (stdout, stderr, code) = chatted_with(&model, folder.path(), &["--trust"], "Go.\nAgain.\n").await;
    assert_eq!((code, &*stdout), (Some(1), ""), "{stderr}");
    assert!(stderr.contains("agentwire-chat: ") && stderr.contains("No such key."), "{stderr}");
}

/// Returns the person's end of a terminal, and the program's.
fn terminal() -> (fs::File, OwnedFd) {
    let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&person).unwrap();
    unlockpt(&person).unwrap();
    let name = ptsname(&person, Vec::new()).unwrap();
    (person.into(), open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap())
}

/// Other systems do not end a line that is too long.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn line_that_the_terminal_has_cut_is_not_sent() {
    let model = model(&json!({"replies": [{"blocks": [{"text": "Hi."}]}]})).await;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(".mcp.json"), toy_server()).unwrap();
    let (mut person, terminal) = terminal();
    person.write_all(format!("{}\nGo.\n\u{4}", "x".repeat(6000)).as_bytes()).unwrap();
    let mut chat = chat(&model, folder.path(), &["--trust"]);
    let output = timeout(LIMIT, chat.stdin(terminal).output()).await.unwrap().unwrap();
    let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert_eq!((output.status.code(), &*stdout, model.request_count()), (Some(0), "Hi.\n", 1), "{stderr}");
    assert!(stderr.contains("[not sent: the terminal cuts lines"), "{stderr}");
}

#[tokio::test]
async fn questions_are_answered_in_any_case_and_by_no_earlier_line() {
    let call = json!({"blocks": [{"tool_use": {"name": "mcp__toy__echo", "input": {"text": "x"}}}]});
    let model = model(&json!({"replies": [call, {"blocks": [{"text": "Done."}]}]})).await;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(".mcp.json"), toy_server()).unwrap();
    let (mut person, terminal) = terminal();
    let mut chat = chat(&model, folder.path(), &[]);
    chat.env("XDG_CONFIG_HOME", folder.path()).stdin(terminal).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = chat.spawn().unwrap();
    let mut errors = child.stderr.take().unwrap();
    let mut shown = String::new();
    for (question, answer) in
        [("[N]o ", "Y\n"), ("> ", "Go.\nyes\n"), ("these arguments: allow? [y/N] ", "Yes\n"), ("> ", "\u{4}")]
    {
        shown = timeout(LIMIT, read_until(&mut errors, question)).await.unwrap();
        person.write_all(answer.as_bytes()).unwrap();
        assert_eq!(
            shown.contains("before this question are discarded"),
            question.contains("allow?"),
            "{shown}"
        );
    }
    let output = timeout(LIMIT, child.wait_with_output()).await.unwrap().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "Done.\n");
    assert!(shown.contains("[mcp__toy__echo is done]"), "{shown}");
}

const LIMIT: Duration = Duration::from_secs(30);

/// Reads up to this text.
async fn read_until(stream: &mut ChildStderr, text: &str) -> String {
    let mut read = Vec::new();
    while !read.ends_with(text.as_bytes()) {
        read.push(stream.read_u8().await.unwrap());
    }
    String::from_utf8(read).unwrap()
}

/// Returns a configuration with the toy server.
fn toy_server() -> String {
    let toy = program();
    json!({"mcpServers": {"toy": {"command": toy.command, "args": toy.args, "env": toy.env}}}).to_string()
}

/// Returns the program in a folder, with the model's address.
fn chat(model: &ScriptedModel, folder: &Path, arguments: &[&str]) -> Command {
    let mut chat = Command::new(env!("CARGO_BIN_EXE_agentwire-chat"));
    chat.args(arguments).current_dir(folder).env("ANTHROPIC_BASE_URL", model.base_url());
    chat.env("ANTHROPIC_API_KEY", "sk-fake").env("ANTHROPIC_MODEL", "scripted").kill_on_drop(true);
    chat
}

/// Returns what the program prints with this input, through a pipe, and its exit code.
async fn chatted_with(
    model: &ScriptedModel,
    folder: &Path,
    arguments: &[&str],
    input: impl AsRef<[u8]>,
) -> (String, String, Option<i32>) {
    let mut chat = chat(model, folder, arguments);
    chat.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = chat.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_ref()).await.unwrap();
    let output = child.wait_with_output().await.unwrap();
    let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (stdout, stderr, output.status.code())
}

/// Environment variables.
type Variables<'a> = &'a [(&'a str, &'a str)];

/// Returns the program's stderr and exit code with these variables.
async fn refused<V: AsRef<OsStr> + Copy>(
    variables: &[(&str, V)],
    arguments: &[&str],
) -> (String, Option<i32>) {
    let folder = tempfile::tempdir().unwrap();
    let servers = r#"{"mcpServers": {"started": {"command": "touch", "args": ["started"]}}}"#;
    fs::write(folder.path().join(".mcp.json"), servers).unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_agentwire-chat"));
    for variable in ["ANTHROPIC_API_KEY", "ANTHROPIC_MODEL", "ANTHROPIC_BASE_URL"] {
        program.env_remove(variable);
    }
    program.args(arguments).current_dir(folder.path()).envs(variables.iter().copied());
    let output = program.output().await.unwrap();
    assert!(!folder.path().join("started").exists(), "no server is started for nothing");
    (String::from_utf8(output.stderr).unwrap(), output.status.code())
}

#[tokio::test]
async fn missing_settings_are_reported_before_a_server_starts() {
    let (key, model) = (("ANTHROPIC_API_KEY", "sk-fake"), ("ANTHROPIC_MODEL", "scripted"));
    let cases: [(Variables<'_>, &[&str], &str, i32); 7] = [
        (&[], &["Hello?"], "agentwire-chat: the environment has no `ANTHROPIC_API_KEY`", 1),
        (
            &[("ANTHROPIC_API_KEY", ""), model],
            &["Hello?"],
            "agentwire-chat: the environment has no `ANTHROPIC_API_KEY`",
            1,
        ),
        (&[key], &["Hello?"], "agentwire-chat: the environment has no `ANTHROPIC_MODEL`", 1),
        (
            &[("ANTHROPIC_API_KEY", "sk-fake\r"), model],
            &["Hello?"],
            "agentwire-chat: the key has a control character",
            1,
        ),
        (
            &[key, model, ("ANTHROPIC_BASE_URL", "nowhere")],
            &["Hello?"],
            "agentwire-chat: `nowhere` is not the address of an API",
            1,
        ),
        (
            &[key, model, ("ANTHROPIC_BASE_URL", "")],
            &["--config", "none.json", "Hello?"],
            "agentwire-chat: there is no file `none.json`",
            1,
        ),
        (&[key, model], &["--nothing"], "error: unexpected argument '--nothing'", 2),
    ];
    for (variables, arguments, expected, code) in cases {
        let (stderr, ended) = refused(variables, arguments).await;
        assert!(stderr.starts_with(expected) && ended == Some(code), "{stderr} {ended:?}");
    }
}

#[tokio::test]
async fn url_that_is_no_unicode_is_not_replaced_by_the_default() {
    let (key, model) = (OsStr::new("sk-fake"), OsStr::new("scripted"));
    let url = OsStr::from_bytes(b"http://127.0.0.1/\xff");
    let variables = [("ANTHROPIC_API_KEY", key), ("ANTHROPIC_MODEL", model), ("ANTHROPIC_BASE_URL", url)];
    // The file is missing, so that no request is ever sent.
    let (stderr, _) = refused(&variables, &["--config", "none.json", "Hello?"]).await;
    assert!(stderr.starts_with("agentwire-chat: the environment has no `ANTHROPIC_BASE_URL`"), "{stderr}");
}
