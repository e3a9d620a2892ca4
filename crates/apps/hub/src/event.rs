//! What the hub tells as it happens.

mod stream;

pub use stream::EventStream;
pub(crate) use stream::Events;

use crate::{ServerName, ServerState};

/// Something that happened to one server, or to the configuration.
///
/// Whoever reads too slowly misses events and is told so by [`Change::Missed`]: a snapshot then says how it stands.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Event {
    /// The server; `None` where it is about the whole hub.
    pub server: Option<ServerName>,
    /// What happened.
    pub change: Change,
}

/// What happened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Change {
    /// A server was configured that was not there before.
    Added,
    /// A server is configured no more, and ends. Nothing is told of it after that.
    Removed,
    /// It stands otherwise with a server.
    State(ServerState),
    /// A server offers other tools.
    Tools,
    /// A server offers other resources or templates.
    Resources,
    /// A server offers other prompts.
    Prompts,
    /// A configuration was read: with which problems, `Hub::problems` tells.
    Configuration,
    /// So many events were missed.
    Missed(u64),
}
