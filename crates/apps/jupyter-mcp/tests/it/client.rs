//! A client of the program, in its own environment.

use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agentwire_testkit::eventually;
use rmcp::model::{CallToolRequestParams, CallToolResult, ClientRequest, ProgressNotificationParam, Request};
use rmcp::service::{NotificationContext, PeerRequestOptions, RequestHandle, RoleClient, RunningService};
use rmcp::transport::TokioChildProcess;
use rmcp::{ClientHandler, ServiceExt as _, object};
use tempfile::TempDir;
use tokio::process::Command;

/// Returns the program with the kernels in these folders and a minimal environment.
pub(crate) fn program(jupyter_path: &[&Path], arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agentwire-jupyter-mcp"));
    command.args(arguments).env("JUPYTER_PATH", std::env::join_paths(jupyter_path).unwrap());
    command
}

/// Creates a kernel's specification in a folder of its own.
pub(crate) fn installed(name: &str, spec: &str) -> TempDir {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().join("kernels").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("kernel.json"), spec).unwrap();
    data
}

/// The received progress notifications.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProgressLog(pub(crate) Arc<Mutex<Vec<ProgressNotificationParam>>>);

impl ClientHandler for ProgressLog {
    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.0.lock().unwrap().push(progress);
    }
}

/// A client of a running server.
pub(crate) struct Client {
    pub(crate) service: RunningService<RoleClient, ProgressLog>,
    pub(crate) progress: ProgressLog,
    pub(crate) server: u32,
}

/// The result of a call, by kind.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) text: String,
    /// Pairs of type and base64.
    pub(crate) images: Vec<(String, String)>,
    pub(crate) is_error: bool,
}

impl Client {
    pub(crate) async fn start(mut command: Command) -> Self {
        command.stderr(Stdio::null());
        let transport = TokioChildProcess::new(command).unwrap();
        let server = transport.id().unwrap();
        let progress = ProgressLog::default();
        Self { service: progress.clone().serve(transport).await.unwrap(), progress, server }
    }

    /// Runs code with the server's default limit.
    pub(crate) async fn run(&self, code: &str) -> Answer {
        self.call("execute_code", object!({ "code": code })).await
    }

    /// Runs code that must succeed, and returns its text.
    pub(crate) async fn text(&self, code: &str) -> String {
        let answer = self.run(code).await;
        assert!(!answer.is_error, "{}", answer.text);
        answer.text
    }

    /// Runs code with a time limit in seconds.
    pub(crate) async fn within(&self, seconds: f64, code: &str) -> Answer {
        self.call("execute_code", object!({ "code": code, "timeout": seconds })).await
    }

    pub(crate) async fn call(&self, tool: &'static str, arguments: rmcp::model::JsonObject) -> Answer {
        let call = CallToolRequestParams::new(tool).with_arguments(arguments);
        Answer::of(tokio::time::timeout(LIMIT, self.service.call_tool(call)).await.unwrap().unwrap())
    }

    pub(crate) async fn tool(&self, tool: &'static str) -> Answer {
        self.call(tool, object!({})).await
    }

    /// Sends a call without waiting for it.
    pub(crate) async fn begin(&self, code: &str) -> RequestHandle<RoleClient> {
        let call = CallToolRequestParams::new("execute_code").with_arguments(object!({ "code": code }));
        let request = ClientRequest::CallToolRequest(Request::new(call));
        self.service.send_cancellable_request(request, PeerRequestOptions::no_options()).await.unwrap()
    }

    /// Sends calls, and waits until this many are queued.
    pub(crate) async fn begin_all(
        &self,
        codes: impl IntoIterator<Item = String>,
        wait: usize,
    ) -> Vec<RequestHandle<RoleClient>> {
        let mut handles = Vec::new();
        for code in codes {
            handles.push(self.begin(&code).await);
        }
        let line = format!("Calls waiting: {wait}\n");
        let all = async { while !self.tool("get_kernel_info").await.text.contains(&line) {} };
        tokio::time::timeout(LIMIT, all).await.unwrap();
        handles
    }

    /// Waits for a notification that contains this text.
    pub(crate) async fn wait_for_progress(&self, text: &str) {
        let has_arrived = || {
            let received = self.progress.0.lock().unwrap();
            received
                .iter()
                .any(|progress| progress.message.as_deref().is_some_and(|message| message.contains(text)))
        };
        eventually(has_arrived).await;
    }

    /// Closes the input, and waits until the server exits.
    pub(crate) async fn close(self) {
        self.service.cancel().await.unwrap();
    }
}

impl Answer {
    pub(crate) fn of(result: CallToolResult) -> Self {
        let texts: Vec<_> = result
            .content
            .iter()
            .filter_map(|block| block.as_text())
            .map(|text| text.text.as_str())
            .collect();
        let images = result.content.iter().filter_map(|block| block.as_image());
        let images = images.map(|image| (image.mime_type.clone(), image.data.clone())).collect();
        Self { text: texts.join("\n"), images, is_error: result.is_error == Some(true) }
    }
}

/// Waits for the result of a call.
pub(crate) async fn answer(handle: RequestHandle<RoleClient>) -> Answer {
    let response = tokio::time::timeout(LIMIT, handle.await_response()).await.unwrap().unwrap();
    match response {
        rmcp::model::ServerResult::CallToolResult(result) => Answer::of(result),
        other => panic!("{other:?}"),
    }
}

/// Returns whether a process exists and is not a zombie.
pub(crate) fn lives(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['Z', 'X']))
}

/// Allows for a busy machine.
const LIMIT: Duration = Duration::from_secs(60);
