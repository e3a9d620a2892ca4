//! Connections to the server: each is used by one call at a time, since a waiting reader blocks its connection.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use redis::{
    AsyncConnectionConfig, Client, FromRedisValue, Pipeline, RedisError, aio::MultiplexedConnection,
};
use tokio::time::timeout;

pub(super) struct Connections {
    client: Client,
    idle: Mutex<Vec<MultiplexedConnection>>,
}

/// A failure of a call.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error("redis has not answered within {limit:?}")]
    TimedOut { limit: Duration },
    #[error(transparent)]
    Redis(#[from] RedisError),
}

impl Connections {
    pub(super) fn new(client: Client) -> Self {
        Self { client, idle: Mutex::default() }
    }

    /// Runs commands that are safe to repeat: if an idle connection was lost, once more on a new one.
    pub(super) async fn run<T: FromRedisValue>(
        &self,
        commands: &Pipeline,
        limit: Duration,
    ) -> Result<T, Fault> {
        let late = |_| Fault::TimedOut { limit };
        let idle = self.idle().pop();
        if let Some(connection) = idle {
            match timeout(limit, self.run_on(connection, commands)).await {
                Ok(Err(error)) if error.is_connection_dropped() => self.clear(),
                Ok(result) => return Ok(result?),
                Err(elapsed) => {
                    // The other idle connections are probably lost too, and each would take a time limit to fail.
                    self.clear();
                    return Err(late(elapsed));
                }
            }
        }
        let anew = async {
            // The time limit below covers connecting and the call together.
            let config = AsyncConnectionConfig::new().set_connection_timeout(None).set_response_timeout(None);
            let connection = self.client.get_multiplexed_async_connection_with_config(&config).await?;
            self.run_on(connection, commands).await
        };
        Ok(timeout(limit, anew).await.map_err(late)??)
    }

    /// Drops all idle connections.
    pub(super) fn clear(&self) {
        self.idle().clear();
    }

    /// Runs commands on a connection, and keeps the connection after a reply.
    async fn run_on<T: FromRedisValue>(
        &self,
        mut connection: MultiplexedConnection,
        commands: &Pipeline,
    ) -> Result<T, RedisError> {
        let result = commands.query_async(&mut connection).await;
        if !result
            .as_ref()
            .is_err_and(|error: &RedisError| error.is_io_error() || error.is_unrecoverable_error())
        {
            let mut idle = self.idle();
            if idle.len() < IDLE {
                idle.push(connection);
            }
        }
        result
    }

    fn idle(&self) -> MutexGuard<'_, Vec<MultiplexedConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many idle connections are kept.
const IDLE: usize = 64;
