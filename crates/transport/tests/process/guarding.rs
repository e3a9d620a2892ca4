//! What becomes of a peer whose host is killed, and of its guard where nothing of the kind happens.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use agentwire_transport::{ByteSink, PeerHandle, Signal, Transport, process::ProcessTransport};
use rustix::process::{Pid, Signal as SystemSignal, kill_process};

use crate::{
    fake::FAKE,
    host::Host,
    support::{eventually, fake, hasty, lives, members, open, patient, read_line, reaped, run},
};

crate::runner::tests!(guarding:
    a_killed_host_leaves_nothing, a_killed_host_lets_its_peer_finish, a_killed_host_asks_before_it_forces,
    a_host_that_just_ends_leaves_nothing, a_stranger_escapes, without_a_guard, the_usual_end_leaves_no_guard,
    a_forced_end_leaves_no_guard, a_guard_killed_by_others_is_reaped, a_guard_holds_nothing_of_ours,
    a_guard_stays_when_its_group_is_asked_to_end, held_input_is_open_when_a_killed_hosts_peer_is_terminated,
    held_input_ends_when_it_is_ended, no_guard_is_no_reason_not_to_start,
);

fn a_killed_host_leaves_nothing() {
    // A peer that ends only by force; one that ends gently, and leaves a grandchild that does not.
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("squat").display().to_string();
    for part in [&["stubborn"][..], &["lead", &file, "stubborn"], &["leave", &file, "stubborn"]] {
        let host = Host::start([50, 50], true, part);
        let (peer, guard) = (host.peer, host.guard.unwrap());
        assert!(members(peer).contains(&guard));
        let grandchild: Option<u32> = host.line.parse().ok();
        assert_eq!(grandchild.is_some(), part.len() > 1);
        assert!(grandchild.is_none_or(lives));
        host.kill();
        eventually("the end of the group", || members(peer).is_empty());
        assert!(!lives(peer) && !lives(guard) && !grandchild.is_some_and(lives));
        let _ = fs::remove_file(&file);
    }
}

fn a_killed_host_lets_its_peer_finish() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("transcript");
    // Only the end of its input can end it in time.
    // And no grace is waited for when nobody is left.
    let host = Host::start([60_000, 60_000], true, &["finish", &file.display().to_string()]);
    let (peer, guard) = (host.peer, host.guard.unwrap());
    host.kill();
    eventually("the peer's end", || !lives(peer));
    assert_eq!(fs::read_to_string(file).unwrap(), "finished");
    eventually("the guard's end", || !lives(guard));
}

fn a_killed_host_asks_before_it_forces() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("transcript");
    let host = Host::start([50, 5000], true, &["asked", &file.display().to_string()]);
    let (peer, guard) = (host.peer, host.guard.unwrap());
    host.kill();
    eventually("the peer's end", || !lives(peer));
    assert_eq!(fs::read_to_string(file).unwrap(), "asked");
    eventually("the guard's end", || !lives(guard));
}

fn held_input_is_open_when_a_killed_hosts_peer_is_terminated() {
    let dir = tempfile::tempdir().unwrap();
    for number in 0..5 {
        let file = dir.path().join(format!("transcript-{number}"));
        // A peer that waited for the end of its input would wait for longer than the test does.
        let host = Host::holding([60_000, 60_000], &["asked-first", &file.display().to_string()]);
        let (peer, guard) = (host.peer, host.guard.unwrap());
        host.kill();
        eventually("the peer's end", || !lives(peer));
        assert_eq!(fs::read_to_string(file).unwrap(), "asked");
        eventually("the guard's end", || !lives(guard));
    }
}

fn held_input_ends_when_it_is_ended() {
    run(async {
        let holding = || ProcessTransport::new(fake(&["echo"])).grace(patient()).hold_input(true);
        let mut link = holding().open().await.unwrap();
        let guard = link.handle.guard_pid().unwrap();
        link.sink.write("one\n".into()).await.unwrap();
        link.sink.finish().await.unwrap();
        assert!(link.handle.wait().await.is_success());
        link.handle.wait_group().await;
        assert!(!lives(guard));
        // Before the guard is started, and by dropping.
        let mut link = holding().open().await.unwrap();
        link.sink.finish().await.unwrap();
        assert!(link.handle.wait().await.is_success());
        let link = holding().open().await.unwrap();
        let guard = link.handle.guard_pid().unwrap();
        drop(link);
        reaped(guard);
    });
}

fn a_host_that_just_ends_leaves_nothing() {
    let host = Host::start([50, 50], true, &["stubborn"]);
    let peer = host.peer;
    host.let_end();
    eventually("the end of the group", || members(peer).is_empty());
}

fn a_stranger_escapes() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("squat");
    let host = Host::start([50, 50], true, &["lead", &file.display().to_string(), "stranger"]);
    let (peer, stranger) = (host.peer, host.line.parse().unwrap());
    host.kill();
    eventually("the end of the group", || members(peer).is_empty());
    // In a session of its own it is nobody's to end.
    assert!(lives(stranger));
    fs::remove_file(file).unwrap();
    eventually("the stranger's end", || !lives(stranger));
}

fn without_a_guard() {
    let host = Host::start([50, 50], false, &["stubborn"]);
    let peer = host.peer;
    assert_eq!((host.guard, members(peer)), (None, vec![peer]));
    host.kill();
    // It lives on until somebody ends it, and so do these tests.
    assert!(lives(peer));
    kill_process(Pid::from_raw(peer.try_into().unwrap()).unwrap(), SystemSignal::KILL).unwrap();
    eventually("the peer's end", || !lives(peer));
}

fn the_usual_end_leaves_no_guard() {
    run(async {
        // Patient: were the guard taken for one of the rest of the group, it would be waited for too long.
        let mut link = open(&["echo"], patient()).await;
        let guard = link.handle.guard_pid().unwrap();
        assert!(lives(guard));
        assert!(link.handle.unguarded().is_none());
        link.sink.finish().await.unwrap();
        link.handle.wait_group().await;
        assert!(!Path::new(&format!("/proc/{guard}")).exists(), "not even a zombie");
        assert_eq!(link.handle.guard_pid(), None);
        // The same for a link that is dropped.
        let link = open(&["echo"], patient()).await;
        let guard = link.handle.guard_pid().unwrap();
        drop(link);
        reaped(guard);
    });
}

fn a_forced_end_leaves_no_guard() {
    run(async {
        // The guard is of the group that is killed.
        let link = open(&["stubborn"], patient()).await;
        let guard = link.handle.guard_pid().unwrap();
        link.handle.signal(Signal::Kill).unwrap();
        link.handle.wait_group().await;
        assert!(!Path::new(&format!("/proc/{guard}")).exists(), "not even a zombie");
    });
}

fn a_guard_killed_by_others_is_reaped() {
    run(async {
        let mut link = open(&["echo"], patient()).await;
        let guard = link.handle.guard_pid().unwrap();
        kill_process(Pid::from_raw(guard.try_into().unwrap()).unwrap(), SystemSignal::KILL).unwrap();
        eventually("the guard's end", || !lives(guard));
        // The session goes on.
        link.sink.write("one\n".into()).await.unwrap();
        assert_eq!(read_line(&mut link.source).await, "one");
        link.sink.finish().await.unwrap();
        link.handle.wait_group().await;
        assert!(!Path::new(&format!("/proc/{guard}")).exists(), "not even a zombie");
    });
}

fn a_guard_holds_nothing_of_ours() {
    run(async {
        let link = open(&["hang"], hasty()).await;
        let guard = link.handle.guard_pid().unwrap();
        eventually("the guard's readiness", || ignores_term(guard));
        let held = |number: &str| fs::read_link(format!("/proc/{guard}/fd/{number}")).unwrap();
        assert!(held("0").display().to_string().starts_with("pipe:"));
        assert_eq!([held("1"), held("2")], [Path::new("/dev/null"); 2]);
        // Whatever else it holds is what any child of this program gets.
        let ours = private_descriptors();
        assert!(ours.len() >= 4, "{ours:?}");
        for entry in fs::read_dir(format!("/proc/{guard}/fd")).unwrap() {
            let number = entry.unwrap().file_name().into_string().unwrap();
            assert!(number == "0" || !ours.contains(&held(&number)), "{number}: {:?}", held(&number));
        }
        assert_eq!(fs::read_link(format!("/proc/{guard}/cwd")).unwrap(), Path::new("/"));
        assert!(fs::read(format!("/proc/{guard}/environ")).unwrap().is_empty());
    });
}

fn a_guard_stays_when_its_group_is_asked_to_end() {
    run(async {
        let mut link = open(&["stubborn"], hasty()).await;
        let guard = link.handle.guard_pid().unwrap();
        read_line(&mut link.source).await;
        eventually("the guard's readiness", || ignores_term(guard));
        link.handle.signal(Signal::Term).unwrap();
        assert!(lives(guard) && lives(link.handle.pid()));
    });
}

/// What this program holds and does not pass on: all of it pipes and the like, each with a name of its own.
fn private_descriptors() -> Vec<PathBuf> {
    let descriptors = fs::read_dir("/proc/self/fd").unwrap().map(|entry| entry.unwrap());
    let private = descriptors.filter(|entry| {
        let info = fs::read_to_string(Path::new("/proc/self/fdinfo").join(entry.file_name()));
        let flags = info
            .unwrap_or_default()
            .lines()
            .find_map(|line| Some(line.strip_prefix("flags:")?.trim().to_owned()));
        flags.is_some_and(|flags| i64::from_str_radix(&flags, 8).unwrap() & 0o2_000_000 != 0)
    });
    private.filter_map(|entry| fs::read_link(entry.path()).ok()).filter(|name| name.is_relative()).collect()
}

fn ignores_term(process: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(ignored.trim(), 16).unwrap() & (1 << (15 - 1)) != 0
}

fn no_guard_is_no_reason_not_to_start() {
    let mut cramped = Command::new(std::env::current_exe().unwrap());
    let output = cramped.arg("cramped").env(FAKE, "1").stdin(Stdio::null()).output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    // Too many open files: an error without a kind of its own.
    assert_eq!(told, "None Some(Uncategorized)\nended\n");
    run(async {
        let link = ProcessTransport::new(fake(&["echo"])).guard(false).open().await.unwrap();
        assert_eq!(link.handle.guard_pid(), None);
        assert!(link.handle.unguarded().is_none());
    });
}
