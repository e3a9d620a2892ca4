//! A program that uses the transport and is killed, which no test could be: the parts that play it, and their director.

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
    support::{BOUND, fake, hasty, lives, patient, read_line, runtime},
};

/// A host in a process of its own, with a peer that has said its first line.
pub(crate) struct Host {
    child: Child,
    /// The peer, and its group.
    pub(crate) peer: u32,
    pub(crate) guard: Option<u32>,
    /// What the peer has said.
    pub(crate) line: String,
}

impl Host {
    /// With the two graces in milliseconds.
    pub(crate) fn start(graces: [u64; 2], guard: bool, part: &[&str]) -> Self {
        Self::start_with(graces, if guard { "guard" } else { "none" }, part)
    }

    /// With a guard that holds the peer's input.
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
        let mut told = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut told).unwrap();
        let mut words = told.trim_end().splitn(3, ' ');
        let mut word = || words.next().unwrap().to_owned();
        let (peer, guard) = (word().parse().unwrap(), word().parse().unwrap());
        Self { child, peer, guard: Some(guard).filter(|guard| *guard > 0), line: word() }
    }

    /// By SIGKILL: nothing of it can do anything any more.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Lets its `main` return, with the peer open.
    pub(crate) fn let_end(mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().unwrap().success());
    }
}

/// Opens a peer that plays this part, tells of it, and does nothing more until its own input ends.
pub(crate) fn play(after_input: &str, after_terminate: &str, guard: &str, part: &[&str]) {
    let grace = |text: &str| Duration::from_millis(text.parse().unwrap());
    let grace = Grace::default().orphaned(grace(after_input)).after_terminate(grace(after_terminate));
    // What a peer leaves behind is the guard's to end: the host is killed long before it would.
    let grace = grace.drain(BOUND);
    let transport =
        ProcessTransport::new(fake(part)).grace(grace).guard(guard != "none").hold_input(guard == "hold");
    runtime().block_on(async {
        let mut link = transport.open().await.unwrap();
        let line = read_line(&mut link.source).await;
        let guard = link.handle.guard_pid().unwrap_or_default();
        print(&format!("{} {guard} {line}\n", link.handle.pid()));
        std::io::stdin().read_line(&mut String::new()).unwrap();
        // Nothing is dropped: this program ends as one that knows nothing of its sessions.
        std::mem::forget(link);
    });
}

/// Allows itself one descriptor more at a time until a peer can be opened: then there is none left for its guard.
pub(crate) fn cramped() {
    let runtime = runtime();
    let maximum = getrlimit(Resource::Nofile).maximum;
    for limit in 5.. {
        setrlimit(Resource::Nofile, Rlimit { current: Some(limit), maximum }).unwrap();
        let opened =
            runtime.block_on(async { ProcessTransport::new(fake(&["hang"])).grace(patient()).open().await });
        if let Ok(link) = opened {
            let (guard, why) = (link.handle.guard_pid(), link.handle.unguarded());
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

/// Reaps every child as soon as it has ended, while peers end.
pub(crate) fn reaper(file: &str) {
    thread::spawn(|| {
        loop {
            if wait(WaitOptions::empty()).is_err() {
                // There is no child at the moment.
                thread::yield_now();
            }
        }
    });
    runtime().block_on(async {
        for part in [["exit", "0"], ["exit", "3"]] {
            let link = ProcessTransport::new(fake(&part)).grace(patient()).open().await.unwrap();
            let report = link.handle.wait().await;
            // The exit status is seen where it is looked at before the child is reaped.
            assert!(!report.is_failure() || part == ["exit", "3"], "{report}");
            link.handle.wait_group().await;
        }
        // The rest of the group ends, whoever has reaped its leader.
        let link = ProcessTransport::new(fake(&["leave", file, "stubborn"])).grace(hasty());
        let mut link = link.open().await.unwrap();
        let grandchild: u32 = read_line(&mut link.source).await.parse().unwrap();
        link.handle.wait_group().await;
        assert!(!lives(grandchild));
    });
    print("ended\n");
}
