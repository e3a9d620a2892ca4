//! The reading half: frames to the router, and the peer's end from both sides.

use std::{
    future::Future,
    pin::{Pin, pin},
    time::Duration,
};

use agentwire_codec::{Batch, WireError, WireReader};
use agentwire_transport::{ByteSource, ExitReport, PeerHandle};
use tokio::{
    task::coop::consume_budget,
    time::{Instant, timeout},
};

use super::{Host, Shared, arrival::Arrival, callbacks, chain};
use crate::{SessionEnd, filter::OptionalFilter};

/// Reads to the end of the peer, and tells how it ended.
///
/// The end of the process and the end of its output are both watched: either may come without the other.
pub(super) async fn read<S: ByteSource, L: PeerHandle>(
    reader: &mut WireReader<S>,
    handle: &L,
    host: &Host,
    filter: &impl OptionalFilter,
) -> SessionEnd {
    let shared = &host.shared;
    // One for all reads: each of its own would be a box, a lock and a waker.
    let ended = pin!(handle.wait());
    let left = shared.config().exit_grace;
    let mut peer = Peer { handle, ended, shared, exit: None, left };
    let failure = read_output(reader, &mut peer, host, filter).await;
    let ending = peer.ending(shared.config().exit_grace).await;
    match failure {
        Some(failure) => SessionEnd { transport: Some(failure), ..ending },
        None => ending,
    }
}

/// Reads to the end of output; `Some` where it ended by a fault.
async fn read_output<S: ByteSource, L: PeerHandle, E: Future<Output = ExitReport>>(
    reader: &mut WireReader<S>,
    peer: &mut Peer<'_, L, E>,
    host: &Host,
    filter: &impl OptionalFilter,
) -> Option<String> {
    loop {
        peer.may_read().await;
        match peer.while_alive(reader.read()).await? {
            Ok(Some(batch)) => take(batch, host, filter),
            Ok(None) => return None,
            Err(error) => return Some(chain(&error)),
        }
        // A source that is always ready must not keep the writing half from its turn.
        consume_budget().await;
    }
}

/// Takes the frames in their order, and starts each callback before what comes behind its request is taken, but for
/// further requests.
///
/// Pieces of the conversation are left to whoever reads them: see [`Parcel::Conversation`](super::queue::Parcel).
fn take<S: OptionalFilter>(batch: Batch, host: &Host, filter: &S) {
    let shared = &host.shared;
    let mut frames = batch.into_iter();
    // One alone needs no list.
    let mut arrivals = Vec::with_capacity(frames.len().saturating_sub(1));
    // Whether the last of them asks something.
    let mut asks = false;
    while let Some(frame) = frames.next() {
        let frame = match frame {
            // Asked when this is compiled: without a filter there is nothing here.
            Ok(frame) if S::TAKES => match filter.filter(frame) {
                Some(frame) => Ok(frame),
                None => continue,
            },
            frame => {
                if let Err(fault) = &frame
                    && S::TAKES
                {
                    filter.missed(fault);
                }
                frame
            }
        };
        // Decoded before the lock is taken, for which the reader may be waiting.
        let arrival = Arrival::of(frame, shared.observer(), &*host.responder);
        if asks && !arrival.is_request() {
            arrive(host, arrivals.drain(..));
        }
        asks = arrival.is_request();
        if frames.len() > 0 {
            arrivals.push(arrival);
        } else {
            return arrive(host, arrivals.drain(..).chain([arrival]));
        }
    }
    // The last one was taken off, or there was none.
    if !arrivals.is_empty() {
        arrive(host, arrivals.drain(..));
    }
}

/// Takes in what arrived under one lock, then starts the callbacks.
fn arrive(host: &Host, arrivals: impl Iterator<Item = Arrival>) {
    let asked = host.shared.arrive(arrivals);
    host.shared.settle_observer();
    for asked in asked {
        callbacks::start(host, asked);
    }
}

/// The life of the peer, while its output is read.
struct Peer<'a, L, E> {
    handle: &'a L,
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

impl<L: PeerHandle, E: Future<Output = ExitReport>> Peer<'_, L, E> {
    /// Waits until reading may go on; watches the peer meanwhile, since its open requests may be what holds reading up.
    async fn may_read(&mut self) {
        let shared = self.shared;
        let mut may_read = pin!(shared.may_read());
        if self.exit.is_none() {
            let exit = tokio::select! {
                biased;
                () = &mut may_read => return,
                exit = self.ended.as_mut() => exit,
            };
            self.see_exit(exit);
        }
        may_read.await;
    }

    /// Notes how the process has ended: no answer reaches it any more.
    fn see_exit(&mut self, exit: ExitReport) {
        self.shared.input_broken(SessionEnd::exited(exit.clone()));
        self.exit = Some(exit);
    }

    /// Waits for a read; `None` when the peer is gone and its output does not end.
    async fn while_alive(
        &mut self,
        read: impl Future<Output = Result<Option<Batch>, WireError>>,
    ) -> Option<Result<Option<Batch>, WireError>> {
        let mut read = pin!(read);
        if self.exit.is_none() {
            let (shared, mut waits) = (self.shared, false);
            let batch = tokio::select! {
                biased;
                batch = &mut read => Ok(batch),
                // Polled only while the read waits.
                exit = async {
                    waits = true;
                    shared.set_reading(true);
                    self.ended.as_mut().await
                } => Err(exit),
            };
            // Behind a batch that is told when leave to read the next one is asked for, under the same lock.
            if waits && !matches!(batch, Ok(Ok(Some(_)))) {
                shared.set_reading(false);
            }
            match batch {
                Ok(batch) => return Some(batch),
                Err(exit) => self.see_exit(exit),
            }
        }
        let since = Instant::now();
        let batch = timeout(self.left, read).await.ok();
        self.left = self.left.saturating_sub(since.elapsed());
        batch
    }

    /// How the process ended; nothing where there is none, and a fault where it lives on after its output.
    async fn ending(self, grace: Duration) -> SessionEnd {
        if let Some(exit) = self.exit {
            return SessionEnd::exited(exit);
        }
        let has_process = self.handle.has_process();
        match timeout(if has_process { grace } else { Duration::ZERO }, self.ended).await {
            Ok(exit) => SessionEnd::exited(exit),
            Err(_) if has_process => SessionEnd::failed("it closed its output and did not exit"),
            Err(_) => SessionEnd::default(),
        }
    }
}
