//! Runs a router over a transport: one task reads, writes and watches the clock and the peer.

mod arrival;
mod branch;
mod callbacks;
mod effects;
mod inbox;
mod read;
mod settings;
mod shared;
mod waits;
mod write;

use std::{
    future::Future,
    pin::pin,
    sync::{Arc, Weak},
};

use agentwire_codec::{WireReader, WireWriter};
use agentwire_transport::{ByteSink, ByteSource, Lifeline, Link};

pub(crate) use inbox::Parcels;
pub use settings::Settings;
pub(crate) use shared::{Shared, State};

use crate::{Control, Ending, Messages, Observer, Responder, handle::Handle};
use branch::Branch;
use shared::{GIVEN_UP, GivenUp};

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
/// It ends when the session has ended.
/// It ends too when the last [`Control`] and the [`Messages`] were dropped, as soon as what was sent is written: a
/// responder that keeps a `Control` keeps the session.
/// Dropping it, polled or not, ends the session at once: calls fail, callbacks are cancelled, and the transport is given
/// up, which ends the peer.
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
    start(link, responder, None, settings)
}

/// As [`connect`], and `observer` sees what arrives.
pub fn connect_observed<So, Si, L>(
    link: Link<So, Si, L>,
    responder: Arc<dyn Responder>,
    observer: Arc<dyn Observer>,
    settings: Settings,
) -> Connection<impl Future<Output = ()> + Send + use<So, Si, L>>
where
    So: ByteSource + 'static,
    Si: ByteSink + 'static,
    L: Lifeline + 'static,
{
    start(link, responder, Some(observer), settings)
}

fn start<So, Si, L>(
    link: Link<So, Si, L>,
    responder: Arc<dyn Responder>,
    observer: Option<Arc<dyn Observer>>,
    settings: Settings,
) -> Connection<impl Future<Output = ()> + Send + use<So, Si, L>>
where
    So: ByteSource + 'static,
    Si: ByteSink + 'static,
    L: Lifeline + 'static,
{
    let shared = Arc::new(Shared::new(settings, observer));
    // Made here and not in the future, which may be dropped without ever being polled.
    let given_up = GivenUp(Arc::clone(&shared));
    let handle = Arc::new(Handle::new(Arc::clone(&shared)));
    let host = Host { shared, handle: Arc::downgrade(&handle), responder };
    let control = Control::new(Arc::clone(&handle));
    let messages = Messages::new(handle);
    let driver = Driver(drive(link, host, given_up));
    Connection { control, messages, driver }
}

/// Our side of the session, as its driver sees it.
struct Host {
    shared: Arc<Shared>,
    /// Callbacks get handles; the driver itself holds none, so that it sees when the last is gone.
    handle: Weak<Handle>,
    responder: Arc<dyn Responder>,
}

async fn drive<So, Si, L>(link: Link<So, Si, L>, host: Host, given_up: GivenUp)
where
    So: ByteSource,
    Si: ByteSink,
    L: Lifeline,
{
    let Link { source, sink, lifeline } = link;
    let shared = &*host.shared;
    let mut reader = WireReader::new(source, shared.settings().limits);
    let ending = {
        let reading = pin!(read::read(&mut reader, &lifeline, &host));
        let writing = pin!(write::write(WireWriter::new(sink), shared));
        let (time, abandoned) = (pin!(shared.keep_time()), pin!(shared.abandoned()));
        tokio::select! {
            biased;
            ending = Branch::new(writing) => ending,
            ending = Branch::new(reading) => ending,
            never = Branch::new(time) => match never {},
            () = Branch::new(abandoned) => Ending::failed(GIVEN_UP),
        }
    };
    shared.end(ending);
    drop(given_up);
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
