//! The handle that reports what of a session its store has.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use agentwire_protocol::{ToolUseId, Uuid};
use tokio::time::timeout;

use super::queue::{Queue, State};

/// A handle that reports what of a running session its store has.
///
/// [`SessionBuilder::store_handle`](crate::SessionBuilder::store_handle) returns one before the session runs, so that
/// hooks can use it, and [`Session::store_handle`](crate::Session::store_handle) one of a running session.
/// Clones are handles to the same session.
///
/// Each method makes the mirror append what it has at once, whatever
/// [`sessionStoreFlush`](crate::Options::session_store_flush) is, and needs neither a reader of the session's messages
/// nor the end of the turn: they can be awaited inside a hook.
/// A session that is not read goes on receiving while a hook is open; outside of one it stops at 256 KiB of unread
/// messages ([`Config::unread_soft_limit`](agentwire_control::Config::unread_soft_limit)), and with it what the CLI hands over.
///
/// # Example
///
/// A tool runs only when the store has the message that asks for it:
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
pub struct StoreHandle(Slot);

impl StoreHandle {
    pub(crate) fn of(slot: Slot) -> Self {
        Self(slot)
    }

    /// Waits until the store has everything that the CLI has handed over so far.
    ///
    /// The CLI hands a message over some time after it has sent it: use [`stored`](Self::stored) or
    /// [`message_stored`](Self::message_stored) to wait for a certain one.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future stops waiting and loses nothing.
    ///
    /// # Errors
    ///
    /// [`NotStored`]; [`NotStored::Lost`] as soon as any entry of the session is lost, for the rest of the session.
    pub async fn flushed(&self) -> Result<(), NotStored> {
        let queue = self.queue()?;
        let upto = queue.state().received;
        let look = |state: &State| match &state.lost {
            Some(why) => Some(Some(why.clone())),
            None => (state.done >= upto).then_some(None),
        };
        queue.settled(look).await
    }

    /// Waits until the store has the message with this tool use.
    ///
    /// The CLI (2.1.330) hands that message over shortly after it has asked the `PreToolUse` hooks, while they run.
    /// In a session that was resumed from its store, tool uses of the stored conversation count as stored; in a fork of it
    /// that is so before the CLI has handed over the fork's own copy.
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

    /// Waits until the store has the message with this id: that of a message of the CLI's (`uuid`), or of a prompt.
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
        let known = |state: &State| state.known.outcome(id).map(|lost| lost.as_deref().map(str::to_owned));
        self.queue()?.settled(known).await
    }

    fn queue(&self) -> Result<Arc<Queue>, NotStored> {
        self.0.get().ok_or(NotStored::NotRunning)
    }
}

impl fmt::Debug for StoreHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreHandle").finish_non_exhaustive()
    }
}

/// The reason why a session's store is not known to have something.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotStored {
    /// No session with a store runs: it was not connected yet, or has no
    /// [`session_store`](crate::SessionBuilder::session_store).
    #[error("no session with a session store runs")]
    NotRunning,
    /// The store did not take it, and it is not appended again; see
    /// [`MirrorError`](agentwire_protocol::message::MirrorError).
    #[error("the session store does not have it: {why}")]
    Lost {
        /// The failure.
        why: String,
    },
    /// The store did not have it within
    /// [`sessionStoreFlushTimeoutMs`](crate::Options::session_store_flush_timeout_ms), or the CLI did not hand it over
    /// within that time. It may still be stored later.
    #[error("the session store did not have it within {after:?} (sessionStoreFlushTimeoutMs)")]
    TimedOut {
        /// The limit.
        after: Duration,
    },
    /// The session ended, and the CLI had not handed it over.
    #[error("the session ended before the CLI handed it over")]
    Ended,
}

/// The place of the running session's queue, which is empty until the session runs.
#[derive(Clone, Default)]
pub(crate) struct Slot(Arc<Mutex<Option<Arc<Queue>>>>);

impl Slot {
    /// Puts the queue of a session in its place; a CLI that is started again takes the place of the first.
    pub(super) fn hold(&self, queue: Arc<Queue>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(queue);
    }

    fn get(&self) -> Option<Arc<Queue>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Queue {
    /// Whether somebody waits for entries to be stored.
    pub(super) fn is_pressed(&self) -> bool {
        self.state().pressing > 0
    }

    /// Appends all that comes at once, and waits until `look` returns how it went: `Some(None)` for stored, or a loss.
    async fn settled(&self, look: impl Fn(&State) -> Option<Option<String>>) -> Result<(), NotStored> {
        let _pressing = Pressing::new(self);
        let look = || {
            let state = self.state();
            match look(&state) {
                Some(None) => Some(Ok(())),
                Some(Some(why)) => Some(Err(NotStored::Lost { why })),
                // Nothing more will come.
                None => (state.done == u64::MAX).then_some(Err(NotStored::Ended)),
            }
        };
        let settled = async {
            loop {
                // Before the look, so that no change is missed.
                let changed = self.changed.notified();
                if let Some(outcome) = look() {
                    return outcome;
                }
                changed.await;
            }
        };
        let after = self.options.flush_limit;
        timeout(after, settled).await.unwrap_or(Err(NotStored::TimedOut { after }))
    }
}

/// Makes the worker append each frame at once, as long as it lives.
struct Pressing<'a>(&'a Queue);

impl<'a> Pressing<'a> {
    fn new(queue: &'a Queue) -> Self {
        queue.state().pressing += 1;
        queue.want();
        Self(queue)
    }
}

impl Drop for Pressing<'_> {
    fn drop(&mut self) {
        self.0.state().pressing -= 1;
    }
}
