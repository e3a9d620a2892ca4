//! Tests of calls that take too long, are cancelled, or end by a restart.

use std::time::{Duration, Instant};

use crate::client::answer;
use crate::real::{python, python_with};

#[tokio::test]
#[ignore = "needs AGENTWIRE_JUPYTER"]
async fn a_call_that_takes_too_long_is_interrupted_and_state_is_kept() {
    let client = python().await;
    client.text("import os, time\nx = 7").await;
    let awaiting = "import asyncio; await asyncio.sleep(30)";
    let (calling, printing) = ("os.system('sleep 30')", "print('on'); time.sleep(30)");
    for code in ["while True: pass", "time.sleep(30)", calling, printing, awaiting] {
        let started = Instant::now();
        let stopped = client.within(0.7, code).await;
        assert!(stopped.is_error, "{code}");
        let end = "[Interrupted: not finished within 0.7 s. What was computed before is kept.]";
        assert!(stopped.text.ends_with(end), "{code}: {}", stopped.text);
        assert!(started.elapsed() < Duration::from_secs(20), "{code} took {:?}", started.elapsed());
    }
    assert_eq!(client.text("x").await, "7");
    client.close().await;
}

#[tokio::test]
#[ignore = "needs AGENTWIRE_JUPYTER"]
async fn kernel_that_ends_at_an_interrupt_names_the_time_limit() {
    let client = python().await;
    let code =
        "import os, signal, time\nsignal.signal(signal.SIGINT, lambda *_: os._exit(0))\ntime.sleep(30)";
    let stopped = client.within(0.7, code).await;
    assert!(stopped.is_error);
    let start =
        "[The kernel ended while this ran (after an interrupt: not finished within 0.7 s; exit code 0";
    assert!(stopped.text.starts_with(start), "{}", stopped.text);
    client.close().await;
}

/// A kernel loses an interrupt before it runs the code; without a second one the call would end by killing the kernel.
#[tokio::test]
#[ignore = "needs AGENTWIRE_JUPYTER"]
async fn an_interrupt_waits_until_the_code_runs() {
    let client = python_with(&["--grace", "20"]).await;
    client.text("import time\nx = 7").await;
    let mut at_once = 0;
    for _ in 0..10 {
        let started = Instant::now();
        let stopped = client.within(0.001, "time.sleep(30)").await;
        assert!(stopped.is_error);
        let end = "[Interrupted: not finished within 0.001 s. What was computed before is kept.]";
        assert!(stopped.text.ends_with(end), "{}", stopped.text);
        at_once += usize::from(started.elapsed() < Duration::from_secs(4));
    }
    // The kernel may lose an interrupt between two internal steps; without holding it back, all would be lost.
    assert!(at_once >= 3, "{at_once} of 10");
    assert_eq!(client.text("x").await, "7");
    client.close().await;
}

#[tokio::test]
#[ignore = "needs AGENTWIRE_JUPYTER"]
async fn an_ignored_interrupt_is_repeated() {
    let client = python_with(&["--grace", "2"]).await;
    client.text("import time\nx = 7").await;
    let swallows = "try:\n    time.sleep(30)\nexcept KeyboardInterrupt:\n    time.sleep(30)";
    let stopped = client.within(0.5, swallows).await;
    assert!(
        stopped.is_error && stopped.text.contains("What was computed before is kept."),
        "{}",
        stopped.text
    );
    assert_eq!(client.text("x").await, "7");
    client.close().await;
}

#[tokio::test]
#[ignore = "needs AGENTWIRE_JUPYTER"]
async fn kernel_that_ignores_interrupts_is_killed() {
    let client = python_with(&["--grace", "0.5"]).await;
    client.text("import signal\nx = 7").await;
    let deaf = "signal.signal(signal.SIGINT, signal.SIG_IGN)\nprint('deaf', flush=True)\nwhile True: pass";
    let stopped = client.within(0.5, deaf).await;
    assert!(stopped.is_error);
    assert_eq!(
        stopped.text,
        "deaf\n[The kernel was ended: not finished within 0.5 s, and an interrupt was not heeded within 0.5 s.\n\
         The next call starts a new one, without anything that was computed.]"
    );
    let lost = client.run("x").await;
    assert!(lost.is_error && lost.text.contains("NameError"), "{}", lost.text);
    client.close().await;
}

#[tokio::test]
#[ignore = "needs AGENTWIRE_JUPYTER"]
async fn a_cancelled_call_is_interrupted() {
    let client = python().await;
    client.text("import time\nended = False").await;
    let running = client
        .begin("try:\n    print('runs', flush=True)\n    time.sleep(30)\nfinally:\n    ended = True")
        .await;
    let waiting = client.begin("ended = 'a call that was cancelled ran'").await;
    client.wait_for_progress("runs").await;
    waiting.cancel(None).await.unwrap();
    let started = Instant::now();
    running.cancel(None).await.unwrap();
    assert_eq!(client.text("ended").await, "True");
    assert!(started.elapsed() < Duration::from_secs(20), "it sleeps for 30 s");
    client.close().await;
}

#[tokio::test]
#[ignore = "needs AGENTWIRE_JUPYTER"]
async fn kernel_that_is_killed_with_a_cancelled_call_is_reported_by_the_next_call() {
    let client = python_with(&["--grace", "0.5"]).await;
    client.text("import signal\nx = 7").await;
    let running = client
        .begin("signal.signal(signal.SIGINT, signal.SIG_IGN)\nprint('ignores', flush=True)\nwhile True: pass")
        .await;
    client.wait_for_progress("ignores").await;
    running.cancel(None).await.unwrap();
    let next = client.text("1").await;
    assert_eq!(
        next,
        "[The kernel was ended with a call that was cancelled. A new one was started: nothing of what was computed is left.]\n1"
    );
    assert_eq!(client.text("2").await, "2");
    client.close().await;
}

#[tokio::test]
#[ignore = "needs AGENTWIRE_JUPYTER"]
async fn call_that_is_cancelled_while_the_kernel_starts_does_not_run() {
    let client = python().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ran");
    let waiting = client.begin(&format!("open({file:?}, 'w')")).await;
    waiting.cancel(None).await.unwrap();
    assert_eq!(client.text("1").await, "1");
    assert!(!file.exists());
    client.close().await;
}

#[tokio::test]
#[ignore = "needs AGENTWIRE_JUPYTER"]
async fn a_restart_ends_what_runs_and_what_waits() {
    let client = python().await;
    client.text("x = 7").await;
    let process = |info: String| info.lines().find(|line| line.starts_with("Process: ")).unwrap().to_owned();
    let before = process(client.tool("get_kernel_info").await.text);
    let running = client.begin("print('runs', flush=True)\nwhile True: pass").await;
    client.wait_for_progress("runs").await;
    let waiting = client.begin_all(["x".to_owned()], 1).await.pop().unwrap();
    let restarted = client.tool("restart_kernel").await;
    assert!(restarted.text.starts_with("A new kernel runs.\n"), "{}", restarted.text);
    assert_ne!(process(restarted.text), before);
    let stopped = answer(running).await;
    assert_eq!(
        (stopped.is_error, stopped.text.as_str()),
        (true, "runs\n[The kernel was restarted while this ran.]")
    );
    let refused = answer(waiting).await;
    assert!(
        refused.is_error
            && refused.text.starts_with("The kernel was restarted or ended before this call ran"),
        "{}",
        refused.text
    );
    assert!(client.run("x").await.text.contains("NameError"));
    // Restarts an idle kernel repeatedly.
    for _ in 0..3 {
        client.text("y = 1").await;
        assert!(!client.tool("restart_kernel").await.is_error);
        assert!(client.run("y").await.text.contains("NameError"));
    }
    client.close().await;
}
