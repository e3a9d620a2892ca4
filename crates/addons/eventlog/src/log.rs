//! The interface of a log.

use std::{error::Error, pin::Pin};

use crate::{
    entry::{LogBatch, LogEvent},
    position::Position,
};

/// The future of a call of an [`EventLog`].
pub type LogFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, EventLogError>> + Send + 'a>>;

/// A log of the events of each session's turns.
///
/// A session is named by any text. Each turn has one writer, which numbers its events.
pub trait EventLog: Send + Sync {
    /// Appends an event at a position, after all earlier ones.
    ///
    /// An event at or before the last position of its own turn is already stored, and is not stored again.
    ///
    /// # Errors
    ///
    /// [`EventLogError::Stale`] if a later turn has begun. After [`EventLogError::Unavailable`] the event may have been
    /// stored; the same append may be repeated.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the event may have been stored; the same append may be repeated.
    fn append<'a>(&'a self, session: &'a str, at: Position, event: &'a LogEvent) -> LogFuture<'a, ()>;

    /// Returns entries after a position, and waits until there is one.
    ///
    /// # Errors
    ///
    /// [`EventLogError::Unavailable`]; the same call may be repeated.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost if the future is dropped, since the caller keeps the position.
    fn tail<'a>(&'a self, session: &'a str, after: Position) -> LogFuture<'a, LogBatch>;
}

/// An error of an [`EventLog`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EventLogError {
    /// A later turn of the session has begun, so the writer must stop.
    #[error("turn {turn} of {session} may not be written: turn {last} has begun")]
    Stale {
        /// The session.
        session: Box<str>,
        /// The number of the turn of the append.
        turn: u64,
        /// The number of the latest turn.
        last: u64,
    },
    /// The log can't be reached, or has refused the command.
    #[error("the event log of {session} is not available")]
    Unavailable {
        /// The session.
        session: Box<str>,
        /// The cause.
        #[source]
        cause: Box<dyn Error + Send + Sync>,
    },
}
