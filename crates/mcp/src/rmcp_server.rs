//! Serves any `rmcp` server handler.

mod channel;
mod guarded;
mod output;
mod pending;
mod session;

use std::fmt;

use rmcp::ServerHandler;

use crate::{McpService, Outbox, ServerInstance};
use session::RmcpSession;

/// Serves an [`rmcp::ServerHandler`]: tools, resources, prompts, progress, cancellation and its own requests.
///
/// What `rmcp` leaves open is closed here: a handler that panics gives an error, one that does not heed its
/// cancellation is dropped after a grace, and parameters that do not fit a known method give -32602.
///
/// The ids that the handler sees (`RequestContext::id`, `CancelledNotificationParam::request_id`) are the session's own
/// and never used twice; the CLI sees its own.
///
/// ```
/// use agentwire_mcp::{McpServers, RmcpServer, rmcp};
///
/// #[derive(Clone)]
/// struct Empty;
/// impl rmcp::ServerHandler for Empty {}
///
/// let servers = McpServers::new().with("empty", RmcpServer::new(Empty));
/// ```
pub struct RmcpServer<H> {
    make: Box<dyn Fn() -> H + Send + Sync>,
}

impl<H: ServerHandler> RmcpServer<H> {
    /// Serves clones of `handler`, one for each session. Wrap a handler that is no `Clone` in an `Arc`.
    pub fn new(handler: H) -> Self
    where
        H: Clone,
    {
        Self::with_factory(move || handler.clone())
    }

    /// Serves what `make` makes, one for each session.
    pub fn with_factory(make: impl Fn() -> H + Send + Sync + 'static) -> Self {
        Self { make: Box::new(make) }
    }
}

impl<H: ServerHandler> McpService for RmcpServer<H> {
    fn open(&self, outbox: Outbox) -> Box<dyn ServerInstance> {
        Box::new(RmcpSession::start((self.make)(), outbox))
    }
}

impl<H> fmt::Debug for RmcpServer<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RmcpServer").finish_non_exhaustive()
    }
}
