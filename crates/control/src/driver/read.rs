//! The reading half: frames to the router, and the peer's end from both sides.

use std::{
    future::{Future, poll_fn},
    pin::{Pin, pin},
    task::Poll,
    time::Duration,
};

use agentwire_codec::{Batch, WireError, WireReader};
use agentwire_transport::{ByteSource, ExitReport, Lifeline};
use tokio::{
    task::coop::consume_budget,
    time::{Instant, timeout},
};

use super::{Host, Shared, arrival::Arrival, callbacks, chain};
use crate::Ending;

/// Reads to the end of the peer, and tells how it ended.
///
/// The end of the process and the end of its output are both watched: either may come without the other.
pub(super) async fn read<S: ByteSource, L: Lifeline>(
    reader: &mut WireReader<S>,
    lifeline: &L,
    host: &Host,
) -> Ending {
    let shared = &host.shared;
    // One for all reads: each of its own would be a box, a lock and a waker.
    let ended = pin!(lifeline.ended());
    let mut peer = Peer { lifeline, ended, shared, exit: None, left: shared.settings().exit_grace };
    let failure = read_output(reader, &mut peer, host).await;
    let ending = peer.ending(shared.settings().exit_grace).await;
    match failure {
        Some(failure) => Ending { transport: Some(failure), ..ending },
        None => ending,
    }
}

/// Reads to the end of output; `Some` where it ended by a fault.
async fn read_output<S: ByteSource, L: Lifeline, E: Future<Output = ExitReport>>(
    reader: &mut WireReader<S>,
    peer: &mut Peer<'_, L, E>,
    host: &Host,
) -> Option<String> {
    loop {
        let parked = host.shared.may_read().await;
        match peer.while_alive(reader.read()).await? {
            Ok(Some(batch)) => take(batch, parked, host),
            Ok(None) => return None,
            Err(error) => return Some(chain(&error)),
        }
        // A source that is always ready must not keep the writing half from its turn.
        consume_budget().await;
    }
}

/// Takes the frames in their order, and starts each callback before the frames behind its request are taken.
///
/// They are decoded here, so that two threads share the work: whoever reads them still has to read their payloads.
/// Where many bytes are `parked` it does something else, and what waits for it takes less memory as it came.
fn take(batch: Batch, parked: usize, host: &Host) {
    let shared = &host.shared;
    let now = parked < shared.settings().parked_quiet / 4;
    let mut arrivals = Vec::with_capacity(batch.len());
    let mut frames = batch.into_iter();
    while frames.len() > 0 {
        // Decoded before the lock is taken, for which the reader may be waiting.
        for frame in frames.by_ref() {
            let arrival = Arrival::of(frame, shared.observer(), now);
            let is_request = arrival.is_request();
            arrivals.push(arrival);
            if is_request {
                break;
            }
        }
        let asked = shared.arrive(arrivals.drain(..));
        shared.settle_observer();
        for asked in asked {
            callbacks::start(host, asked);
        }
    }
}

/// The life of the peer, while its output is read.
struct Peer<'a, L, E> {
    lifeline: &'a L,
    /// Its end; not to be polled again once `exit` is there.
    ended: Pin<&'a mut E>,
    shared: &'a Shared,
    exit: Option<ExitReport>,
    /// How long reading may still wait for output of a peer that is gone.
    ///
    /// What the peer wrote is in the pipe and is read at once, so that only something else, which holds the output
    /// open, makes us wait.
    /// Time in which it is the user who does not read is not counted.
    left: Duration,
}

impl<L: Lifeline, E: Future<Output = ExitReport>> Peer<'_, L, E> {
    /// Waits for a read; `None` when the peer is gone and its output does not end.
    async fn while_alive(
        &mut self,
        read: impl Future<Output = Result<Option<Batch>, WireError>>,
    ) -> Option<Result<Option<Batch>, WireError>> {
        let mut read = pin!(read);
        if self.exit.is_none() {
            // Mostly there is something, and nobody waits.
            if let Poll::Ready(batch) = poll_fn(|context| Poll::Ready(read.as_mut().poll(context))).await {
                return Some(batch);
            }
            self.shared.set_reading(true);
            let batch = tokio::select! {
                biased;
                batch = &mut read => Ok(batch),
                exit = &mut self.ended => Err(exit),
            };
            self.shared.set_reading(false);
            match batch {
                Ok(batch) => return Some(batch),
                Err(exit) => self.exit = Some(exit),
            }
        }
        let since = Instant::now();
        let batch = timeout(self.left, read).await.ok();
        self.left = self.left.saturating_sub(since.elapsed());
        batch
    }

    /// How the process ended; nothing where there is none, and a fault where it lives on after its output.
    async fn ending(self, grace: Duration) -> Ending {
        if let Some(exit) = self.exit {
            return Ending::exited(exit);
        }
        let has_process = self.lifeline.has_process();
        match timeout(if has_process { grace } else { Duration::ZERO }, self.ended).await {
            Ok(exit) => Ending::exited(exit),
            Err(_) if has_process => Ending::failed("it closed its output and did not exit"),
            Err(_) => Ending::default(),
        }
    }
}
