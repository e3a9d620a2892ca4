//! The guard: the end of a peer after its host was killed, and the end of the guard in a host that lives.

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
    support::{eventually, fake, hasty, ignores_term, lives, members, open, patient, read_line, reaped, run},
};

crate::runner::tests!(guarding:
    killed_host_leaves_no_process, peer_of_a_killed_host_can_finish,
    peer_of_a_killed_host_gets_sigterm_before_sigkill, host_that_exits_leaves_no_process,
    process_outside_the_group_survives_a_killed_host, peer_without_a_guard_survives_a_killed_host,
    guard_ends_with_its_group, guard_ends_with_a_killed_group, killed_guard_is_reaped_and_the_session_goes_on,
    guard_inherits_one_pipe_and_no_environment, guard_ignores_sigterm,
    held_input_is_open_when_the_peer_of_a_killed_host_gets_sigterm, held_input_ends_when_the_host_ends_it,
    peer_starts_without_a_guard_only_if_its_input_is_not_held,
);

fn killed_host_leaves_no_process() {
    // A peer that ends only by SIGKILL, alone and with a grandchild; a peer that exits and leaves such a grandchild.
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("squat").display().to_string();
    let parts = [
        (50, &["stubborn"][..]),
        (50, &["lead", &file, "stubborn"]),
        // Long: the host itself ends the group this long after the peer's exit, and must be killed before that.
        (3000, &["leave-guarded", &file, "stubborn"]),
    ];
    for (after_terminate, part) in parts {
        let host = Host::start([50, after_terminate], true, part);
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

fn peer_of_a_killed_host_can_finish() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("transcript");
    // Long enough for the peer, which ends by the end of its input.
    let host = Host::start([10_000, 50], true, &["finish", &file.display().to_string()]);
    guard_ends(peer_writes(host, &file, "finished"));
}

fn peer_of_a_killed_host_gets_sigterm_before_sigkill() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("transcript");
    let host = Host::start([50, 5000], true, &["asked", &file.display().to_string()]);
    guard_ends(peer_writes(host, &file, "asked"));
}

/// Kills the host, after which its peer must write this text. Returns its guard, which must end too.
fn peer_writes(host: Host, file: &Path, text: &str) -> u32 {
    let (peer, guard) = (host.peer, host.guard.unwrap());
    host.kill();
    eventually("the peer's end", || !lives(peer));
    assert_eq!(fs::read_to_string(file).unwrap(), text);
    guard
}

fn guard_ends(guard: u32) {
    eventually("the guard's end", || !lives(guard));
}

fn held_input_is_open_when_the_peer_of_a_killed_host_gets_sigterm() {
    let dir = tempfile::tempdir().unwrap();
    let guards: Vec<u32> = (0..5)
        .map(|number| {
            let file = dir.path().join(format!("transcript-{number}"));
            // The first grace period is longer than the test, so that only an immediate SIGTERM ends the peer in time.
            let host = Host::holding([60_000, 5000], &["asked-first", &file.display().to_string()]);
            peer_writes(host, &file, "asked")
        })
        .collect();
    guards.into_iter().for_each(guard_ends);
}

fn held_input_ends_when_the_host_ends_it() {
    run(async {
        let holding = || {
            let mut transport = ProcessTransport::new(fake(&["echo"])).grace(patient());
            transport.hold_input();
            transport
        };
        let mut link = holding().open().await.unwrap();
        let guard = link.handle.guard_pid().unwrap();
        link.sink.write("one\n".into()).await.unwrap();
        link.sink.finish().await.unwrap();
        assert!(link.handle.wait().await.is_success());
        link.handle.wait_group().await;
        assert!(!lives(guard));
        // Right after opening, and by dropping.
        let mut link = holding().open().await.unwrap();
        link.sink.finish().await.unwrap();
        assert!(link.handle.wait().await.is_success());
        let link = holding().open().await.unwrap();
        let guard = link.handle.guard_pid().unwrap();
        drop(link);
        reaped(guard);
    });
}

fn host_that_exits_leaves_no_process() {
    let host = Host::start([50, 50], true, &["stubborn"]);
    let peer = host.peer;
    host.let_end();
    eventually("the end of the group", || members(peer).is_empty());
}

fn process_outside_the_group_survives_a_killed_host() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("squat");
    let host = Host::start([50, 50], true, &["lead", &file.display().to_string(), "outsider"]);
    let (peer, outsider) = (host.peer, host.line.parse().unwrap());
    host.kill();
    eventually("the end of the group", || members(peer).is_empty());
    // A process in its own session is outside the group.
    assert!(lives(outsider));
    fs::remove_file(file).unwrap();
    eventually("the outsider's end", || !lives(outsider));
}

fn peer_without_a_guard_survives_a_killed_host() {
    let host = Host::start([50, 50], false, &["stubborn"]);
    let peer = host.peer;
    assert_eq!((host.guard, members(peer)), (None, vec![peer]));
    host.kill();
    // The test must end it.
    assert!(lives(peer));
    kill_process(Pid::from_raw(peer.try_into().unwrap()).unwrap(), SystemSignal::KILL).unwrap();
    eventually("the peer's end", || !lives(peer));
}

fn guard_ends_with_its_group() {
    run(async {
        // Patient: if the guard counted as a member of the group, the wait would time out.
        let mut link = open(&["echo"], patient()).await;
        let guard = link.handle.guard_pid().unwrap();
        assert!(lives(guard));
        assert!(link.handle.unguarded().is_none());
        link.sink.finish().await.unwrap();
        link.handle.wait_group().await;
        assert!(!Path::new(&format!("/proc/{guard}")).exists(), "not even a zombie");
        assert_eq!(link.handle.guard_pid(), None);
        // The same if the parts are dropped.
        let link = open(&["echo"], patient()).await;
        let guard = link.handle.guard_pid().unwrap();
        drop(link);
        reaped(guard);
    });
}

fn guard_ends_with_a_killed_group() {
    run(async {
        // The guard is a member of the killed group.
        let link = open(&["stubborn"], patient()).await;
        let guard = link.handle.guard_pid().unwrap();
        link.handle.signal(Signal::Kill).unwrap();
        link.handle.wait_group().await;
        assert!(!Path::new(&format!("/proc/{guard}")).exists(), "not even a zombie");
    });
}

fn killed_guard_is_reaped_and_the_session_goes_on() {
    run(async {
        let mut link = open(&["echo"], patient()).await;
        let guard = link.handle.guard_pid().unwrap();
        kill_process(Pid::from_raw(guard.try_into().unwrap()).unwrap(), SystemSignal::KILL).unwrap();
        eventually("the guard's end", || !lives(guard));
        // The session continues.
        link.sink.write("one\n".into()).await.unwrap();
        assert_eq!(read_line(&mut link.source).await, "one");
        link.sink.finish().await.unwrap();
        link.handle.wait_group().await;
        assert!(!Path::new(&format!("/proc/{guard}")).exists(), "not even a zombie");
    });
}

fn guard_inherits_one_pipe_and_no_environment() {
    run(async {
        let link = open(&["hang"], hasty()).await;
        let guard = link.handle.guard_pid().unwrap();
        eventually("the guard's readiness", || ignores_term(guard));
        let held = |number: &str| fs::read_link(format!("/proc/{guard}/fd/{number}")).unwrap();
        assert!(held("0").display().to_string().starts_with("pipe:"));
        assert_eq!([held("1"), held("2")], [Path::new("/dev/null"); 2]);
        // All other descriptors are inherited by any child of this program.
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

fn guard_ignores_sigterm() {
    run(async {
        let mut link = open(&["stubborn"], hasty()).await;
        let guard = link.handle.guard_pid().unwrap();
        read_line(&mut link.source).await;
        eventually("the guard's readiness", || ignores_term(guard));
        link.handle.signal(Signal::Term).unwrap();
        assert!(lives(guard) && lives(link.handle.pid()));
    });
}

/// Returns the unique names of the pipes and similar descriptors that this program does not pass on to children.
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

fn peer_starts_without_a_guard_only_if_its_input_is_not_held() {
    // "Too many open files" has no `ErrorKind`.
    for (args, expected) in [
        (&["cramped"][..], "None Some(Uncategorized)\nended\n"),
        (&["cramped", "hold"], "Some(()) None\nended\n"),
    ] {
        let mut cramped = Command::new(std::env::current_exe().unwrap());
        let output = cramped.args(args).env(FAKE, "1").stdin(Stdio::null()).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    }
    run(async {
        let link = ProcessTransport::new(fake(&["echo"])).guard(false).open().await.unwrap();
        assert_eq!(link.handle.guard_pid(), None);
        assert!(link.handle.unguarded().is_none());
    });
}
