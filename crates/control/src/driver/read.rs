//! The reading half: frames to the router, and the peer's end from both sides.

use std::{sync::Arc, time::Duration};

use agentwire_codec::{Batch, Head, WireReader};
use agentwire_transport::{ByteSource, Lifeline};
use tokio::time::{sleep, timeout};

use super::{Shared, callbacks};
use crate::{Ending, Responder};

/// Reads to the end of the peer, and tells how it ended.
///
/// The end of the process and the end of its output are both watched: either may come without the other.
pub(super) async fn read<S: ByteSource, L: Lifeline>(
    reader: &mut WireReader<S>,
    lifeline: &L,
    shared: &Arc<Shared>,
    responder: &Arc<dyn Responder>,
) -> Ending {
    let overdue = async {
        lifeline.ended().await;
        // Something else holds the output open: what the peer wrote is in the pipe, and is read by now.
        // While the user does not read, it is we who hold the output up.
        shared.may_read().await;
        sleep(shared.settings().exit_grace).await;
    };
    let failure = tokio::select! {
        failure = read_output(reader, shared, responder) => failure,
        () = overdue => None,
    };
    let ending = exit(lifeline, shared).await;
    match failure {
        Some(failure) => Ending { transport: Some(failure), ..ending },
        None => ending,
    }
}

/// Reads to the end of output; `Some` where it ended by a fault.
async fn read_output<S: ByteSource>(
    reader: &mut WireReader<S>,
    shared: &Arc<Shared>,
    responder: &Arc<dyn Responder>,
) -> Option<String> {
    loop {
        shared.may_read().await;
        match reader.read().await {
            Ok(Some(batch)) => take(batch, shared, responder),
            Ok(None) => return None,
            Err(error) => return Some(chain(&error)),
        }
    }
}

/// Takes the frames in their order, and starts each callback before the frames behind its request are looked at.
fn take(batch: Batch, shared: &Arc<Shared>, responder: &Arc<dyn Responder>) {
    let mut frames = batch.into_iter();
    while frames.len() > 0 {
        let ((), asked) = shared.with_router(|router| {
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
        for asked in asked {
            callbacks::start(shared, &**responder, asked);
        }
    }
}

/// How the process ended; nothing where there is none, and a fault where it lives on after its output.
async fn exit<L: Lifeline>(lifeline: &L, shared: &Shared) -> Ending {
    let grace = if lifeline.has_process() { shared.settings().exit_grace } else { Duration::ZERO };
    match timeout(grace, lifeline.ended()).await {
        Ok(exit) => Ending::exited(exit),
        Err(_) if lifeline.has_process() => Ending::failed("it closed its output and did not exit"),
        Err(_) => Ending::default(),
    }
}

/// The error with its causes, which `Display` leaves out.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
