//! Runs a router over a transport: one task reads, writes and watches the clock and the peer.

mod arrival;
mod callbacks;
mod config;
mod effects;
mod ending;
mod queue;
mod read;
mod shared;
mod waits;
mod write;

use std::{
    fmt,
    future::Future,
    sync::{Arc, Weak},
};

use agentwire_codec::{WireReader, WireWriter};
use agentwire_transport::{ByteSink, ByteSource, Connected, PeerHandle};

pub use config::Config;
pub(crate) use queue::Parcels;
pub(crate) use shared::{Shared, State};

use crate::{
    Control, FrameFilter, Messages, Observer, Responder, Router, SessionEnd, filter::OptionalFilter,
    handle::Handle,
};
use shared::{ABORTED, AbortOnDrop};

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
/// Dropping it, polled or not, ends the session at once: calls fail, open requests are refused, callbacks are cancelled,
/// and the transport is given up, which ends the peer.
///
/// Once its input has ended, the CLI asks nothing more, and goes ahead.
/// In a session whose responder [guards](Responder::guards) something, the input therefore ends only when the CLI is
/// idle, and until then every request is refused; where the driver is dropped before, the turn is interrupted and the
/// peer is told to end at once.
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
    link: Connected<So, Si, L>,
    responder: Arc<dyn Responder>,
    config: Config,
) -> Connection<impl Future<Output = ()> + Send + use<So, Si, L>>
where
    So: ByteSource + 'static,
    Si: ByteSink + 'static,
    L: PeerHandle + 'static,
{
    Prepared::of(responder, None, config).connect(link)
}

/// As [`connect`], and `observer` sees what arrives.
pub fn connect_observed<So, Si, L>(
    link: Connected<So, Si, L>,
    responder: Arc<dyn Responder>,
    observer: Arc<dyn Observer>,
    config: Config,
) -> Connection<impl Future<Output = ()> + Send + use<So, Si, L>>
where
    So: ByteSource + 'static,
    Si: ByteSink + 'static,
    L: PeerHandle + 'static,
{
    Prepared::of(responder, Some(observer), config).connect(link)
}

/// A session whose transport is not open yet.
///
/// Its [`Control`] exists: what is asked waits, and is answered once the session is connected and shaken hands with.
/// The first line on the wire is the `initialize` request, whatever was sent before it.
/// Dropping it ends the session: what was asked fails.
pub struct Prepared {
    host: Host,
    control: Control,
    messages: Messages,
    // Made here and not in the driver's future, which may be dropped without ever being polled.
    given_up: AbortOnDrop,
}

impl Prepared {
    /// Prepares a session; `observer` sees what arrives.
    pub fn new(responder: Arc<dyn Responder>, observer: Arc<dyn Observer>, config: Config) -> Self {
        let prepared = Self::of(responder, Some(observer), config);
        prepared.host.shared.with_router(Router::put_handshake_first);
        prepared
    }

    pub(crate) fn of(
        responder: Arc<dyn Responder>,
        observer: Option<Arc<dyn Observer>>,
        config: Config,
    ) -> Self {
        let shared = Arc::new(Shared::new(config, &*responder, observer));
        let given_up = AbortOnDrop(Arc::clone(&shared));
        let handle = Arc::new(Handle::new(Arc::clone(&shared)));
        let host = Host { shared, handle: Arc::downgrade(&handle), responder };
        let control = Control::new(Arc::clone(&handle));
        Self { host, control, messages: Messages::new(handle), given_up }
    }

    /// The session's handle.
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// Runs the session over an open transport.
    ///
    /// Needs a tokio runtime with its timer: callbacks run as tasks of it.
    pub fn connect<So, Si, L>(
        self,
        link: Connected<So, Si, L>,
    ) -> Connection<impl Future<Output = ()> + Send + use<So, Si, L>>
    where
        So: ByteSource + 'static,
        Si: ByteSink + 'static,
        L: PeerHandle + 'static,
    {
        self.start(link, ())
    }

    /// As [`connect`](Self::connect), and `filter` takes lines off the stream before they become messages.
    pub fn connect_sifted<So, Si, L>(
        self,
        link: Connected<So, Si, L>,
        filter: Arc<dyn FrameFilter>,
    ) -> Connection<impl Future<Output = ()> + Send + use<So, Si, L>>
    where
        So: ByteSource + 'static,
        Si: ByteSink + 'static,
        L: PeerHandle + 'static,
    {
        self.start(link, filter)
    }

    fn start<So, Si, L, S>(
        self,
        link: Connected<So, Si, L>,
        filter: S,
    ) -> Connection<impl Future<Output = ()> + Send + use<So, Si, L, S>>
    where
        So: ByteSource + 'static,
        Si: ByteSink + 'static,
        L: PeerHandle + 'static,
        S: OptionalFilter,
    {
        let Self { host, control, messages, given_up } = self;
        Connection { control, messages, driver: Driver(drive(link, host, filter, given_up)) }
    }
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared").finish_non_exhaustive()
    }
}

/// Our side of the session, as its driver sees it.
struct Host {
    shared: Arc<Shared>,
    /// Callbacks get handles; the driver itself holds none, so that it sees when the last is gone.
    handle: Weak<Handle>,
    responder: Arc<dyn Responder>,
}

async fn drive<So, Si, L, S>(link: Connected<So, Si, L>, host: Host, filter: S, given_up: AbortOnDrop)
where
    So: ByteSource,
    Si: ByteSink,
    L: PeerHandle,
    S: OptionalFilter,
{
    let Connected { source, sink, handle } = link;
    let shared = &*host.shared;
    let mut reader = WireReader::new(source, shared.config().limits);
    let ending = {
        // The writing half comes first: written lines make room for what is read.
        tokio::select! {
            biased;
            ending = write::write(WireWriter::new(sink), &handle, shared) => ending,
            ending = read::read(&mut reader, &handle, &host, &filter) => ending,
            never = shared.keep_time() => match never {},
            never = shared.end_when_quiet() => match never {},
            () = shared.abandoned() => SessionEnd::failed(ABORTED),
        }
    };
    // Nothing more is read.
    drop(filter);
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
