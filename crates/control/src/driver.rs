//! Runs a router over a transport: one task reads, writes and watches the clock and the peer.

mod callbacks;
mod inbox;
mod read;
mod settings;
mod shared;
mod write;

use std::{future::Future, sync::Arc};

use agentwire_codec::{WireReader, WireWriter};
use agentwire_transport::{ByteSink, ByteSource, Lifeline, Link};

pub use settings::Settings;
pub(crate) use shared::Shared;

use crate::{Control, Messages, Responder};

/// The three parts of a running session.
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "made to be taken apart")]
pub struct Connection<F> {
    /// Asks the CLI.
    pub control: Control,
    /// What the CLI says.
    pub messages: Messages,
    /// Must be polled for the other two to move: spawn it.
    pub driver: Driver<F>,
}

/// The future that moves a session.
///
/// It ends when the session has ended; dropping it ends the session at once: calls fail, callbacks are dropped, and
/// the transport is given up, which ends the peer.
#[derive(Debug)]
#[must_use = "a session moves only while its driver is polled"]
pub struct Driver<F>(F);

impl<F: Future<Output = ()>> Driver<F> {
    /// Runs the session to its end.
    pub async fn run(self) {
        self.0.await;
    }
}

/// Runs the control protocol over an open transport.
///
/// Nothing is sent by itself, `initialize` included.
/// Needs a tokio runtime with its timer: callbacks run as tasks of it.
pub fn connect<So, Si, L>(
    link: Link<So, Si, L>,
    responder: Arc<dyn Responder>,
    settings: Settings,
) -> Connection<impl Future<Output = ()> + Send + use<So, Si, L>>
where
    So: ByteSource + 'static,
    Si: ByteSink + 'static,
    L: Lifeline + 'static,
{
    let shared = Arc::new(Shared::new(settings));
    let control = Control::new(Arc::clone(&shared));
    let messages = Messages::new(Arc::clone(&shared));
    let driver = Driver(drive(link, shared, responder));
    Connection { control, messages, driver }
}

async fn drive<So, Si, L>(link: Link<So, Si, L>, shared: Arc<Shared>, responder: Arc<dyn Responder>)
where
    So: ByteSource,
    Si: ByteSink,
    L: Lifeline,
{
    let Link { source, sink, lifeline } = link;
    let given_up = shared::GivenUp(&shared);
    let mut reader = WireReader::new(source, shared.settings().limits);
    let ending = tokio::select! {
        ending = read::read(&mut reader, &lifeline, &shared, &responder) => ending,
        never = write::write(WireWriter::new(sink), &shared) => match never {},
        never = shared.keep_time() => match never {},
    };
    shared.end(ending);
    drop(given_up);
}
