//! Tests of calls and the state between them.

use crate::client::answer;
use crate::real::{python, python_with};

#[tokio::test]
#[ignore = "needs AGENTWIRE_JUPYTER"]
async fn state_is_kept_between_calls() {
    let client = python().await;
    assert_eq!(client.text("x = 20").await, "(no output)");
    assert_eq!(client.text("x + 1").await, "21");
    assert_eq!(client.text("print('a'); 2").await, "a\n2");
    let info = client.tool("get_kernel_info").await.text;
    for line in [
        "Kernel: python3",
        "State: idle",
        "Language: python 3",
        "Calls so far: 3",
        "python3 (Python 3 (ipykernel))",
    ] {
        assert!(info.contains(line), "{info}");
    }
    client.close().await;
}

/// As Python prints a file name of another encoding.
#[tokio::test]
#[ignore = "needs AGENTWIRE_JUPYTER"]
async fn invalid_utf_8_loses_no_message() {
    let client = python().await;
    assert_eq!(client.text(r"print('caf\udce9')").await, "caf\u{fffd}");
    let failed = client.run(r"raise ValueError('caf\udce9')").await;
    assert!(failed.is_error && failed.text.contains("ValueError: caf\u{fffd}"), "{}", failed.text);
    client.close().await;
}

#[tokio::test]
#[ignore = "needs AGENTWIRE_JUPYTER"]
async fn an_error_is_an_error_without_colours() {
    let client = python().await;
    let failed = client.run("print('before')\n1/0").await;
    assert!(failed.is_error);
    assert!(failed.text.starts_with("before\n"), "{}", failed.text);
    assert!(failed.text.contains("ZeroDivisionError: division by zero"), "{}", failed.text);
    assert!(!failed.text.contains('\u{1b}'));
    let failed = client.run("if").await;
    assert!(failed.is_error && failed.text.contains("SyntaxError"), "{}", failed.text);
    assert_eq!(client.text("1").await, "1");
    client.close().await;
}

#[tokio::test]
#[ignore = "needs AGENTWIRE_JUPYTER"]
async fn input_is_refused_at_once() {
    let client = python().await;
    for code in ["input('name? ')", "import getpass; getpass.getpass()"] {
        let refused = client.run(code).await;
        assert!(refused.is_error && refused.text.contains("StdinNotImplementedError"), "{}", refused.text);
    }
    client.close().await;
}

#[tokio::test]
#[ignore = "needs AGENTWIRE_JUPYTER"]
async fn printed_output_is_reported_as_progress() {
    let client = python().await;
    let running = client
        .begin("import time\nwait = True\nprint('first', flush=True)\nwhile wait: time.sleep(0.01)")
        .await;
    client.wait_for_progress("first").await;
    assert!(client.tool("get_kernel_info").await.text.contains("State: busy"));
    assert!(!client.tool("interrupt_kernel").await.is_error);
    let stopped = answer(running).await;
    assert!(stopped.is_error);
    assert!(stopped.text.starts_with("first\n"), "{}", stopped.text);
    assert!(stopped.text.contains("KeyboardInterrupt"), "{}", stopped.text);
    assert!(
        stopped
            .text
            .ends_with("[Interrupted: interrupt_kernel was called. What was computed before is kept.]")
    );
    let progress = client.progress.0.lock().unwrap().clone();
    assert!(progress.windows(2).all(|two| two[0].progress < two[1].progress), "{progress:?}");
    assert_eq!(client.text("wait").await, "True");
    client.close().await;
}

#[tokio::test]
#[ignore = "needs AGENTWIRE_JUPYTER"]
async fn calls_run_one_at_a_time_and_the_queue_is_bounded() {
    let client = python_with(&["--time-limit", "30"]).await;
    let gate = tempfile::tempdir().unwrap();
    let open = gate.path().join("open");
    client.text("import os, time\nran = []").await;
    let hold = format!("print('holds', flush=True)\nwhile not os.path.exists({open:?}): time.sleep(0.01)");
    let first = client.begin(&hold).await;
    client.wait_for_progress("holds").await;
    let waiting = client.begin_all((0..16).map(|number| format!("ran.append({number})")), 16).await;
    let refused = client.run("ran.append(16)").await;
    assert!(refused.is_error);
    assert_eq!(refused.text, "16 calls are waiting already: try again later");
    std::fs::write(&open, "").unwrap();
    assert!(!answer(first).await.is_error);
    for call in waiting {
        let answer = answer(call).await;
        assert!(!answer.is_error, "{}", answer.text);
    }
    assert_eq!(client.text("len(ran), len(set(ran))").await, "(16, 16)");
    client.close().await;
}
