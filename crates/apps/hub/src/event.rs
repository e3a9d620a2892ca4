//! Events of servers and of the configuration, and their channel.

use futures_core::stream::BoxStream;
use futures_util::stream::{StreamExt as _, unfold};
use tokio::sync::broadcast::{self, error::RecvError};

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
    /// The tools of a server were listed again, and may differ.
    Tools,
    /// The resources and templates of a server were listed again, and may differ.
    Resources,
    /// The prompts of a server were listed again, and may differ.
    Prompts,
    /// A configuration was applied. `Hub::problems` returns its problems.
    Configuration,
    /// The number of events that this reader has missed.
    Missed(u64),
}

/// The sending half for events. Clones share the channel.
#[derive(Clone, Debug)]
pub(crate) struct Events {
    sender: broadcast::Sender<Event>,
}

impl Events {
    pub(crate) fn new() -> Self {
        Self { sender: broadcast::Sender::new(KEPT) }
    }

    pub(crate) fn send(&self, server: Option<ServerName>, change: Change) {
        // An error means that there is no reader.
        let _ = self.sender.send(Event { server, change });
    }

    pub(crate) fn stream(&self) -> EventStream {
        unfold(self.sender.subscribe(), async |mut events| {
            let event = match events.recv().await {
                Ok(event) => event,
                Err(RecvError::Lagged(missed)) => Event { server: None, change: Change::Missed(missed) },
                Err(RecvError::Closed) => return None,
            };
            Some((event, events))
        })
        .boxed()
    }
}

/// The events of a hub, in the order in which they happened.
///
/// A reader that is more than 1,024 events behind misses the oldest ones and gets [`Change::Missed`] instead.
pub type EventStream = BoxStream<'static, Event>;

const KEPT: usize = 1024;
