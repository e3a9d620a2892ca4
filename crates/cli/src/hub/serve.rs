//! `agentwire hub serve`: all servers as one MCP server, over stdio or HTTP.

use std::env;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use agentwire_hub::rmcp::service::ServerInitializeError;
use agentwire_hub::rmcp::transport::{
    StreamableHttpServerConfig, StreamableHttpService, stdio,
    streamable_http_server::session::local::LocalSessionManager,
};
use agentwire_hub::{Approval, Gateway, Hub};
use axum::Router;
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use serde_json::json;

use super::Servers;
use super::servers::report;
use crate::failure::Failure;
use crate::signals::Signals;
use crate::{loopback, output};

/// Serve all servers as one MCP server, over stdio or HTTP
///
/// Tools are named SERVER__TOOL. Tools that `alwaysAllow` of the configuration does not contain are denied, and so are
/// reads of resources.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Serve over HTTP on this address, and not over stdio
    ///
    /// Requests need the printed token. The variable AGENTWIRE_HUB_TOKEN sets it. Clients must name the server by its IP
    /// address or as localhost: another host name gets status 403.
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, require_equals = true, default_missing_value = "127.0.0.1:0")]
    http: Option<SocketAddr>,
    /// Allow all tools and resources, for a client that asks its user itself
    #[arg(long)]
    allow: bool,
    #[command(flatten)]
    servers: Servers,
}

/// Serves until the client or a signal ends the program.
pub(super) async fn run(args: &Args, as_json: bool) -> Result<(), Failure> {
    let approval = if args.allow { Approval::allowed() } else { Approval::denied() };
    let mut signals = Signals::new()?;
    let hub = args.servers.start(approval)?;
    let serving = async {
        match args.http {
            Some(address) => over_http(&hub, address, as_json).await,
            None => tokio::select! {
                served = over_stdio(&hub) => served,
                _ = signals.next() => Ok(()),
            },
        }
    };
    let served = tokio::select! {
        served = serving => served,
        never = report(&hub) => match never {},
    };
    hub.close().await;
    served
}

async fn over_stdio(hub: &Hub) -> Result<(), Failure> {
    let serving = Gateway::new(hub).pass_logs().serve(stdio()).await.map_err(unserved)?;
    serving.waiting().await?;
    Ok(())
}

/// Explains a missing client, for users that start the program by hand.
fn unserved(error: ServerInitializeError) -> Failure {
    match error {
        ServerInitializeError::ConnectionClosed(_) => Failure::new(
            "the input ended before the handshake: an MCP client has to be at the other end; see --help",
        ),
        other => other.into(),
    }
}

async fn over_http(hub: &Hub, address: SocketAddr, as_json: bool) -> Result<(), Failure> {
    let token = env::var(TOKEN).ok().filter(|token| !token.is_empty()).unwrap_or_else(loopback::token);
    let gateway = Gateway::new(hub).pass_logs();
    // `loopback` checks Host and Origin.
    let config = StreamableHttpServerConfig::default().disable_allowed_hosts();
    let mut sessions = LocalSessionManager::default();
    // Open streams and calls in flight do not count as activity.
    sessions.session_config.keep_alive = Some(IDLE_LIMIT);
    let service = StreamableHttpService::new(move || Ok(gateway.clone()), Arc::new(sessions), config);
    let expected: Arc<str> = format!("Bearer {token}").into();
    let app = Router::new()
        .route_service("/mcp", service)
        .layer(from_fn(move |request: Request, next: Next| require(Arc::clone(&expected), request, next)));
    loopback::serve(address, app, |address| {
        let url = format!("http://{address}/mcp");
        if as_json {
            return output::json(&json!({"url": url, "token": token}));
        }
        output::line(format_args!("{url}\nAuthorization: Bearer {token}"))
    })
    .await
}

async fn require(expected: Arc<str>, request: Request, next: Next) -> Response {
    let given = request.headers().get(header::AUTHORIZATION);
    if given.is_some_and(|given| is_same(given.as_bytes(), expected.as_bytes())) {
        next.run(request).await
    } else {
        (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")], "the token is missing or wrong\n")
            .into_response()
    }
}

/// Compares in a time that does not depend on where the two differ.
fn is_same(given: &[u8], expected: &[u8]) -> bool {
    let differing = given.iter().zip(expected).fold(0, |all, (a, b)| all | (a ^ b));
    given.len() == expected.len() && differing == 0
}

const TOKEN: &str = "AGENTWIRE_HUB_TOKEN";
/// How long a session without a message is kept.
const IDLE_LIMIT: Duration = Duration::from_secs(24 * 3600);
