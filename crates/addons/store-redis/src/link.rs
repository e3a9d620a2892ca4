//! The shared connection, replaced when lost.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, FromRedisValue, Pipeline, RedisError};
use tokio::sync::OnceCell;
use tokio::time::timeout;

/// A server, and the connection to it, which the first call opens for all.
pub(crate) struct Link {
    client: Client,
    limit: Duration,
    current: Mutex<SharedConnection>,
}

type SharedConnection = Arc<OnceCell<MultiplexedConnection>>;

impl Link {
    /// Creates a link without a connection.
    pub(crate) fn new(client: Client) -> Self {
        Self { client, limit: LIMIT, current: Mutex::default() }
    }

    /// Sets the time limit for connecting and for each reply.
    pub(crate) fn set_limit(&mut self, limit: Duration) {
        self.limit = limit;
    }

    /// Runs commands that are safe to repeat: if the connection was lost, once more on a new one.
    pub(crate) async fn query_with_retry<T: FromRedisValue>(
        &self,
        commands: &Pipeline,
    ) -> Result<T, RedisError> {
        match self.query_once(commands).await {
            Err(error) if error.is_connection_dropped() && !error.is_connection_refusal() => {
                self.query_once(commands).await
            }
            result => result,
        }
    }

    /// Runs commands once: after an error they may have been executed.
    pub(crate) async fn query_once<T: FromRedisValue>(&self, commands: &Pipeline) -> Result<T, RedisError> {
        let shared = Arc::clone(&self.current());
        let mut connection = self.open(&shared).await?;
        // If the caller drops the future, the connection may be dead.
        let mut suspicion = Suspicion { link: self, shared, is_dispelled: false };
        let result = commands.query_async(&mut connection).await;
        suspicion.is_dispelled = !result.as_ref().is_err_and(is_over);
        result
    }

    /// Returns the shared connection, which one call opens while the others wait.
    async fn open(&self, shared: &SharedConnection) -> Result<MultiplexedConnection, RedisError> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.limit))
            .set_response_timeout(Some(self.limit));
        let connect = || self.client.get_multiplexed_async_connection_with_config(&config);
        let opened = timeout(self.limit, shared.get_or_try_init(connect)).await;
        opened.unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut).into())).cloned()
    }

    fn current(&self) -> std::sync::MutexGuard<'_, SharedConnection> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A guard that discards its connection unless the server has replied.
struct Suspicion<'a> {
    link: &'a Link,
    shared: SharedConnection,
    is_dispelled: bool,
}

impl Drop for Suspicion<'_> {
    fn drop(&mut self) {
        let mut current = self.link.current();
        if !self.is_dispelled && Arc::ptr_eq(&current, &self.shared) {
            *current = SharedConnection::default();
        }
    }
}

/// Returns whether the connection is unusable: lost, or to a server that has become a replica.
fn is_over(error: &RedisError) -> bool {
    // A script's error contains the error of its command in its text.
    let reports =
        |what| error.code() == Some(what) || error.detail().is_some_and(|detail| detail.contains(what));
    error.is_io_error() || error.is_unrecoverable_error() || reports("READONLY") || reports("MASTERDOWN")
}

/// Longer than a working server takes.
const LIMIT: Duration = Duration::from_secs(10);
