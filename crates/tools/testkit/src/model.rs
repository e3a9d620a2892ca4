//! A Messages API on loopback that answers from a script, so that the real CLI runs without an account or a network.
//!
//! The CLI finds it through its environment: `ANTHROPIC_BASE_URL` set to [`ScriptedModel::base_url`], and any dummy
//! `ANTHROPIC_API_KEY`.
//!
//! ```
//! use agentwire_testkit::{ScriptedModel, Script};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let script = Script::from_json(
//!     r#"{"replies": [{"blocks": [{"text": "one half, other half"}], "hold": "mid"}]}"#,
//! )?;
//! let model = ScriptedModel::start(script).await?;
//! assert!(model.base_url().starts_with("http://127.0.0.1:"));
//! // Start the CLI here, wait with `model.held("mid").await?`, interrupt it, and let the rest of the reply go:
//! model.release("mid")?;
//! assert_eq!(model.unused(), 1);
//! # Ok(())
//! # }
//! ```
//!
//! Bodies of requests contain the vendor's text and are not stored; [`RequestFact`] has the facts of each request.

mod environment;
mod error;
mod gates;
mod message;
mod progress;
mod request;
pub mod script;
mod server;
mod sse;

use std::{sync::Arc, thread};

use tokio::sync::oneshot;

// Shared with the workspace's live tests, and no part of the API.
#[doc(hidden)]
pub use environment::environment;
pub use error::ModelError;
pub use request::{Answer, RequestFact};
use script::Script;
use server::Shared;

/// A scripted Messages API that is being served.
///
/// It runs on a thread and a runtime of its own, so neither a busy nor a paused runtime of the caller holds it up.
/// Dropping it breaks all its connections, closes the port and ends the thread; that is almost immediate, and
/// the drop waits for it.
#[derive(Debug)]
pub struct ScriptedModel {
    base_url: Box<str>,
    shared: Arc<Shared>,
    /// Dropping it stops the thread.
    stop: Option<oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl ScriptedModel {
    /// Serves the script on a free port of 127.0.0.1; when this returns, it accepts connections.
    ///
    /// # Errors
    ///
    /// [`ModelError::Script`] when the script holds something that cannot be answered, [`ModelError::Start`] when the
    /// port cannot be bound or the thread not started.
    pub async fn start(script: Script) -> Result<Self, ModelError> {
        script.check()?;
        let shared = Arc::new(Shared::new(script));
        let (stop, stopped) = oneshot::channel();
        let (report, started) = oneshot::channel();
        let for_thread = Arc::clone(&shared);
        let thread = thread::Builder::new()
            .name("scripted-model".to_owned())
            .spawn(move || server::run(for_thread, report, stopped))?;
        // A thread that ends without a report has panicked, so the cause is unknown.
        let address = started.await.map_err(|_| ModelError::Ended)??;
        let base_url = format!("http://{address}").into();
        Ok(Self { base_url, shared, stop: Some(stop), thread: Some(thread) })
    }

    /// Returns the value for `ANTHROPIC_BASE_URL`: `http://127.0.0.1:PORT`, without a slash at the end.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Opens a gate for good: a reply that waits there continues, and later replies do not wait.
    ///
    /// # Errors
    ///
    /// [`ModelError::NoSuchGate`] when the script names no such gate.
    pub fn release(&self, gate: &str) -> Result<(), ModelError> {
        self.shared.gates.release(gate)
    }

    /// Waits until a reply has reached this gate, now or earlier.
    ///
    /// Events before the gate were passed to the connection by then.
    /// Has no time limit: also wait for the end of the CLI, or wrap it in `tokio::time::timeout`.
    /// Cancel-safe; any number of futures may wait at once.
    ///
    /// # Errors
    ///
    /// [`ModelError::NoSuchGate`] when the script names no such gate.
    pub async fn held(&self, gate: &str) -> Result<(), ModelError> {
        self.shared.gates.held(gate).await
    }

    /// Returns the facts of the first 10,000 requests, in the order of arrival.
    pub fn requests(&self) -> Vec<RequestFact> {
        self.shared.progress().facts.clone()
    }

    /// Returns the number of received requests of any kind.
    pub fn request_count(&self) -> usize {
        self.shared.progress().requests
    }

    /// Returns the number of replies that were not sent yet, including repetitions.
    pub fn unused(&self) -> usize {
        self.shared.progress().unused(&self.shared.script)
    }

    /// Returns the number of requests that found no reply left.
    pub fn exhausted(&self) -> usize {
        self.shared.progress().exhausted
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // The client sees a panic of that thread as a broken connection; `drop` cannot report it.
            drop(thread.join());
        }
    }
}
