//! Tests of kernels that are missing, fail to start, exit at once or never reply.

use std::path::Path;

use agentwire_testkit::eventually;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, installed, program};

#[tokio::test]
async fn an_unknown_kernel_is_reported_with_the_installed_ones() {
    let data = installed("known", r#"{"argv": ["true"], "display_name": "The Known", "language": "none"}"#);
    let client = Client::start(program(&[data.path()], &["--kernel", "unknown"])).await;
    for tool in ["get_kernel_info", "restart_kernel"] {
        let answer = client.tool(tool).await;
        assert!(answer.is_error);
        assert!(answer.text.starts_with("there is no kernel `unknown`; installed are: "), "{}", answer.text);
        assert!(answer.text.contains("known (The Known)"), "{}", answer.text);
    }
    assert!(client.run("1").await.text.starts_with("there is no kernel `unknown`"));
    client.close().await;
}

#[tokio::test]
async fn a_kernel_that_exits_at_start_is_reported_with_its_stderr() {
    let argv = r#"["sh", "-c", "echo 'no such module' >&2; exit 3", "x", "{connection_file}"]"#;
    let data = installed("dies", &format!(r#"{{"argv": {argv}, "display_name": "D", "language": "none"}}"#));
    let client = Client::start(program(&[data.path()], &["--kernel", "dies"])).await;
    let answer = client.run("1").await;
    assert!(answer.is_error);
    assert_eq!(
        answer.text,
        "the kernel ended while it started (exit code 3; the end of its stderr:\nno such module)"
    );
    client.close().await;
}

#[tokio::test]
async fn a_silent_kernel_is_killed_at_the_start_limit() {
    let (data, seconds) = sleeping("25");
    let client =
        Client::start(program(&[data.path()], &["--kernel", "sleeps", "--start-limit", "0.5"])).await;
    assert_eq!(client.run("1").await.text, "the kernel did not answer within 0.5 s");
    assert!(!runs(&seconds));
    client.close().await;
}

#[tokio::test]
async fn a_silent_kernel_is_reported_with_its_stderr() {
    let argv = r#"["sh", "-c", "echo 'no licence' >&2; exec sleep 1000", "x", "{connection_file}"]"#;
    let data = installed("mute", &format!(r#"{{"argv": {argv}, "display_name": "M", "language": "none"}}"#));
    let client = Client::start(program(&[data.path()], &["--kernel", "mute", "--start-limit", "2"])).await;
    assert_eq!(
        client.run("1").await.text,
        "the kernel did not answer within 2 s; the end of its stderr:\nno licence"
    );
    client.close().await;
}

/// As the official SDKs of MCP start a server.
#[tokio::test]
async fn a_kernel_uses_utf_8_where_the_server_has_no_locale() {
    let argv = r#"["sh", "-c", "echo \"encoding: $LC_CTYPE\" >&2; exit 3"]"#;
    let data = installed("tells", &format!(r#"{{"argv": {argv}, "display_name": "T", "language": "none"}}"#));
    let mut command = program(&[data.path()], &["--kernel", "tells"]);
    for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
        command.env_remove(name);
    }
    let client = Client::start(command).await;
    let answer = client.run("1").await;
    let encoding = if cfg!(target_os = "macos") { "encoding: UTF-8" } else { "encoding: C.UTF-8" };
    assert!(answer.text.contains(encoding), "{}", answer.text);
    client.close().await;
}

#[tokio::test]
async fn a_kernel_gets_sockets_on_loopback_and_a_key_for_signatures() {
    let folder = tempfile::tempdir().unwrap();
    let seen = folder.path().join("seen.json");
    let spec = json!({"argv": ["cp", "{connection_file}", seen], "display_name": "C", "language": "none"});
    let data = installed("copies", &spec.to_string());
    let client = Client::start(program(&[data.path()], &["--kernel", "copies"])).await;
    client.run("1").await;
    client.close().await;
    let info: Value = serde_json::from_slice(&std::fs::read(seen).unwrap()).unwrap();
    assert_eq!((&info["ip"], &info["signature_scheme"]), (&json!("127.0.0.1"), &json!("hmac-sha256")));
    // Without a key, Jupyter checks no signature.
    assert!(info["key"].as_str().unwrap().len() >= 32, "{info}");
}

#[tokio::test]
async fn kernel_info_does_not_wait_for_a_kernel_that_starts() {
    let (data, seconds) = sleeping("50");
    let client = Client::start(program(&[data.path()], &["--kernel", "sleeps", "--start-limit", "10"])).await;
    let _pending = client.begin("1").await;
    eventually(|| runs(&seconds)).await;
    let info = client.tool("get_kernel_info").await;
    assert!(info.text.contains("State: starting\n"), "{}", info.text);
    client.close().await;
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named() {
    let data =
        installed("none", r#"{"argv": ["no-such-program-x"], "display_name": "N", "language": "none"}"#);
    let empty = installed("empty", r#"{"argv": [], "display_name": "N", "language": "none"}"#);
    let client = Client::start(program(&[data.path()], &["--kernel", "none"])).await;
    let answer = client.run("1").await;
    assert!(
        answer.text.starts_with("the kernel could not be started: ")
            && answer.text.contains("no-such-program-x"),
        "{}",
        answer.text
    );
    client.close().await;
    let client = Client::start(program(&[empty.path()], &["--kernel", "empty"])).await;
    assert_eq!(client.run("1").await.text, "the specification of the kernel `empty` names no program");
    assert_eq!(client.tool("interrupt_kernel").await.text, "Nothing runs in the kernel.");
    client.close().await;
}

#[tokio::test]
async fn nothing_is_left_of_a_start_that_the_client_ends() {
    let (data, seconds) = sleeping("75");
    let folder = tempfile::tempdir().unwrap();
    let mut command = program(&[data.path()], &["--kernel", "sleeps"]);
    command.env("TMPDIR", folder.path());
    let client = Client::start(command).await;
    let _pending = client.begin("1").await;
    eventually(|| runs(&seconds)).await;
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    client.close().await;
    assert!(!runs(&seconds));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Returns a kernel that only sleeps, for a duration that is unique on this machine.
fn sleeping(ends: &str) -> (TempDir, String) {
    let seconds = format!("1000.{}{ends}", std::process::id());
    let spec = format!(r#"{{"argv": ["sleep", "{seconds}"], "display_name": "S", "language": "none"}}"#);
    (installed("sleeps", &spec), seconds)
}

/// Returns whether a `sleep` with this duration runs.
fn runs(seconds: &str) -> bool {
    let processes = std::fs::read_dir(Path::new("/proc")).unwrap().flatten();
    processes
        .filter_map(|process| std::fs::read(process.path().join("cmdline")).ok())
        .any(|line| line == format!("sleep\0{seconds}\0").as_bytes())
}
