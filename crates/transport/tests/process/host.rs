//! A host: a program that uses the transport, in a process of its own, so that a test can kill it.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use agentwire_transport::{
    PeerHandle, Transport,
    process::{Grace, ProcessTransport},
};
use rustix::process::{Resource, Rlimit, WaitOptions, getrlimit, setrlimit, wait};

use crate::{
    fake::{FAKE, park, print},
    support::{BOUND, eventually, fake, hasty, lives, members, patient, read_line, runtime},
};

/// A host with a peer that has written its first line.
pub(crate) struct Host {
    child: Child,
    /// The id of the peer and of its group.
    pub(crate) peer: u32,
    pub(crate) guard: Option<u32>,
    /// The first line of the peer.
    pub(crate) line: String,
}

impl Host {
    /// Starts a host. `graces` are `orphaned` and `after_terminate` in milliseconds.
    pub(crate) fn start(graces: [u64; 2], guard: bool, part: &[&str]) -> Self {
        Self::start_with(graces, if guard { "guard" } else { "none" }, part)
    }

    /// Starts a host with a guard that holds the peer's input.
    pub(crate) fn holding(graces: [u64; 2], part: &[&str]) -> Self {
        Self::start_with(graces, "hold", part)
    }

    fn start_with(graces: [u64; 2], guard: &str, part: &[&str]) -> Self {
        let graces = graces.map(|grace| grace.to_string());
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["host", &graces[0], &graces[1], guard])
            .args(part)
            .env(FAKE, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut output).unwrap();
        let mut words = output.trim_end().splitn(3, ' ');
        let mut word = || words.next().unwrap().to_owned();
        let (peer, guard) = (word().parse().unwrap(), word().parse().unwrap());
        Self { child, peer, guard: Some(guard).filter(|guard| *guard > 0), line: word() }
    }

    /// Kills the host with SIGKILL.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Makes the host's `main` return while the peer runs.
    pub(crate) fn let_end(mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().unwrap().success());
    }
}

/// Opens a peer that plays this part, prints its ids and first line, and waits for the end of input.
pub(crate) fn play(after_input: &str, after_terminate: &str, guard: &str, part: &[&str]) {
    let grace = |text: &str| Duration::from_millis(text.parse().unwrap());
    let grace = Grace::default().orphaned(grace(after_input)).after_terminate(grace(after_terminate));
    // Long, so that the guard and not the host ends what the peer leaves behind.
    let grace = grace.drain(BOUND);
    let mut transport = ProcessTransport::new(fake(part)).grace(grace).guard(guard != "none");
    if guard == "hold" {
        transport.hold_input();
    }
    runtime().block_on(async {
        let mut link = transport.open().await.unwrap();
        let line = read_line(&mut link.source).await;
        let guard = link.handle.guard_pid().unwrap_or_default();
        print(&format!("{} {guard} {line}\n", link.handle.pid()));
        std::io::stdin().read_line(&mut String::new()).unwrap();
        // No destructor runs, as in a program that exits without closing its sessions.
        std::mem::forget(link);
    });
}

/// Raises its limit of descriptors one by one until a peer can be opened, so that none are left for its guard.
pub(crate) fn cramped(holds_input: bool) {
    let runtime = runtime();
    let maximum = getrlimit(Resource::Nofile).maximum;
    for limit in 5.. {
        setrlimit(Resource::Nofile, Rlimit { current: Some(limit), maximum }).unwrap();
        let mut transport = ProcessTransport::new(fake(&["hang"])).grace(patient());
        if holds_input {
            transport.hold_input();
        }
        if let Ok(link) = runtime.block_on(async { transport.open().await }) {
            let (guard, why) = (link.handle.guard_pid().map(drop), link.handle.unguarded());
            print(&format!("{guard:?} {:?}\n", why.map(std::io::Error::kind)));
            link.handle.signal(agentwire_transport::Signal::Kill).unwrap();
            runtime.block_on(link.handle.wait_group());
            return print("ended\n");
        }
        if limit > 1000 {
            return park();
        }
    }
}

/// Reaps every child as soon as it ends, while peers end.
pub(crate) fn reaper(file: &str) {
    thread::spawn(|| {
        loop {
            if wait(WaitOptions::empty()).is_err() {
                // There is no child now.
                thread::yield_now();
            }
        }
    });
    runtime().block_on(async {
        for part in [["exit", "0"], ["exit", "3"]] {
            // Longer than the test waits.
            let grace = patient().after_terminate(2 * BOUND);
            let link = ProcessTransport::new(fake(&part)).grace(grace).open().await.unwrap();
            let report = link.handle.wait().await;
            // The transport may see the exit status before the child is reaped here.
            assert!(!report.is_failure() || part == ["exit", "3"], "{report}");
            link.handle.wait_group().await;
            eventually("the end of the group", || members(link.handle.pid()).is_empty());
        }
        // The rest of the group ends although the leader is reaped here.
        let link = ProcessTransport::new(fake(&["leave", file, "stubborn"])).grace(hasty());
        let mut link = link.open().await.unwrap();
        let grandchild: u32 = read_line(&mut link.source).await.parse().unwrap();
        link.handle.wait_group().await;
        assert!(!lives(grandchild));
    });
    print("ended\n");
}
