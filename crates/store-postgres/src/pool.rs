//! A few connections, made when they are needed and made anew when they were lost.

use std::sync::{Mutex, PoisonError};

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_postgres::error::SqlState;
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
    /// Nothing is connected yet.
    pub(crate) fn new(config: Config, connect: Connect) -> Self {
        Self { config, connect, permits: Semaphore::new(MOST), idle: Mutex::default() }
    }

    /// A connection, which goes unless it is given back: what went wrong on it, or was left, is over with it.
    pub(crate) async fn take(&self) -> Result<Taken<'_>, Error> {
        // It is never closed; were it, there would be no bound.
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

    /// Keeps a connection, on which nothing is left to do.
    pub(crate) fn give_back(&self, taken: Taken<'_>) {
        self.idle().push(taken.connection);
    }

    /// Forgets the idle ones: where one was lost, so were they.
    pub(crate) fn forget(&self) {
        self.idle().clear();
    }

    /// Forgets the idle ones too unless it is dispelled: where one does not answer, neither may they.
    pub(crate) fn suspect(&self) -> Suspicion<'_> {
        Suspicion(Some(self))
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// That a server does not answer, as long as it has not.
pub(crate) struct Suspicion<'a>(Option<&'a Pool>);

impl Suspicion<'_> {
    /// It has answered.
    pub(crate) fn dispel(mut self) {
        self.0 = None;
    }
}

impl Drop for Suspicion<'_> {
    fn drop(&mut self) {
        if let Some(pool) = self.0 {
            pool.forget();
        }
    }
}

/// A connection that is one's own for a while.
pub(crate) struct Taken<'a> {
    connection: Connection,
    _permit: Option<SemaphorePermit<'a>>,
    is_new: bool,
}

impl Taken<'_> {
    /// What speaks on it.
    pub(crate) fn client(&self) -> &Client {
        &self.connection.client
    }

    /// Whether it was there before and is lost now: a new one may do what was asked of it.
    pub(crate) fn was_lost(&self, error: &Error) -> bool {
        let ended = [SqlState::ADMIN_SHUTDOWN, SqlState::CRASH_SHUTDOWN];
        !self.is_new && (error.is_closed() || error.code().is_some_and(|code| ended.contains(code)))
    }
}

/// How many connections there are at most.
const MOST: usize = 4;
