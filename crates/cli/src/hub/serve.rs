//! `agentwire hub serve`: all servers as one MCP server, over stdio or HTTP.

use std::env;
use std::future::ready;
use std::net::SocketAddr;
use std::sync::Arc;

use agentwire_hub::rmcp::service::ServerInitializeError;
use agentwire_hub::rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use agentwire_hub::{Approval, CallLimits, Gateway, Hub};
use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use futures_util::TryStreamExt as _;
use serde_json::json;
use tokio::io::stdout;

use super::notes::{NoteWriter, Notes};
use super::servers::report;
use super::sessions::{Sessions, held};
use super::{Servers, input};
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
    #[arg(long, value_name = "IP:PORT", num_args = 0..=1, require_equals = true, default_missing_value = "127.0.0.1:0")]
    http: Option<SocketAddr>,
    /// Allow all tools and resources, for a client that asks its user itself
    #[arg(long)]
    allow: bool,
    #[command(flatten)]
    servers: Servers,
}

/// Serves until the client or a signal ends the program.
pub(super) async fn run(args: &Args, as_json: bool) -> Result<(), Failure> {
    let writer = NoteWriter::start();
    let notes = writer.notes();
    let served = serve(args, as_json, &notes).await;
    let served = served.map_err(|failure| output::report(failure, |line| notes.add(line)));
    writer.end().await;
    served
}

async fn serve(args: &Args, as_json: bool, notes: &Notes) -> Result<(), Failure> {
    let approval = if args.allow { Approval::allowed() } else { Approval::denied() };
    let mut signals = Signals::new()?;
    let limits = match args.http {
        Some(_) => CallLimits { text: HTTP_TEXT, ..CallLimits::default() },
        None => CallLimits { media: STDIO_MEDIA, ..CallLimits::default() },
    };
    let hub = args.servers.start_within(limits, approval, |line| notes.add(line))?;
    let serving = async {
        match args.http {
            Some(address) => over_http(&hub, address, as_json).await,
            None => tokio::select! {
                served = over_stdio(&hub, notes.clone()) => served,
                _ = signals.next() => Ok(()),
            },
        }
    };
    let served = tokio::select! {
        served = serving => served,
        never = report(&hub, |line| notes.add(line)) => match never {},
    };
    hub.close().await;
    served
}

async fn over_stdio(hub: &Hub, notes: Notes) -> Result<(), Failure> {
    let transport = (input::repaired(notes), stdout());
    let serving = Gateway::new(hub).pass_logs().serve(transport).await.map_err(unserved)?;
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
    // A header can't contain the line end with which files and secrets often end.
    let token = env::var(TOKEN).ok().map(|token| token.trim().to_owned());
    let token = token.filter(|token| !token.is_empty()).unwrap_or_else(loopback::token);
    let gateway = Gateway::new(hub).pass_logs();
    // `loopback` checks Host and Origin.
    let config = StreamableHttpServerConfig::default().disable_allowed_hosts();
    let config = config.with_max_request_body_bytes(input::LONGEST);
    let sessions = Arc::new(Sessions::new());
    let service =
        StreamableHttpService::new(move || Ok(gateway.clone()), Arc::clone(&sessions.manager), config);
    let used = Arc::clone(&sessions);
    let expected: Arc<str> = token.as_str().into();
    let app = Router::new()
        .route_service("/mcp", service)
        .layer(from_fn(move |request: Request, next: Next| suit_client(Arc::clone(&used), request, next)))
        .layer(from_fn(move |request: Request, next: Next| require(Arc::clone(&expected), request, next)));
    let serving = loopback::serve(address, app, |address| {
        let url = format!("http://{address}/mcp");
        if as_json {
            return output::json(&json!({"url": url, "token": token}));
        }
        output::line(format_args!("{url}\nAuthorization: Bearer {token}"))
    });
    tokio::select! {
        served = serving => served,
        never = sessions.end_unused() => match never {},
    }
}

async fn require(expected: Arc<str>, request: Request, next: Next) -> Response {
    let given = request.headers().get(header::AUTHORIZATION);
    if given.is_some_and(|given| is_bearer(given, &expected)) {
        next.run(request).await
    } else {
        (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")], "the token is missing or wrong\n")
            .into_response()
    }
}

/// Returns whether the header contains this token.
fn is_bearer(given: &HeaderValue, token: &str) -> bool {
    let given = given.as_bytes().split_at_checked(SCHEME.len());
    given.is_some_and(|(scheme, given)| {
        scheme.eq_ignore_ascii_case(SCHEME) && is_same(given, token.as_bytes())
    })
}

/// Resumes a stream after the event that the client names, and changes answers of `rmcp` that clients take for a failure.
/// The session is in use until the answer has ended.
async fn suit_client(sessions: Arc<Sessions>, mut request: Request, next: Next) -> Response {
    let open = sessions.enter(request.headers());
    // `rmcp` repeats the named event. If that is a question or a sampling request, the client would process it twice.
    if let Some(following) = request.headers().get(LAST_EVENT).and_then(following) {
        request.headers_mut().insert(LAST_EVENT, following);
    }
    let (is_delete, is_older) = (request.method() == Method::DELETE, is_older(request.headers()));
    let mut response = next.run(request).await;
    // The SDK for Python reports that the session was not terminated, unless the status is 200 or 204.
    if is_delete && response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    let is_stream = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == EVENT_STREAM);
    if !is_stream {
        return response;
    }
    let response = if is_older { response.map(without_empty_events) } else { response };
    response.map(|body| held(body, open))
}

/// Returns the id of the next event, for the stream of a request. The stream of the session has ids without a slash: there,
/// the first message has the id of the empty event before it, so a client with that id may not have the message.
fn following(id: &HeaderValue) -> Option<HeaderValue> {
    let (index, stream) = id.to_str().ok()?.split_once('/')?;
    let next = index.parse::<u64>().ok()?.checked_add(1)?;
    HeaderValue::try_from(format!("{next}/{stream}")).ok()
}

/// Returns whether the client uses a version of MCP without empty events, or names none, as for the handshake.
fn is_older(headers: &HeaderMap) -> bool {
    let version = headers.get("mcp-protocol-version").and_then(|version| version.to_str().ok());
    version.is_none_or(|version| version < EMPTY_EVENTS)
}

/// Removes the event without data that opens each stream: SDKs for older versions of MCP report it as invalid JSON.
fn without_empty_events(body: Body) -> Body {
    // `rmcp` sends each event as one chunk.
    Body::from_stream(body.into_data_stream().try_filter(|event| ready(!event.starts_with(b"data: \n"))))
}

/// Compares in a time that does not depend on where the two differ.
fn is_same(given: &[u8], expected: &[u8]) -> bool {
    let differing = given.iter().zip(expected).fold(0, |all, (a, b)| all | (a ^ b));
    given.len() == expected.len() && differing == 0
}

const TOKEN: &str = "AGENTWIRE_HUB_TOKEN";
/// The start of the header with the token. Its letter case does not matter.
const SCHEME: &[u8] = b"Bearer ";
const LAST_EVENT: &str = "last-event-id";
const EVENT_STREAM: &str = "text/event-stream";
/// The first version of MCP in which a stream starts with an event without data.
const EMPTY_EVENTS: &str = "2025-11-25";
/// The limit of a result's media over stdio, in bytes of base64: the SDK for TypeScript ends the connection at 10 MiB of
/// input, and a result has text too.
const STDIO_MEDIA: usize = 7 << 20;
/// The Python SDK refuses events above 1 MiB. Data is there twice: as text, in which quotes are escaped, and structured.
const HTTP_TEXT: usize = 320 << 10;
