//! What the peer started itself: it ends with the peer, and can hold nothing up.

use std::{fs, path::Path, process::Command, sync::Arc};

use agentwire_transport::{
    ByteSink, ByteSource, PeerHandle, Signal, Transport, TransportError,
    process::{ProcessSource, ProcessTransport},
};
use bytes::Bytes;

use crate::support::{
    BOUND, eventually, fake, hasty, lives, open, patient, read_all, read_line, reaped, run,
};

crate::runner::tests!(groups:
    a_grandchild_outlives, a_stubborn_grandchild_outlives, gone_means_all_of_it, a_stranger_holds_the_pipes,
    a_stranger_floods_the_pipe,
    terminate_reaches_the_group, interrupt_reaches_the_group_and_not_its_guard, dropping_reaches_the_group,
    a_stranger_and_a_dropped_source, a_silent_stranger_and_a_dropped_source, a_host_that_reaps_every_child,
);

/// A place for the grandchild's file; removing it ends a grandchild that nothing else may end.
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

fn a_grandchild_outlives() {
    let squat = Squat::new();
    run(async {
        // It heeds SIGTERM, so no grace passes here.
        let mut link = open(&["leave", &squat.file(), "meek"], patient()).await;
        let grandchild: u32 = read_line(&mut link.source).await.parse().unwrap();
        assert!(link.handle.wait().await.is_success());
        assert_eq!(link.source.read().await.unwrap(), None);
        eventually("the grandchild's end", || !lives(grandchild));
        reaped(link.handle.pid());
    });
}

fn a_stubborn_grandchild_outlives() {
    let squat = Squat::new();
    run(async {
        let mut link = open(&["leave", &squat.file(), "stubborn"], hasty()).await;
        let grandchild: u32 = read_line(&mut link.source).await.parse().unwrap();
        assert!(link.handle.wait().await.is_success());
        assert_eq!(link.source.read().await.unwrap(), None);
        eventually("the grandchild's end", || !lives(grandchild));
        reaped(link.handle.pid());
    });
}

fn gone_means_all_of_it() {
    // The first ignores SIGTERM and must be killed; the second is killed together with its leader.
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
            // And again, at once.
            link.handle.wait_group().await;
        });
    }
}

fn a_stranger_holds_the_pipes() {
    let squat = Squat::new();
    let grandchild = run(async {
        // In a session of its own it is no business of ours, but must not hold up the end.
        let mut link = open(&["leave", &squat.file(), "stranger"], hasty()).await;
        let grandchild: u32 = read_line(&mut link.source).await.parse().unwrap();
        assert!(link.handle.wait().await.is_success());
        // It holds stdin too, so that only the end of the leader can end this write.
        let written = link.sink.write(Bytes::from(vec![b'x'; 1_000_000])).await;
        assert!(matches!(written, Err(TransportError::Closed)));
        assert!(read_all(&mut link.source).await.is_empty());
        reaped(link.handle.pid());
        grandchild
    });
    assert!(lives(grandchild));
    squat.ends(grandchild);
}

fn a_stranger_floods_the_pipe() {
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
        number_in(&output)
    });
    // The pipe is closed, and so the flood is over.
    eventually("the grandchild's end", || !lives(grandchild));
}

fn terminate_reaches_the_group() {
    let squat = Squat::new();
    run(async {
        let mut link = open(&["lead", &squat.file(), "meek"], patient()).await;
        let grandchild: u32 = read_line(&mut link.source).await.parse().unwrap();
        link.handle.signal(Signal::Term).unwrap();
        assert_eq!(link.handle.wait().await.signal, Some(15));
        eventually("the grandchild's end", || !lives(grandchild));
    });
}

fn interrupt_reaches_the_group_and_not_its_guard() {
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

fn dropping_reaches_the_group() {
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

fn a_stranger_and_a_dropped_source() {
    let squat = Squat::new();
    run(async {
        // The thread that drains must not wait for the stranger to pause: it ends, and with it the stranger's pipe.
        let mut link = open(&["leave", &squat.file(), "flooding"], hasty().after_input(BOUND)).await;
        let grandchild: u32 = read_number(&mut link.source).await;
        drop(link.source);
        assert!(link.handle.wait().await.is_success());
        reaped(link.handle.pid());
        eventually("the grandchild's end", || !lives(grandchild));
    });
}

fn a_silent_stranger_and_a_dropped_source() {
    let squat = Squat::new();
    run(async {
        let sink = Arc::new(());
        let held = Arc::clone(&sink);
        let transport = ProcessTransport::new(fake(&["leave", &squat.file(), "stranger"]))
            .grace(hasty().after_input(BOUND))
            .on_stderr(move |_| drop(Arc::clone(&held)));
        let mut link = transport.open().await.unwrap();
        let grandchild: u32 = read_line(&mut link.source).await.parse().unwrap();
        drop(link);
        // The thread that drains stderr owns the callback, and gives it up although the stranger lives.
        eventually("the end of the stderr thread", || Arc::strong_count(&sink) == 1);
        assert!(lives(grandchild));
        squat.ends(grandchild);
    });
}

/// Reads the grandchild's number out of the flood around it.
async fn read_number(source: &mut ProcessSource) -> u32 {
    let mut output = Vec::new();
    while !output.contains(&b'\n') {
        output.extend_from_slice(&source.read().await.unwrap().expect("a number"));
    }
    number_in(&output)
}

fn number_in(output: &[u8]) -> u32 {
    let digits: String =
        output.iter().filter(|byte| byte.is_ascii_digit()).map(|byte| *byte as char).collect();
    digits.parse().unwrap()
}

fn a_host_that_reaps_every_child() {
    let squat = Squat::new();
    let mut host = Command::new(std::env::current_exe().unwrap());
    let output = host.args(["reaper", &squat.file()]).env(crate::fake::FAKE, "1").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "ended\n", "{output:?}");
}
