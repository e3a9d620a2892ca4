//! Sessions with real processes: a fake CLI that plays one fault each, and programs that can't be started.

use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

use agentwire::{EndedBy, Error, Options, Session, query, transport::TransportError};
use tokio::{runtime::Runtime, time::timeout};

use crate::{
    fake::Fake,
    peer::{fails, next_kind},
};

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Runs a test and fails if it hangs.
fn run<T>(test: impl Future<Output = T>) -> T {
    runtime().block_on(async { timeout(BOUND, test).await.expect("it hangs") })
}

/// Waits until a process is gone, including zombies of our own children.
fn gone(pid: u32) {
    let start = Instant::now();
    while Path::new(&format!("/proc/{pid}")).exists() && !is_orphaned_zombie(pid) {
        assert!(start.elapsed() < BOUND, "process {pid} is still there");
        thread::park_timeout(Duration::from_millis(5));
    }
}

/// Checks that a process is gone now.
fn is_gone(pid: u32) {
    assert!(!Path::new(&format!("/proc/{pid}")).exists() || is_orphaned_zombie(pid), "{pid} is still there");
}

/// Waits as [`gone`] does, but for less than the transport's default grace periods: those of the session apply.
fn soon_gone(pid: u32) {
    let start = Instant::now();
    gone(pid);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

/// Returns whether an ended grandchild still waits to be reaped by the process that adopted it.
fn is_orphaned_zombie(pid: u32) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    let mut fields = stat.rsplit_once(')').unwrap().1.split_whitespace();
    let (state, parent) = (fields.next().unwrap(), fields.next().unwrap());
    state == "Z" && parent != std::process::id().to_string()
}

fn pid(session: &Session) -> u32 {
    session.initialized().pid.unwrap()
}

/// Returns the process that the CLI has started.
fn grandchild(session: &Session) -> u32 {
    session.initialized().capabilities.as_ref().unwrap()[0].parse().unwrap()
}

#[test]
fn two_turns_end_cleanly() {
    let fake = Fake::new();
    let pid = run(async {
        let mut session = Session::connect(fake.options("good")).await.unwrap();
        for prompt in ["one", "two"] {
            let turn = session.ask(prompt).await.unwrap();
            assert_eq!(turn.finish().await.unwrap().unwrap().result.as_deref(), Some("hello"));
        }
        let pid = pid(&session);
        session.close().await.unwrap();
        pid
    });
    gone(pid);
}

#[test]
fn close_returns_when_the_cli_is_gone() {
    let fake = Fake::new();
    for (part, builder) in [
        ("good", fake.hasty_afterwards("good")),
        ("deaf", fake.hasty("deaf")),
        ("stubborn", fake.hasty("stubborn")),
    ] {
        run(async {
            let session = builder.connect().await.unwrap();
            let pid = pid(&session);
            assert_eq!(session.close().await.unwrap().by == EndedBy::Itself, part == "good");
            is_gone(pid);
        });
    }
}

#[test]
fn close_returns_when_the_group_is_gone() {
    let fake = Fake::new();
    run(async {
        // Its child ignores SIGTERM and outlives it.
        let session = fake.hasty_afterwards("brood").connect().await.unwrap();
        let (pid, grandchild) = (pid(&session), grandchild(&session));
        session.close().await.unwrap();
        is_gone(pid);
        is_gone(grandchild);
    });
}

#[test]
fn query_runs_to_its_end() {
    let fake = Fake::new();
    run(async {
        let mut query = query("hi", fake.options("good")).await.unwrap();
        let mut kinds = Vec::new();
        while let Some(incoming) = query.next().await {
            kinds.push(crate::peer::kind(&incoming.unwrap()));
        }
        assert_eq!(kinds, ["assistant", "result"]);
    });
}

#[test]
fn crash_is_reported() {
    let fake = Fake::new();
    run(async {
        let mut session = Session::connect(fake.options("crash")).await.unwrap();
        session.send("hi").await.unwrap();
        assert_eq!(next_kind(&mut session).await, "assistant");
        let error = fails(&mut session).await;
        let exit = error.ending().unwrap().exit.clone().unwrap();
        assert_eq!(exit.code, Some(3));
        assert_eq!(exit.stderr_tail.trim(), "fatal: out of memory");
        gone(pid(&session));
    });
}

#[test]
fn exit_in_the_handshake_is_reported() {
    let fake = Fake::new();
    run(async {
        let error = Session::connect(fake.options("refuse")).await.unwrap_err();
        assert_eq!(error.ending().unwrap().exit.as_ref().unwrap().code, Some(1));
        assert!(error.to_string().contains("unknown option '--nope'"), "{error}");
    });
}

#[test]
fn cli_that_ignores_the_end_of_input_is_terminated() {
    let fake = Fake::new();
    run(async {
        let session = fake.hasty_at_first("deaf").connect().await.unwrap();
        let pid = pid(&session);
        let closed = session.close().await.unwrap();
        assert_eq!((closed.exit.unwrap().signal, closed.by), (Some(15), EndedBy::Terminated));
        gone(pid);
    });
}

#[test]
fn cli_that_ignores_sigterm_is_killed() {
    let fake = Fake::new();
    run(async {
        let session = fake.hasty("stubborn").connect().await.unwrap();
        let pid = pid(&session);
        let closed = session.close().await.unwrap();
        assert_eq!((closed.exit.unwrap().signal, closed.by), (Some(9), EndedBy::Killed));
        gone(pid);
    });
}

#[test]
fn query_ends_though_the_cli_ignores_the_end_of_input() {
    let fake = Fake::new();
    run(async {
        let session = fake.hasty("deaf").connect().await.unwrap();
        let pid = pid(&session);
        let mut query = session.into_query("hi").await.unwrap();
        assert_eq!(crate::peer::kind(&query.next().await.unwrap().unwrap()), "assistant");
        assert_eq!(crate::peer::kind(&query.next().await.unwrap().unwrap()), "result");
        assert!(query.next().await.is_none());
        gone(pid);
    });
}

#[test]
fn output_held_by_a_grandchild_does_not_block() {
    let fake = Fake::new();
    run(async {
        let mut session = fake.hasty("grandchild").connect().await.unwrap();
        let grandchild = grandchild(&session);
        session.send("hi").await.unwrap();
        assert_eq!(next_kind(&mut session).await, "assistant");
        let error = fails(&mut session).await;
        let ending = error.ending().unwrap();
        assert!(ending.in_turn);
        assert_eq!(ending.exit.as_ref().unwrap().code, Some(0));
        gone(pid(&session));
        gone(grandchild);
    });
}

#[test]
fn dropping_leaves_nothing() {
    let fake = Fake::new();
    for part in ["good", "deaf", "stubborn"] {
        // Inside its runtime.
        run(async {
            let session = fake.hasty(part).connect().await.unwrap();
            let pid = pid(&session);
            drop(session);
            soon_gone(pid);
        });
        // While the runtime is not polled.
        let idle = runtime();
        let session = idle.block_on(fake.hasty(part).connect()).unwrap();
        let pid_of_idle = pid(&session);
        drop(session);
        soon_gone(pid_of_idle);
        // After the end of the runtime.
        let session = {
            let runtime = runtime();
            runtime.block_on(fake.hasty(part).connect()).unwrap()
        };
        let pid = pid(&session);
        drop(session);
        soon_gone(pid);
    }
}

#[test]
fn drop_writes_sent_prompts() {
    let fake = Fake::new();
    let (sender, heard) = std::sync::mpsc::channel();
    let builder = Session::builder().options(fake.options("tell"));
    let builder = builder.on_stderr(move |line| sender.send(line.to_owned()).unwrap());
    run(async {
        let session = builder.connect().await.unwrap();
        // Each is larger than a pipe, and nothing is written while this task does not wait.
        for number in 0..3 {
            session.send(format!("{number} {}", "x".repeat(300_000))).await.unwrap();
        }
        drop(session);
    });
    for number in 0..3 {
        assert_eq!(heard.recv_timeout(BOUND).unwrap(), format!("heard {number}"));
    }
}

#[test]
fn a_dropped_connect_leaves_nothing() {
    let fake = Fake::new();
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("claude");
    let file = dir.path().join("pid");
    // The CLI reports its id and never answers.
    let text =
        format!("#!/bin/sh\necho $$ > '{0}.new'\nmv '{0}.new' '{0}'\ncat >/dev/null\n", file.display());
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    run(async {
        let options = fake.options("good").path_to_claude_code_executable(script);
        let connecting = tokio::spawn(Session::connect(options));
        while !file.exists() {
            tokio::task::yield_now().await;
        }
        connecting.abort();
        assert!(connecting.await.unwrap_err().is_cancelled());
        gone(std::fs::read_to_string(&file).unwrap().trim().parse().unwrap());
    });
}

#[test]
fn stderr_goes_to_its_callback() {
    let fake = Fake::new();
    let (sender, lines) = std::sync::mpsc::channel();
    run(async {
        let builder = Session::builder().options(fake.options("crash"));
        let builder = builder.on_stderr(move |line| sender.send(line.to_owned()).unwrap());
        let mut session = builder.connect().await.unwrap();
        session.send("hi").await.unwrap();
        assert_eq!(next_kind(&mut session).await, "assistant");
        fails(&mut session).await;
    });
    assert_eq!(lines.recv_timeout(BOUND).unwrap(), "fatal: out of memory");
}

#[test]
fn failed_start_names_its_cause() {
    let fake = Fake::new();
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    std::fs::write(&data, "").unwrap();
    let missing = dir.path().join("missing");
    let refused = |options: Options| run(Session::connect(options)).unwrap_err();
    let names = |error: &Error, path: &Path| {
        let report = error.report().to_string();
        assert!(report.contains(&path.display().to_string()), "{report}");
    };

    let error = refused(Options::new().path_to_claude_code_executable(&missing));
    assert!(matches!(error, Error::Start(TransportError::NoSuchProgram { .. })), "{error:?}");
    names(&error, &missing);

    let error = refused(Options::new().path_to_claude_code_executable(&data));
    assert!(matches!(error, Error::Start(TransportError::NotExecutable { .. })), "{error:?}");
    names(&error, &data);

    let error = refused(fake.options("good").cwd(&missing));
    assert!(matches!(error, Error::Start(TransportError::NoSuchDirectory { .. })), "{error:?}");
    names(&error, &missing);

    let error = refused(fake.options("good").extra_arg("long", Some(&"x".repeat(5_000_000))));
    assert!(matches!(error, Error::Start(TransportError::ArgumentsTooLong { .. })), "{error:?}");
}

/// Far longer than anything here takes.
const BOUND: Duration = Duration::from_secs(30);
