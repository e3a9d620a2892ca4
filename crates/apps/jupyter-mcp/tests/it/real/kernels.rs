//! Tests of other kernels: a kernel that is interrupted by a message, and a kernel that runs code in another process.

use crate::client::{Client, installed, program};
use crate::real::environment;

/// Returns a specification with the environment's Python.
fn spec(module: &str, more: &str) -> String {
    let python = environment().join("bin/python");
    let python = python.to_str().unwrap();
    format!(
        r#"{{"argv": ["{python}", "-m", "{module}", "-f={{connection_file}}"], "display_name": "T", "language": "lang"{more}}}"#
    )
}

#[tokio::test]
#[ignore = "needs AGENTWIRE_JUPYTER"]
async fn an_interrupt_may_be_a_message() {
    // This kernel ignores the signal.
    let data = installed(
        "by-message",
        &spec("ipykernel_launcher", r#", "interrupt_mode": "message", "env": {"T": "${HOME}!"}"#),
    );
    let client = Client::start(program(&[data.path()], &["--kernel", "by-message"])).await;
    assert!(client.text("import os, time; os.environ['T']").await.ends_with("!'"));
    let stopped = client.within(0.5, "time.sleep(30)").await;
    assert!(stopped.text.contains("KeyboardInterrupt"), "{}", stopped.text);
    assert!(stopped.text.ends_with("What was computed before is kept.]"), "{}", stopped.text);
    client.close().await;
}

#[tokio::test]
#[ignore = "needs AGENTWIRE_JUPYTER"]
async fn bash_is_a_kernel_too() {
    let data = installed("bash", &spec("bash_kernel", ""));
    let client = Client::start(program(&[data.path()], &["--kernel", "bash"])).await;
    assert_eq!(client.text("x=7; echo $((x + 1))").await, "8");
    assert_eq!(client.text("echo $x; echo warned >&2").await, "7\nwarned");
    let failed = client.run("false").await;
    assert!(failed.is_error, "{}", failed.text);
    let stopped = client.within(1.0, "sleep 30").await;
    assert!(
        stopped.is_error && stopped.text.contains("[Interrupted: not finished within 1 s."),
        "{}",
        stopped.text
    );
    assert_eq!(client.text("echo $x").await, "7");
    let unclosed = client.run("echo \"abc").await;
    assert!(unclosed.is_error, "{}", unclosed.text);
    let info = client.tool("get_kernel_info").await.text;
    assert!(info.contains("Language: lang"), "{info}");
    client.close().await;
}
