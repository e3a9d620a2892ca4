//! Has a tool allowed from now on, as whoever was asked for it has said.

use std::time::Duration;

use tokio::time::timeout;

use super::Hub;
use crate::ServerName;

impl Hub {
    /// Has the tool allowed from now on. That this can't be written, or not soon, is no reason to deny the call.
    pub(super) async fn remember(&self, server: &ServerName, tool: &str) {
        match timeout(WRITTEN, self.write_always_allow(server.as_str(), tool.to_owned(), true)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(%server, tool, %error, "a tool is not allowed from now on: the configuration can't be changed");
            }
            // It goes on by itself.
            Err(_) => {
                tracing::warn!(%server, tool, "a tool is not yet allowed from now on: the change takes long");
            }
        }
    }
}

/// So long a call waits for the configuration to be changed.
const WRITTEN: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use std::{fs, sync::mpsc, thread, time::Instant};

    use super::*;
    use crate::config::{Sources, hold};

    #[tokio::test]
    async fn a_change_that_takes_long_holds_up_a_call_for_so_long_and_is_made_all_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(".mcp.json");
        fs::write(&file, r#"{"mcpServers": {"s": {"command": "true", "disabled": true}}}"#).unwrap();
        let is_written = || fs::read_to_string(&file).unwrap().contains("a_tool");
        let hub = Hub::builder().sources(Sources::new().project(folder.path())).build();
        let (holds, held) = mpsc::channel();
        let (lets_go, go) = mpsc::channel::<()>();
        let holder = thread::spawn(move || {
            let _held = hold();
            holds.send(()).unwrap();
            // Until the sender is dropped.
            go.recv().unwrap_err();
        });
        held.recv().unwrap();
        let started = Instant::now();
        timeout(WRITTEN * 6, hub.remember(&"s".into(), "a_tool")).await.unwrap();
        assert!(started.elapsed() >= WRITTEN && !is_written(), "{:?}", started.elapsed());
        drop(lets_go);
        holder.join().unwrap();
        // Changes are made one after the other.
        hub.set_timeout("s", Duration::from_secs(7)).await.unwrap();
        assert!(is_written());
        hub.close().await;
    }
}
