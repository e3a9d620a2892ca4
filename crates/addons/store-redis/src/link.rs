//! The shared connection, replaced when lost.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, FromRedisValue, Pipeline, RedisError};

/// A server, and the connection to it if there is one.
pub(crate) struct Link {
    client: Client,
    limit: Duration,
    current: Mutex<Option<MultiplexedConnection>>,
}

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
        let mut connection = self.connection().await?;
        // If the caller drops the future, the connection may be dead.
        let suspicion = Suspicion(self);
        let result = commands.query_async(&mut connection).await;
        if !result.as_ref().is_err_and(is_over) {
            // The server has replied.
            std::mem::forget(suspicion);
        }
        result
    }

    async fn connection(&self) -> Result<MultiplexedConnection, RedisError> {
        if let Some(connection) = self.current().clone() {
            return Ok(connection);
        }
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.limit))
            .set_response_timeout(Some(self.limit));
        // Two calls may connect at once. The later connection stays, and the other serves only its call.
        let connection = self.client.get_multiplexed_async_connection_with_config(&config).await?;
        *self.current() = Some(connection.clone());
        Ok(connection)
    }

    fn current(&self) -> std::sync::MutexGuard<'_, Option<MultiplexedConnection>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A guard that discards the connection unless the server has replied.
struct Suspicion<'a>(&'a Link);

impl Drop for Suspicion<'_> {
    fn drop(&mut self) {
        *self.0.current() = None;
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
