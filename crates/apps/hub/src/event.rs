//! Events of servers and of the configuration.

mod stream;

pub use stream::EventStream;
pub(crate) use stream::Events;

use crate::{ServerName, ServerState};

/// A change of one server, or of the configuration.
///
/// A reader that is too slow misses events and gets [`Change::Missed`] instead. A snapshot then contains the current state.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Event {
    /// The server; `None` for a change of the whole hub.
    pub server: Option<ServerName>,
    /// The change.
    pub change: Change,
}

/// The kind of a change.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Change {
    /// A server was added to the configuration.
    Added,
    /// A server was removed from the configuration, and ends. This is its last event.
    Removed,
    /// A server has another state.
    State(ServerState),
    /// A server offers other tools.
    Tools,
    /// A server offers other resources or templates.
    Resources,
    /// A server offers other prompts.
    Prompts,
    /// A configuration was applied. `Hub::problems` returns its problems.
    Configuration,
    /// The number of events that this reader has missed.
    Missed(u64),
}
