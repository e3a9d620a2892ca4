//! A pool of a few connections, created on demand and replaced when lost.

use std::sync::{Mutex, PoisonError};

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_postgres::error::{DbError, Severity};
use tokio_postgres::{Client, Config, Error};

use crate::connect::{Connect, Connection};

/// The connections of a store.
pub(crate) struct Pool {
    config: Config,
    connect: Connect,
    permits: Semaphore,
    idle: Mutex<Vec<Connection>>,
}

impl Pool {
    /// Creates a pool without connections.
    pub(crate) fn new(config: Config, connect: Connect) -> Self {
        Self { config, connect, permits: Semaphore::new(MAX_CONNECTIONS), idle: Mutex::default() }
    }

    /// Takes a connection. Unless it is returned, it is closed, which rolls back its transaction.
    pub(crate) async fn take(&self) -> Result<Taken<'_>, Error> {
        // The semaphore is never closed, so `acquire` can't fail.
        let permit = self.permits.acquire().await.ok();
        let idle = || self.idle().pop();
        while let Some(connection) = idle() {
            if !connection.client.is_closed() {
                return Ok(Taken { connection, _permit: permit, is_new: false });
            }
        }
        let connection = (self.connect)(self.config.clone()).await?;
        Ok(Taken { connection, _permit: permit, is_new: true })
    }

    /// Returns a connection without pending work to the pool.
    pub(crate) fn give_back(&self, taken: Taken<'_>) {
        self.idle().push(taken.connection);
    }

    /// Closes the idle connections: when one is lost, the others usually are too.
    pub(crate) fn forget(&self) {
        self.idle().clear();
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Closes the idle connections when it is dropped: when a server does not reply on one connection, the others are suspect
/// too. A call with a reply forgets it.
pub(crate) struct Suspicion<'a>(pub(crate) &'a Pool);

impl Drop for Suspicion<'_> {
    fn drop(&mut self) {
        self.0.forget();
    }
}

/// A connection in use.
pub(crate) struct Taken<'a> {
    connection: Connection,
    _permit: Option<SemaphorePermit<'a>>,
    is_new: bool,
}

impl Taken<'_> {
    /// Returns the client of the connection.
    pub(crate) fn client(&self) -> &Client {
        &self.connection.client
    }

    /// Returns whether a reused connection was lost, so that the call can be repeated on a new one.
    pub(crate) fn was_lost(&self, error: &Error) -> bool {
        let severity = error.as_db_error().and_then(DbError::parsed_severity);
        !self.is_new && (error.is_closed() || matches!(severity, Some(Severity::Fatal | Severity::Panic)))
    }
}

/// The maximum number of connections.
const MAX_CONNECTIONS: usize = 4;
