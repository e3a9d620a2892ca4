//! Connects to the server, with or without TLS.

use std::pin::Pin;

use tokio::task::JoinHandle;
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::{Client, Config, Error, Socket};

/// A function that connects in one way.
pub(crate) type Connect = Box<dyn Fn(Config) -> Connecting + Send + Sync>;

type Connecting = Pin<Box<dyn Future<Output = Result<Connection, Error>> + Send>>;

/// A connection with its I/O task, which is aborted when the connection is dropped.
pub(crate) struct Connection {
    pub(crate) client: Client,
    task: JoinHandle<()>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Returns a function that connects with this TLS.
pub(crate) fn with<T>(tls: T) -> Connect
where
    T: MakeTlsConnect<Socket, Stream: Send + 'static> + Clone + Send + Sync + 'static,
    T::TlsConnect: Send + TlsConnect<Socket, Future: Send>,
{
    Box::new(move |config| {
        let tls = tls.clone();
        Box::pin(async move {
            let (client, connection) = config.connect(tls).await?;
            // The client reports a failure to each waiting query.
            let task = tokio::spawn(async move { drop(connection.await) });
            Ok(Connection { client, task })
        })
    })
}
