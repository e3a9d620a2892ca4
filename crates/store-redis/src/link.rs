//! The connection: one that all calls share, and that is made anew after it was lost.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, FromRedisValue, Pipeline, RedisError};

/// A server, and the connection to it once there is one.
pub(crate) struct Link {
    client: Client,
    limit: Duration,
    current: Mutex<Option<MultiplexedConnection>>,
}

impl Link {
    /// Nothing is connected yet.
    pub(crate) fn new(client: Client) -> Self {
        Self { client, limit: LIMIT, current: Mutex::default() }
    }

    /// How long connecting may take, and an answer.
    pub(crate) fn set_limit(&mut self, limit: Duration) {
        self.limit = limit;
    }

    /// Asks what may be asked twice: where the connection turns out to be lost, once more on a new one.
    pub(crate) async fn ask<T: FromRedisValue>(&self, commands: &Pipeline) -> Result<T, RedisError> {
        match self.tell(commands).await {
            Err(error) if error.is_connection_dropped() && !error.is_connection_refusal() => {
                self.tell(commands).await
            }
            told => told,
        }
    }

    /// Says it once: after an error it may have been done.
    pub(crate) async fn tell<T: FromRedisValue>(&self, commands: &Pipeline) -> Result<T, RedisError> {
        let mut connection = self.connection().await?;
        // Whoever waits no longer may have waited for one that is dead.
        let suspicion = Suspicion(Some(self));
        let told = commands.query_async(&mut connection).await;
        if !told.as_ref().is_err_and(is_over) {
            suspicion.dispel();
        }
        told
    }

    async fn connection(&self) -> Result<MultiplexedConnection, RedisError> {
        if let Some(connection) = self.current().clone() {
            return Ok(connection);
        }
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.limit))
            .set_response_timeout(Some(self.limit));
        // Two may connect at once; the later one is kept, and the other goes with its call.
        let connection = self.client.get_multiplexed_async_connection_with_config(&config).await?;
        *self.current() = Some(connection.clone());
        Ok(connection)
    }

    fn current(&self) -> std::sync::MutexGuard<'_, Option<MultiplexedConnection>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// That a connection is dead, as long as it has not answered: it is forgotten then.
struct Suspicion<'a>(Option<&'a Link>);

impl Suspicion<'_> {
    fn dispel(mut self) {
        self.0 = None;
    }
}

impl Drop for Suspicion<'_> {
    fn drop(&mut self) {
        if let Some(link) = self.0 {
            *link.current() = None;
        }
    }
}

/// Whether nothing more is to be had on the connection: it is lost, or leads to a server that follows another now.
fn is_over(error: &RedisError) -> bool {
    // A script's error tells that of its command in its text.
    let told =
        |what| error.code() == Some(what) || error.detail().is_some_and(|detail| detail.contains(what));
    error.is_io_error() || error.is_unrecoverable_error() || told("READONLY") || told("MASTERDOWN")
}

/// Longer than a server takes that is alive.
const LIMIT: Duration = Duration::from_secs(10);
