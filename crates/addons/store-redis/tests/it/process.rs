//! A Redis server for one test, which the test can kill and restart.

use std::env;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use redis::Client;
use tempfile::TempDir;
use tokio::process::{Child, Command};

/// A server that syncs before it replies; dropping it deletes its data.
pub(crate) struct Server {
    data: TempDir,
    process: Child,
}

impl Server {
    /// Starts a server on a socket in its folder.
    ///
    /// Not on a free port, because another process could take that before the server does.
    pub(crate) async fn start() -> Self {
        let data = tempfile::tempdir().unwrap();
        let process = run(data.path());
        let mut server = Self { data, process };
        server.is_ready().await;
        server
    }

    /// Returns a client for its address.
    pub(crate) fn client(&self) -> Client {
        Client::open(format!("unix://{}", self.data.path().join(SOCKET).display())).unwrap()
    }

    /// Kills the server; unwritten data is lost.
    pub(crate) async fn kill(&mut self) {
        self.process.kill().await.unwrap();
    }

    /// Restarts the server on the same socket and data.
    pub(crate) async fn start_again(&mut self) {
        self.process = run(self.data.path());
        self.is_ready().await;
    }

    async fn is_ready(&mut self) {
        let client = self.client();
        let asked = async {
            loop {
                if let Ok(mut connection) = client.get_multiplexed_async_connection().await
                    && redis::cmd("PING").query_async::<String>(&mut connection).await.is_ok()
                {
                    return;
                }
                // There is no notification when it listens, so the test polls until it exits or accepts.
                let ended = tokio::time::timeout(Duration::from_millis(10), self.process.wait()).await;
                assert!(ended.is_err(), "the server ended before it answered: {ended:?}");
            }
        };
        tokio::time::timeout(crate::server::LIMIT, asked).await.unwrap();
    }
}

fn run(data: &Path) -> Child {
    let program = env::var("AGENTWIRE_TEST_REDIS_SERVER")
        .expect("AGENTWIRE_TEST_REDIS_SERVER is not set: run this with `cargo xtask services`");
    let mut command = Command::new(program);
    command.args(["--port", "0", "--appendonly", "yes", "--appendfsync", "always", "--save", "", "--dir"]);
    command.arg(data).arg("--unixsocket").arg(data.join(SOCKET));
    command.stdin(Stdio::null()).stdout(Stdio::null()).kill_on_drop(true).spawn().unwrap()
}

const SOCKET: &str = "redis.sock";
