//! Large volumes: nothing is lost, memory is bounded, and nothing blocks forever.

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use agentwire::{
    ControlError, Error, Incoming, Session, control::Config, hooks::Hooks, protocol::hook::PreToolUse,
};
use tokio::sync::Notify;

use crate::{
    fault_cli::play,
    received::{Received, completes_a_turn_and_closes, line, word},
    runner::tests,
};

tests!(volume:
    long_session_has_no_total_limit, unread_session_is_bounded_and_loses_nothing, call_completes_behind_2000_unread_messages, call_behind_the_unread_limit_fails_and_loses_nothing,
    calls_in_a_row_complete_in_an_unread_session, hook_behind_2000_unread_messages_runs,
    prompt_larger_than_the_pipe_is_sent, flood_of_stderr_is_drained,
);

/// Reads one turn's numbered messages and its result, and checks that they are complete and in order.
async fn all_there(session: &mut Session, count: usize) {
    let mut number = 0;
    loop {
        let incoming = session.next().await.expect("a message").unwrap();
        if word(&incoming) == "result" {
            break;
        }
        if let Some(found) = numbered(&incoming, count) {
            number += 1;
            assert_eq!(found, number);
        }
    }
    assert_eq!(number, count);
}

fn numbered(incoming: &Incoming, count: usize) -> Option<usize> {
    let line = line(incoming);
    let (number, rest) = line["message"]["content"][0]["text"].as_str()?.split_once(" of ")?;
    assert!(rest.starts_with(&format!("{count} x")), "{}", &rest[..20]);
    Some(number.parse().unwrap())
}

fn long_session_has_no_total_limit() {
    play("messages=5000 message-bytes=5000", async |cli| {
        let mut session = cli.connect().await;
        // 50 MB in all.
        for _ in 0..2 {
            session.send("hi").await.unwrap();
            all_there(&mut session, 5000).await;
        }
        session.close().await.unwrap();
    });
}

/// Returns the number of bytes a process has written so far.
fn written(pid: u32) -> u64 {
    let io = fs::read_to_string(format!("/proc/{pid}/io")).unwrap();
    let line = io.lines().find_map(|line| line.strip_prefix("wchar: "));
    line.unwrap().parse().unwrap()
}

fn unread_session_is_bounded_and_loses_nothing() {
    play("messages=10000 message-bytes=5000", async |cli| {
        let mut session = cli.connect().await;
        let pid = session.initialized().pid.unwrap();
        session.send("hi").await.unwrap();
        let most = Config::default().unread_soft_limit as u64;
        // Waits until it has written for a while and then stopped.
        let (mut last, mut still) = (0, 0);
        while still < 100 || last < most {
            tokio::time::timeout(Duration::from_millis(5), std::future::pending::<()>()).await.unwrap_err();
            let now = written(pid);
            still = if now == last { still + 1 } else { 0 };
            last = now;
        }
        // The unread limit, the pipe, and the last read.
        assert!(last < most + 1_000_000, "{last} of 50,000,000 bytes were taken while nobody read");
        all_there(&mut session, 10_000).await;
        session.close().await.unwrap();
    });
}

fn call_completes_behind_2000_unread_messages() {
    play("messages=2000 message-bytes=2000", async |cli| {
        let mut session = cli.connect().await;
        session.send("hi").await.unwrap();
        let reply = session.set_model(Some("m")).await.unwrap();
        assert_eq!(reply.model.as_deref(), Some("m"));
        all_there(&mut session, 2000).await;
        completes_a_numbered_turn(&mut session, 2000).await;
        session.close().await.unwrap();
    });
}

fn call_behind_the_unread_limit_fails_and_loses_nothing() {
    play("messages=5000 message-bytes=5000", async |cli| {
        let mut config = Config::default();
        config.unread_hard_limit = 4 << 20;
        let mut session = cli.builder().config(config).connect().await.unwrap();
        session.send("hi").await.unwrap();
        // Its reply lies behind 25 MB.
        let error = session.set_model(Some("m")).await.unwrap_err();
        assert!(matches!(error, Error::Control(ControlError::Backlogged { .. })), "{error:?}");
        let report = error.report().to_string();
        assert!(report.contains("`set_model`") && report.contains("bytes of unread messages"), "{report}");
        all_there(&mut session, 5000).await;
        assert!(session.set_model(Some("m")).await.is_ok());
        session.close().await.unwrap();
    });
}

async fn completes_a_numbered_turn(session: &mut Session, count: usize) {
    session.send("once more").await.unwrap();
    all_there(session, count).await;
}

fn calls_in_a_row_complete_in_an_unread_session() {
    play("messages=2000", async |cli| {
        let mut session = cli.connect().await;
        session.send("hi").await.unwrap();
        for number in 0..200 {
            let model = format!("m{number}");
            assert_eq!(session.set_model(Some(&model)).await.unwrap().model.as_deref(), Some(&*model));
        }
        all_there(&mut session, 2000).await;
        session.close().await.unwrap();
    });
}

fn hook_behind_2000_unread_messages_runs() {
    // 2 MB before the hook is called: far more than a session without callbacks reads ahead.
    play("messages=2000 message-bytes=1000 hooks=1", async |cli| {
        let ran = Arc::new(Notify::new());
        let called = Arc::clone(&ran);
        let hooks = Hooks::new().on(PreToolUse, move |_, _| {
            called.notify_one();
            async {}
        });
        let mut session = cli.builder().hooks(hooks).connect().await.unwrap();
        session.send("hi").await.unwrap();
        // The caller reads only after its own hook ran.
        ran.notified().await;
        all_there(&mut session, 2000).await;
        completes_a_numbered_turn(&mut session, 2000).await;
        session.close().await.unwrap();
    });
}

fn prompt_larger_than_the_pipe_is_sent() {
    play("talk-first=3000000", async |cli| {
        let mut session = cli.connect().await;
        // Both write at the same time, more than the pipes hold.
        session.send("x".repeat(5_000_000)).await.unwrap();
        all_there(&mut session, 3001).await;
        completes_a_turn_and_closes(session).await;
    });
}

fn flood_of_stderr_is_drained() {
    play("stderr-flood=20000000", async |cli| {
        let lines = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&lines);
        let counting = cli.builder().on_stderr(move |line| {
            assert!(line.len() <= 99, "{line}");
            counted.fetch_add(1, Ordering::SeqCst);
        });
        for builder in [cli.builder(), counting] {
            let mut session = builder.connect().await.unwrap();
            let received = Received::turn(&mut session, "hi").await;
            assert_eq!(received.kinds(), ["assistant", "result"]);
            session.close().await.unwrap();
        }
        assert_eq!(lines.load(Ordering::SeqCst), 200_001);
    });
}
