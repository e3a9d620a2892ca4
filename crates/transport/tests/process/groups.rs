//! Processes that the peer started: they end with the peer, and can't delay its end.

use std::{fs, path::Path, process::Command, sync::Arc};

use agentwire_transport::{
    ByteSink, ByteSource, PeerHandle, Signal, Transport, TransportError,
    process::{Grace, ProcessSource, ProcessTransport},
};
use bytes::Bytes;

use crate::support::{
    BOUND, eventually, fake, hasty, lives, open, patient, read_all, read_line, reaped, run,
};

crate::runner::tests!(groups:
    grandchild_gets_sigterm_when_its_leader_exits, grandchild_that_ignores_sigterm_is_killed,
    wait_group_waits_for_the_whole_group,
    process_outside_the_group_that_holds_the_pipes_does_not_delay_the_end,
    process_outside_the_group_that_floods_the_pipe_does_not_delay_the_end, sigterm_reaches_the_group,
    sigint_reaches_the_group_and_not_its_guard, drop_ends_the_group,
    drain_of_a_dropped_source_ends_although_the_pipe_is_flooded,
    stderr_callback_is_dropped_although_the_pipe_is_held, group_ends_in_a_host_that_reaps_every_child,
);

/// The directory of the grandchild's file. Removing the file ends a grandchild that the transport must not end.
struct Squat(tempfile::TempDir);

impl Squat {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self) -> String {
        self.0.path().join("squat").display().to_string()
    }

    fn ends(self, grandchild: u32) {
        fs::remove_file(self.file()).unwrap();
        eventually("the grandchild's end", || !lives(grandchild));
    }
}

fn grandchild_gets_sigterm_when_its_leader_exits() {
    // The grandchild ends by SIGTERM, so no grace period passes.
    ends_after_its_leader("meek", patient());
}

fn grandchild_that_ignores_sigterm_is_killed() {
    ends_after_its_leader("stubborn", hasty());
}

fn ends_after_its_leader(grandchild: &str, grace: Grace) {
    let squat = Squat::new();
    run(async {
        let mut link = open(&["leave", &squat.file(), grandchild], grace).await;
        let grandchild: u32 = read_line(&mut link.source).await.parse().unwrap();
        assert!(link.handle.wait().await.is_success());
        assert_eq!(link.source.read().await.unwrap(), None);
        eventually("the grandchild's end", || !lives(grandchild));
        reaped(link.handle.pid());
    });
}

fn wait_group_waits_for_the_whole_group() {
    // The grandchild ignores SIGTERM and is killed: alone with `leave`, together with its leader with `lead`.
    for part in ["leave", "lead"] {
        let squat = Squat::new();
        run(async {
            let mut link = open(&[part, &squat.file(), "stubborn"], hasty()).await;
            let grandchild: u32 = read_line(&mut link.source).await.parse().unwrap();
            if part == "lead" {
                link.handle.signal(Signal::Kill).unwrap();
            }
            link.handle.wait_group().await;
            assert!(!lives(grandchild));
            assert!(!Path::new(&format!("/proc/{}", link.handle.pid())).exists());
            // A second wait resolves at once.
            link.handle.wait_group().await;
        });
    }
}

fn process_outside_the_group_that_holds_the_pipes_does_not_delay_the_end() {
    let squat = Squat::new();
    let grandchild = run(async {
        // A process in its own session is not ended, but must not delay the end.
        let mut link = open(&["leave", &squat.file(), "outsider"], hasty()).await;
        let grandchild: u32 = read_line(&mut link.source).await.parse().unwrap();
        assert!(link.handle.wait().await.is_success());
        // The grandchild holds stdin too, so that only the end of the leader can end this write.
        let written = link.sink.write(Bytes::from(vec![b'x'; 1_000_000])).await;
        assert!(matches!(written, Err(TransportError::Closed)));
        assert!(read_all(&mut link.source).await.is_empty());
        reaped(link.handle.pid());
        grandchild
    });
    assert!(lives(grandchild));
    squat.ends(grandchild);
}

fn process_outside_the_group_that_floods_the_pipe_does_not_delay_the_end() {
    let squat = Squat::new();
    let grandchild = run(async {
        let mut link = open(&["leave", &squat.file(), "flooding"], hasty()).await;
        let pid = link.handle.pid();
        let mut output = Vec::new();
        while let Some(chunk) = link.source.read().await.unwrap() {
            output.extend_from_slice(&chunk);
        }
        assert!(link.handle.wait().await.is_success());
        reaped(pid);
        pid_in(&output)
    });
    // The pipe is closed, which ends the flooding grandchild.
    eventually("the grandchild's end", || !lives(grandchild));
}

fn sigterm_reaches_the_group() {
    let squat = Squat::new();
    run(async {
        let mut link = open(&["lead", &squat.file(), "meek"], patient()).await;
        let grandchild: u32 = read_line(&mut link.source).await.parse().unwrap();
        link.handle.signal(Signal::Term).unwrap();
        assert_eq!(link.handle.wait().await.signal, Some(15));
        eventually("the grandchild's end", || !lives(grandchild));
    });
}

fn sigint_reaches_the_group_and_not_its_guard() {
    let squat = Squat::new();
    run(async {
        let mut link = open(&["lead", &squat.file(), "meek"], patient()).await;
        let grandchild: u32 = read_line(&mut link.source).await.parse().unwrap();
        let guard = link.handle.guard_pid().unwrap();
        link.handle.interrupt().unwrap();
        assert_eq!(link.handle.wait().await.signal, Some(2));
        eventually("the grandchild's end", || !lives(grandchild));
        eventually("the guard's end", || !lives(guard));
        link.handle.interrupt().unwrap();
    });
}

fn drop_ends_the_group() {
    let squat = Squat::new();
    run(async {
        let mut link = open(&["lead", &squat.file(), "stubborn"], hasty()).await;
        let pid = link.handle.pid();
        let grandchild: u32 = read_line(&mut link.source).await.parse().unwrap();
        drop(link);
        eventually("the grandchild's end", || !lives(grandchild));
        reaped(pid);
    });
}

fn drain_of_a_dropped_source_ends_although_the_pipe_is_flooded() {
    let squat = Squat::new();
    run(async {
        // The draining thread must end although the grandchild never pauses, and close the pipe.
        let mut link = open(&["leave", &squat.file(), "flooding"], hasty().after_input(BOUND)).await;
        let grandchild: u32 = read_pid(&mut link.source).await;
        drop(link.source);
        assert!(link.handle.wait().await.is_success());
        reaped(link.handle.pid());
        eventually("the grandchild's end", || !lives(grandchild));
    });
}

fn stderr_callback_is_dropped_although_the_pipe_is_held() {
    let squat = Squat::new();
    run(async {
        let sink = Arc::new(());
        let held = Arc::clone(&sink);
        let transport = ProcessTransport::new(fake(&["leave", &squat.file(), "outsider"]))
            .grace(hasty().after_input(BOUND))
            .on_stderr(move |_| drop(Arc::clone(&held)));
        let mut link = transport.open().await.unwrap();
        let grandchild: u32 = read_line(&mut link.source).await.parse().unwrap();
        drop(link);
        // The thread that drains stderr owns the callback, and must drop it although the grandchild lives.
        eventually("the end of the stderr thread", || Arc::strong_count(&sink) == 1);
        assert!(lives(grandchild));
        squat.ends(grandchild);
    });
}

/// Reads the grandchild's process id from the flood of output.
async fn read_pid(source: &mut ProcessSource) -> u32 {
    let mut output = Vec::new();
    while !output.contains(&b'\n') {
        output.extend_from_slice(&source.read().await.unwrap().expect("a process id"));
    }
    pid_in(&output)
}

fn pid_in(output: &[u8]) -> u32 {
    let digits: String =
        output.iter().filter(|byte| byte.is_ascii_digit()).map(|byte| *byte as char).collect();
    digits.parse().unwrap()
}

fn group_ends_in_a_host_that_reaps_every_child() {
    let squat = Squat::new();
    let mut host = Command::new(std::env::current_exe().unwrap());
    let output = host.args(["reaper", &squat.file()]).env(crate::fake::FAKE, "1").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "ended\n", "{output:?}");
}
