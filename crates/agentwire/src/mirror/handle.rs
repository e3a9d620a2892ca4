//! The handle that reports which entries of a session are stored.

use std::{sync::Arc, time::Duration};

use agentwire_control::wait;
use agentwire_protocol::{ToolUseId, Uuid};
use agentwire_transport::Lock;
use tokio::time::timeout;

use super::queue::{ENDED, Queue, State};

/// A handle that reports which entries of a running session are stored.
///
/// [`SessionBuilder::store_handle`](crate::SessionBuilder::store_handle) returns one before the session runs, so that
/// hooks can use it; [`Session::store_handle`](crate::Session::store_handle) returns one for a running session.
/// Clones refer to the same session.
///
/// Each method makes the mirror append pending entries immediately, regardless of
/// [`sessionStoreFlush`](crate::Options::session_store_flush). It needs neither a reader of the session's messages nor
/// the end of the turn, so it can be awaited inside a hook.
/// A session with callbacks receives up to [`Config::unread_hard_limit`](agentwire_control::Config::unread_hard_limit),
/// even if its messages are not read. Without callbacks receiving, including mirrored entries, stops at 256 KiB of
/// unread messages ([`Config::unread_soft_limit`](agentwire_control::Config::unread_soft_limit)).
///
/// # Example
///
/// This hook lets a tool run only when the message with the tool use is stored:
///
/// ```
/// use agentwire::{NotStored, Session, SessionBuilder, hooks::Hooks};
/// use agentwire::protocol::hook::{HookReply, PreToolUse};
///
/// fn write_ahead(builder: SessionBuilder) -> SessionBuilder {
///     let store = builder.store_handle();
///     builder.hooks(Hooks::new().on(PreToolUse, move |input, _cx| {
///         let store = store.clone();
///         async move {
///             // An error refuses the tool use.
///             store.stored(&input.tool_use_id).await?;
///             Ok::<_, NotStored>(HookReply::proceed())
///         }
///     }))
/// }
/// # let _ = write_ahead;
/// ```
#[derive(Clone)]
pub struct StoreHandle(pub(crate) Slot);

impl StoreHandle {
    /// Waits until the store has all entries that the CLI has mirrored so far.
    ///
    /// The CLI mirrors a message some time after it has sent it: use [`stored`](Self::stored) or
    /// [`message_stored`](Self::message_stored) to wait for a particular one.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future stops waiting and loses nothing.
    ///
    /// # Errors
    ///
    /// [`NotStored`]; [`NotStored::Lost`] while the store lacks an entry of the session: for the rest of the session, if the
    /// entry is discarded.
    pub async fn flushed(&self) -> Result<(), NotStored> {
        let queue = self.queue()?;
        let (upto, flushes) = queue.retry();
        let look = |state: &State| match &state.lost {
            Some(why) => Some(Err(why.clone())),
            None if state.done < upto || state.refused.is_some() && state.flushes == flushes => None,
            None => Some(state.refused.clone().map_or(Ok(()), Err)),
        };
        queue.settled(look).await
    }

    /// Waits until the message with this tool use is stored.
    ///
    /// The CLI (2.1.330) mirrors that message shortly after it has called the `PreToolUse` hooks, while they run.
    /// In a session resumed from its store, tool uses of the stored conversation count as stored; in a fork they do so
    /// before the CLI has mirrored the fork's own copy.
    /// The last 4,096 messages and tool uses are remembered.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future stops waiting and loses nothing.
    ///
    /// # Errors
    ///
    /// [`NotStored`].
    pub async fn stored(&self, tool_use: &ToolUseId) -> Result<(), NotStored> {
        self.id_stored(tool_use.as_str()).await
    }

    /// Waits until the message with this id is stored: the `uuid` of a CLI message, or the id of a prompt.
    ///
    /// Prompts that a running turn took, and prompts that one turn answers together, are found by their own ids too.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future stops waiting and loses nothing.
    ///
    /// # Errors
    ///
    /// As [`stored`](Self::stored).
    pub async fn message_stored(&self, message: &Uuid) -> Result<(), NotStored> {
        self.id_stored(message.as_str()).await
    }

    async fn id_stored(&self, id: &str) -> Result<(), NotStored> {
        let look = |state: &State| Some(state.known.outcome(id)?.clone().map_err(|why| why.to_string()));
        self.queue()?.settled(look).await
    }

    fn queue(&self) -> Result<Arc<Queue>, NotStored> {
        self.0.get().ok_or(NotStored::NotRunning)
    }
}

agentwire_control::debug_by_name!(StoreHandle);

/// The reason why an entry is not known to be stored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotStored {
    /// No session with a store runs: it is not connected yet, or has no
    /// [`session_store`](crate::SessionBuilder::session_store).
    #[error("no session with a session store runs")]
    NotRunning,
    /// The store did not accept the entry, or not in time; see [`MirrorError`](agentwire_protocol::message::MirrorError).
    #[error("the session store does not have it: {why}")]
    Lost {
        /// The failure.
        why: String,
    },
    /// The entry was not stored, or not mirrored by the CLI, within
    /// [`sessionStoreFlushTimeoutMs`](crate::Options::session_store_flush_timeout_ms). It may still be stored later.
    #[error("the session store did not have it within {after:?} (sessionStoreFlushTimeoutMs)")]
    TimedOut {
        /// The limit.
        after: Duration,
    },
    /// The session ended before the CLI mirrored the entry.
    #[error("the session ended before the CLI mirrored the entry")]
    Ended,
}

/// The slot for the running session's queue; empty until the session runs.
#[derive(Clone, Default)]
pub(crate) struct Slot(Arc<Lock<Option<Arc<Queue>>>>);

impl Slot {
    /// Sets the queue of a session; the queue of a restarted CLI replaces the first one.
    pub(super) fn set(&self, queue: Arc<Queue>) {
        *self.0.lock() = Some(queue);
    }

    fn get(&self) -> Option<Arc<Queue>> {
        self.0.lock().clone()
    }
}

impl Queue {
    /// Requests immediate appends and waits until `look` returns an outcome: stored, or the reason for a loss.
    async fn settled(&self, look: impl Fn(&State) -> Option<Result<(), String>>) -> Result<(), NotStored> {
        let _waiter = Waiter::new(self);
        let look = || {
            let state = self.state.lock();
            match look(&state) {
                Some(outcome) => Some(outcome.map_err(|why| NotStored::Lost { why })),
                // Nothing more will arrive.
                None => (state.done == ENDED).then_some(Err(NotStored::Ended)),
            }
        };
        let after = self.options.flush_limit;
        timeout(after, wait(&self.changed, look)).await.unwrap_or(Err(NotStored::TimedOut { after }))
    }
}

/// Makes the worker append frames as if the mirror was `eager` while it lives.
struct Waiter<'a>(&'a Queue);

impl<'a> Waiter<'a> {
    fn new(queue: &'a Queue) -> Self {
        queue.state.lock().waiters += 1;
        queue.want();
        Self(queue)
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        self.0.state.lock().waiters -= 1;
    }
}
