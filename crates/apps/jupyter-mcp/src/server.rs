//! The MCP server: four tools around one kernel.

mod progress;
mod texts;

use std::sync::Arc;
use std::time::Duration;

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, Implementation, ServerCapabilities, ServerConfig};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler, schemars, tool, tool_handler, tool_router};
use serde::Deserialize;
use tokio::sync::mpsc;

use self::progress::Progress;
use crate::options::JupyterOptions;
use crate::worker::{Handle, State};

/// An MCP server that runs code in one Jupyter kernel, which keeps its state between calls.
///
/// It is an [`rmcp::ServerHandler`], for stdio, HTTP or the same process.
/// Clones share the kernel, which starts with the first call, and ends with the last clone or with
/// [`close`](Self::close).
/// Calls of `execute_code` run one at a time, and at most sixteen are queued; the order of concurrent calls is not
/// defined.
/// Code is interrupted when its call is cancelled or dropped, or exceeds its time limit; if it continues, the kernel is
/// killed.
#[derive(Clone, Debug)]
pub struct JupyterServer {
    options: Arc<JupyterOptions>,
    handle: Arc<Handle>,
}

/// The input of `execute_code`.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Code {
    /// The code to run, in the kernel's language.
    code: String,
    /// The most seconds that it may run before it is interrupted.
    #[serde(default)]
    #[schemars(range(min = 0.1))]
    timeout: Option<f64>,
}

#[tool_router]
impl JupyterServer {
    /// Creates a server; the kernel is started later.
    ///
    /// Must be called in a tokio runtime, where the task that owns the kernel runs.
    pub fn new(mut options: JupyterOptions) -> Self {
        options.time_limit = options.time_limit.min(options.longest_time);
        let options = Arc::new(options);
        Self { handle: Arc::new(Handle::new(Arc::clone(&options))), options }
    }

    /// Kills the kernel, and waits until its process group has exited.
    ///
    /// A running call fails; later calls are refused.
    /// It takes at most five seconds, and may be called again.
    pub async fn close(&self) {
        self.handle.close().await;
    }

    #[tool(
        description = "Runs code in a Jupyter kernel and gives back what it prints, shows and returns, with tables and \
                       images. Variables, imports and functions are kept for later calls. Code can't ask for input.",
        annotations(title = "Run code", destructive_hint = true, open_world_hint = true)
    )]
    async fn execute_code(
        &self,
        Parameters(input): Parameters<Code>,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, String> {
        let limit = self.limit(input.timeout)?;
        let (printed, reader) = mpsc::channel(PRINTED);
        let outcome = self.handle.execute(input.code, limit, context.ct.clone(), printed)?;
        let outcome = Progress::new(&context).follow(outcome, reader).await;
        outcome.ok_or_else(|| "the call was cancelled, or the server is being ended".to_owned())
    }

    #[tool(
        description = "Returns the kernel that runs code, its language and version, whether it is busy, and which kernels are installed.",
        annotations(title = "About the kernel")
    )]
    async fn get_kernel_info(&self) -> Result<String, String> {
        // Otherwise the start would wait behind queued calls, or behind a start that has begun.
        if self.handle.status().state == State::NotStarted && self.handle.waiting() == 0 {
            self.handle.start().await?;
        }
        Ok(self.info())
    }

    #[tool(
        description = "Interrupts the code that runs, as Ctrl-C does. Variables are kept.",
        annotations(title = "Interrupt the kernel", idempotent_hint = true)
    )]
    async fn interrupt_kernel(&self) -> String {
        let interrupted = self.handle.interrupt().await;
        let done = "The running code was interrupted. If it goes on all the same, restart_kernel ends it.";
        if interrupted { done } else { "Nothing runs in the kernel." }.to_owned()
    }

    #[tool(
        description = "Ends the kernel, with whatever runs in it, and starts a new one. All variables are lost.",
        annotations(title = "Restart the kernel", destructive_hint = true)
    )]
    async fn restart_kernel(&self) -> Result<String, String> {
        self.handle.restart().await?;
        Ok(format!("A new kernel runs.\n{}", self.info()))
    }

    fn info(&self) -> String {
        texts::info(&self.options, &self.handle.status(), self.handle.waiting())
    }

    fn limit(&self, asked: Option<f64>) -> Result<Duration, String> {
        let Some(seconds) = asked else { return Ok(self.options.time_limit) };
        let limit = Duration::try_from_secs_f64(seconds).ok().filter(|limit| !limit.is_zero());
        let longest = self.options.longest_time;
        limit.filter(|limit| *limit <= longest).ok_or_else(|| {
            format!(
                "the timeout is {seconds} seconds: give more than 0 and at most {}",
                longest.as_secs_f64()
            )
        })
    }
}

#[tool_handler]
impl ServerHandler for JupyterServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")))
            .with_instructions(format!("Runs code in the Jupyter kernel `{}`.", self.options.kernel))
    }
}

/// How many pieces of printed output are queued for the client.
const PRINTED: usize = 64;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::JupyterServer;
    use crate::JupyterOptions;

    #[tokio::test]
    async fn the_default_limit_is_at_most_the_maximum() {
        let options = JupyterOptions { longest_time: Duration::from_secs(10), ..JupyterOptions::default() };
        let server = JupyterServer::new(options);
        assert_eq!(server.limit(None), Ok(Duration::from_secs(10)));
    }
}
