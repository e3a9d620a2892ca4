//! Runs a router over a transport: one task reads, writes, keeps time limits and watches the peer. A line that
//! the sink can write at once is written by the thread that sends it.

mod callbacks;
mod config;
mod effects;
mod end_input;
mod failure;
mod filter;
mod handle;
mod messages;
mod observer;
mod prompts;
mod queue;
mod read;
mod responder;
mod shared;
mod waits;
mod write;

use std::{
    future::Future,
    sync::{Arc, Weak},
};

use agentwire_codec::{WireReader, WireWriter};
use agentwire_transport::{ByteSink, ByteSource, Connected, PeerHandle};

pub use config::Config;
pub use failure::{CallbackError, FailureKind};
pub use filter::FrameFilter;
pub use handle::Control;
pub use messages::{BackpressurePause, Messages};
pub use observer::Observer;
pub use responder::{CallContext, NoResponder, RefusalFn, Reply, Responder};
pub use waits::wait;

use crate::{Router, SessionExit};
use handle::Handle;
use shared::{ABORTED, AbortOnDrop, Shared};

/// The three parts of a running session.
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "destructured by the caller")]
pub struct Connection<F> {
    /// Sends requests and prompts to the CLI.
    pub control: Control,
    /// The CLI's messages.
    pub messages: Messages,
    /// The [`Driver`]: spawn its [`run`](Driver::run).
    pub driver: Driver<F>,
}

/// The work of a session: it reads, writes and keeps time limits while its [`run`](Self::run) is polled.
///
/// A task that sends a line writes it itself if the transport can take it at once ([`ByteSink::write_now`]).
/// The future of `run` completes when the session has ended.
/// It also completes after the last handle was dropped, once all sent lines are written, at the latest after
/// [`Config::exit_grace`]. Handles are every [`Control`], including those in the contexts of running callbacks, the
/// [`Messages`] and every [`BackpressurePause`]. Dropping the driver or that future, polled or not, ends the session at
/// once: calls fail, open requests are refused, callbacks are cancelled, and the transport is dropped, which ends the
/// peer.
///
/// After the end of its input the CLI sends no requests and proceeds without asking.
/// With a responder that [guards](Responder::guards) an action, the input therefore ends only when the CLI is
/// idle and no task runs in the background, and until then every request is refused.
/// If the driver is dropped before that, it interrupts the turn and sends the peer SIGTERM.
#[derive(Debug)]
#[must_use = "a session makes progress only while `Driver::run` is polled"]
pub struct Driver<F>(F);

impl<F: Future<Output = ()>> Driver<F> {
    /// Runs the session to its end.
    pub async fn run(self) {
        self.0.await;
    }
}

/// Runs the control protocol over an open transport.
///
/// Does not send `initialize`: the caller does.
/// The driver needs a tokio runtime with time enabled, on which it also spawns the callbacks.
pub fn connect(
    link: Connected<impl ByteSource + 'static, impl ByteSink + 'static, impl PeerHandle + 'static>,
    responder: Arc<dyn Responder>,
    config: Config,
) -> Connection<impl Future<Output = ()> + Send> {
    Prepared::of(responder, None, config).connect(link)
}

/// A session without an open transport.
///
/// Its [`Control`] can be used already: calls wait for the connection and the handshake.
/// The first line on the wire is the `initialize` request, regardless of the order of calls.
/// Dropping it ends the session: its calls fail.
pub struct Prepared {
    host: Host,
    control: Control,
    messages: Messages,
    // Not in the driver's future, which may be dropped without being polled.
    abort_on_drop: AbortOnDrop,
}

impl Prepared {
    /// Prepares a session with an observer of its events.
    pub fn new(responder: Arc<dyn Responder>, observer: Arc<dyn Observer>, config: Config) -> Self {
        let prepared = Self::of(responder, Some(observer), config);
        prepared.host.shared.with_router(Router::hold_for_handshake);
        prepared
    }

    pub(crate) fn of(
        responder: Arc<dyn Responder>,
        observer: Option<Arc<dyn Observer>>,
        config: Config,
    ) -> Self {
        let shared = Arc::new(Shared::new(config, &*responder, observer));
        let abort_on_drop = AbortOnDrop(Arc::clone(&shared));
        let handle = Arc::new(Handle(Arc::clone(&shared)));
        let host = Host { shared, handle: Arc::downgrade(&handle), responder, filters: Vec::new() };
        let control = Control::new(Arc::clone(&handle));
        Self { host, control, messages: Messages::new(handle), abort_on_drop }
    }

    /// Returns the session's handle.
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// Adds a filter that takes lines off the stream before they become messages.
    ///
    /// Filters run in the order in which they were added, each on the lines that the earlier ones return.
    #[must_use]
    pub fn filter(mut self, filter: impl Into<Option<Arc<dyn FrameFilter>>>) -> Self {
        let filter: Option<Arc<dyn FrameFilter>> = filter.into();
        self.host.filters.extend(filter);
        self
    }

    /// Runs the session over an open transport.
    ///
    /// The driver needs a tokio runtime with time enabled, on which it also spawns the callbacks.
    pub fn connect(
        self,
        link: Connected<impl ByteSource + 'static, impl ByteSink + 'static, impl PeerHandle + 'static>,
    ) -> Connection<impl Future<Output = ()> + Send> {
        let Self { host, control, messages, abort_on_drop } = self;
        Connection { control, messages, driver: Driver(drive(link, host, abort_on_drop)) }
    }
}

agentwire_transport::debug_by_name!(Prepared);

/// The driver's view of the session.
struct Host {
    shared: Arc<Shared>,
    /// Weak, so that the driver sees the drop of the last handle. Callbacks get strong ones.
    handle: Weak<Handle>,
    responder: Arc<dyn Responder>,
    filters: Vec<Arc<dyn FrameFilter>>,
}

async fn drive<So: ByteSource, Si: ByteSink, L: PeerHandle>(
    link: Connected<So, Si, L>,
    host: Host,
    abort_on_drop: AbortOnDrop,
) {
    let Connected { source, sink, handle } = link;
    let shared = &*host.shared;
    let mut reader = WireReader::new(source, shared.config.limits);
    // Biased: writing comes first, because written answers make room to read.
    let mut ending = tokio::select! {
        biased;
        ending = write::write(WireWriter::new(sink), &handle, shared) => ending,
        ending = read::read(&mut reader, &handle, &host) => ending,
        never = shared.keep_time() => match never {},
        never = shared.end_when_quiet() => match never {},
        () = shared.abandoned() => SessionExit::failed(ABORTED),
    };
    // An exit report already contains the stderr.
    if let SessionExit { exit: None, transport: Some(why), .. } = &mut ending
        && let stderr = handle.stderr_tail()
        && !stderr.is_empty()
    {
        why.push_str(&format!(", stderr: {}", stderr.trim_end()));
    }
    drop(host.filters);
    shared.end(ending);
    drop(abort_on_drop);
}
