//! The reading half: frames to the router, and the peer's end from both sides.

use std::{future::Future, pin::pin, time::Duration};

use agentwire_codec::{Batch, Head, WireError, WireReader};
use agentwire_transport::{ByteSource, ExitReport, Lifeline};
use tokio::{
    task::coop::consume_budget,
    time::{Instant, timeout},
};

use super::{Host, Shared, callbacks, chain};
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
    let mut peer = Peer { lifeline, shared, exit: None, left: shared.settings().exit_grace };
    let failure = read_output(reader, &mut peer, host).await;
    let ending = peer.ending(shared.settings().exit_grace).await;
    match failure {
        Some(failure) => Ending { transport: Some(failure), ..ending },
        None => ending,
    }
}

/// Reads to the end of output; `Some` where it ended by a fault.
async fn read_output<S: ByteSource, L: Lifeline>(
    reader: &mut WireReader<S>,
    peer: &mut Peer<'_, L>,
    host: &Host,
) -> Option<String> {
    loop {
        host.shared.may_read().await;
        match peer.while_alive(reader.read()).await? {
            Ok(Some(batch)) => take(batch, host),
            Ok(None) => return None,
            Err(error) => return Some(chain(&error)),
        }
        // A source that is always ready must not keep the writing half from its turn.
        consume_budget().await;
    }
}

/// Takes the frames in their order, and starts each callback before the frames behind its request are looked at.
fn take(batch: Batch, host: &Host) {
    let mut frames = batch.into_iter();
    while frames.len() > 0 {
        let ((), asked) = host.shared.with_router(|router| {
            for frame in frames.by_ref() {
                let is_request = matches!(&frame, Ok(frame) if matches!(frame.head, Head::Request(_)));
                match frame {
                    Ok(frame) => router.handle_frame(frame),
                    Err(fault) => router.handle_fault(fault),
                }
                if is_request {
                    break;
                }
            }
        });
        host.shared.settle_observer();
        for asked in asked {
            callbacks::start(host, asked);
        }
    }
}

/// The life of the peer, while its output is read.
struct Peer<'a, L> {
    lifeline: &'a L,
    shared: &'a Shared,
    exit: Option<ExitReport>,
    /// How long reading may still wait for output of a peer that is gone.
    ///
    /// What the peer wrote is in the pipe and is read at once, so that only something else, which holds the output
    /// open, makes us wait.
    /// Time in which it is the user who does not read is not counted.
    left: Duration,
}

impl<L: Lifeline> Peer<'_, L> {
    /// Waits for a read; `None` when the peer is gone and its output does not end.
    async fn while_alive(
        &mut self,
        read: impl Future<Output = Result<Option<Batch>, WireError>>,
    ) -> Option<Result<Option<Batch>, WireError>> {
        let mut read = pin!(read);
        if self.exit.is_none() {
            self.shared.set_reading(true);
            let batch = tokio::select! {
                biased;
                batch = &mut read => Ok(batch),
                exit = self.lifeline.ended() => Err(exit),
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
        match timeout(if has_process { grace } else { Duration::ZERO }, self.lifeline.ended()).await {
            Ok(exit) => Ending::exited(exit),
            Err(_) if has_process => Ending::failed("it closed its output and did not exit"),
            Err(_) => Ending::default(),
        }
    }
}
