//! An adapter for server handlers of `rmcp`.

mod channel;
mod guarded;
mod output;
mod pending;
mod session;

use rmcp::ServerHandler;

use crate::{McpService, Outbox, ServerInstance};
use session::RmcpSession;

/// A server of any [`rmcp::ServerHandler`]: tools, resources, prompts, progress, cancellation and its own requests.
///
/// The adapter adds three guarantees to `rmcp`: a panic of the handler becomes an error, a handler that ignores its
/// cancellation is dropped after 5 seconds, and parameters that do not fit a known method give -32602.
///
/// The handler gets ids that are unique in the session (`RequestContext::id`,
/// `CancelledNotificationParam::request_id`); the CLI gets its own ids back.
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
    /// Serves a clone of `handler` in each session. Wrap a handler that is not `Clone` in an `Arc`.
    pub fn new(handler: H) -> Self
    where
        H: Clone,
    {
        Self::with_factory(move || handler.clone())
    }

    /// Serves a new handler in each session, which `make` creates.
    pub fn with_factory(make: impl Fn() -> H + Send + Sync + 'static) -> Self {
        Self { make: Box::new(make) }
    }
}

impl<H: ServerHandler> McpService for RmcpServer<H> {
    fn open(&self, outbox: Outbox) -> Box<dyn ServerInstance> {
        Box::new(RmcpSession::start((self.make)(), outbox))
    }
}

agentwire_control::debug_by_name!(RmcpServer<H>);
