//! Playing a part: on a reader and a writer, in memory, or as a program.

use std::{
    io::{self, Read, Write},
    process::ExitCode,
    thread,
    time::Duration,
};

use agentwire_transport::{ExitReport, MemoryPeer, Signal, TransportError};
use bytes::Bytes;

use super::part::{Part, Step};

/// The exit code of a peer that received unexpected input.
pub const PEER_GAVE_UP: u8 = 86;

/// Runs the `main` of a peer program: plays the part in its first argument on standard input and output.
///
/// ```no_run
/// fn main() -> std::process::ExitCode {
///     agentwire_testkit::conformance::peer()
/// }
/// ```
pub fn peer() -> ExitCode {
    let Some(part) = std::env::args().nth(1).and_then(|name| Part::named(&name)) else {
        return ExitCode::from(PEER_GAVE_UP);
    };
    ExitCode::from(part.play(io::stdin().lock(), io::stdout().lock()))
}

impl Part {
    /// Plays the part on this thread, and returns the exit code; drop both ends then.
    ///
    /// A peer that waits for a signal has no time limit: only a process should play a
    /// [`Signalled`](super::PartKind::Signalled) part.
    /// An output can't be ended abnormally by [`Write`] alone: a [`Broken`](super::PartKind::Broken) part ends as any
    /// other.
    pub fn play(&self, mut input: impl Read, mut output: impl Write) -> u8 {
        for step in self.steps() {
            let done = match step {
                Step::Read(expected) => read_exactly(&mut input, expected),
                Step::Write(text) => output.write_all(text).and_then(|()| output.flush()).is_ok(),
                Step::ReadEnd => matches!(input.read(&mut [0]), Ok(0)),
                Step::Pause => {
                    thread::sleep(PAUSE);
                    true
                }
                Step::Break => true,
                Step::Await(_) => loop {
                    thread::park();
                },
                Step::Exit(code) => return *code,
            };
            if !done {
                return PEER_GAVE_UP;
            }
        }
        0
    }

    /// Plays the part in a task, on the other side of a memory transport.
    pub async fn play_in_memory(self, peer: MemoryPeer) {
        let mut received = Bytes::new();
        for step in self.steps() {
            let done = match step {
                Step::Read(expected) => receive_in_memory(&peer, &mut received, expected).await,
                Step::Write(text) => peer.write(text.clone()).await.is_ok(),
                Step::ReadEnd => received.is_empty() && peer.read().await.is_none(),
                Step::Pause => {
                    tokio::time::sleep(PAUSE).await;
                    true
                }
                Step::Break => {
                    let source = io::Error::from(io::ErrorKind::ConnectionReset);
                    peer.break_output(TransportError::Io { action: "reading from the peer", source });
                    // Only the output has ended; the peer stays until its handle is released.
                    peer.released().await;
                    true
                }
                Step::Await(how) => {
                    let how = tokio::select! {
                        () = peer.released() => *how,
                        how = peer.terminated() => how,
                    };
                    return peer.end(ExitReport::signalled(if how == Signal::Term { 15 } else { 9 }));
                }
                Step::Exit(code) => return peer.end(ExitReport::exited(i32::from(*code))),
            };
            if !done {
                return peer.end(ExitReport::exited(i32::from(PEER_GAVE_UP)));
            }
        }
    }
}

fn read_exactly(input: &mut impl Read, expected: &[u8]) -> bool {
    let mut received = vec![0; expected.len()];
    input.read_exact(&mut received).is_ok() && received == expected
}

async fn receive_in_memory(peer: &MemoryPeer, received: &mut Bytes, expected: &[u8]) -> bool {
    let mut expected = expected;
    while !expected.is_empty() {
        if received.is_empty() {
            match peer.read().await {
                Some(chunk) => *received = chunk,
                None => return false,
            }
        }
        let length = received.len().min(expected.len());
        let (now, later) = expected.split_at(length);
        if received.split_to(length) != now {
            return false;
        }
        expected = later;
    }
    true
}

/// Longer than the check waits for a deaf peer to make it wait.
const PAUSE: Duration = Duration::from_secs(2);
