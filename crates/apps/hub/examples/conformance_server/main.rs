//! A server for the official conformance suite of MCP (`@modelcontextprotocol/conformance`): a hub with one server, behind
//! a gateway over streamable HTTP. `cargo xtask mcp-conformance` runs it.
//!
//! `conformance_server COMMAND…` listens on a free port, runs the command with `--url URL` added, and exits as the command
//! does. The server of the hub is this program again (`conformance_server upstream`), over stdio.

#![expect(clippy::print_stderr, reason = "it is a program for a terminal")]

mod upstream;

use std::{error::Error, process::ExitCode, sync::Arc, time::Duration};

use agentwire_hub::{
    Approval, ClientHandlers, Gateway, Hub, Naming,
    config::{ServerConfig, Sources, Stdio},
};
use rmcp::transport::{
    StreamableHttpServerConfig, StreamableHttpService,
    streamable_http_server::session::local::LocalSessionManager,
};
use tokio::{net::TcpListener, process::Command};

type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<ExitCode, Failure> {
    let words: Vec<_> = std::env::args().skip(1).collect();
    match &*words {
        [role] if role == UPSTREAM => upstream::serve().await.map(|()| ExitCode::SUCCESS),
        [program, arguments @ ..] => serve(Command::new(program).args(arguments)).await,
        [] => {
            eprintln!("usage: conformance_server COMMAND…");
            Ok(ExitCode::from(2))
        }
    }
}

/// Serves the gateway while the command runs.
async fn serve(command: &mut Command) -> Result<ExitCode, Failure> {
    let hub = hub()?;
    hub.wait_until_ready(LIMIT).await;
    // One server: the suite calls its tools by their own names.
    let naming = Naming::default().without_prefix().without_server();
    let gateway = Gateway::new(&hub).naming(naming).pass_logs();
    // One value for all requests: without a handshake, a request may go on with what another one began.
    let service = StreamableHttpService::new(
        move || Ok(gateway.clone()),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    let app = axum::Router::new().route_service("/mcp", service);
    let status = tokio::select! {
        served = async { axum::serve(listener, app).await } => {
            served?;
            return Err("the server has ended".into());
        }
        status = command.arg("--url").arg(url).kill_on_drop(true).status() => status?,
    };
    hub.close().await;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns a hub that allows everything, and passes a server's requests to its clients.
fn hub() -> Result<Hub, Failure> {
    let mut program =
        Stdio::new(std::env::current_exe()?.to_str().ok_or("the path of this program is not text")?);
    program.args = vec![UPSTREAM.to_owned()];
    Ok(Hub::builder()
        .sources(Sources::new().server("suite", ServerConfig::new(program)))
        .approval(Approval::allowed())
        .handlers(ClientHandlers::new().ask_callers())
        .build())
}

const UPSTREAM: &str = "upstream";
const LIMIT: Duration = Duration::from_secs(20);
