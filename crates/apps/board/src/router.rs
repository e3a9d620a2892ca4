//! The router of the page.

use std::sync::Arc;

use agentwire_eventlog::{EventLog, Events};
use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, Path, Request, State},
    http::{StatusCode, header},
    middleware::{self, Next},
    response::{Html, IntoResponse, Response},
    routing::{get, post},
};
use serde::Deserialize;

use crate::engine::{Engine, SessionState};

/// Returns the router of the page, of an engine and the log of its sessions.
///
/// It refuses requests with another header `Host` than `host`, such as `127.0.0.1:8080`; port 80 may be omitted.
///
/// | request | |
/// |---|---|
/// | `GET /` | the page |
/// | `GET /sessions` | an array of [`SessionState`] |
/// | `POST /prompts` | `{"session": NAME or null, "id": UUID, "text": TEXT}`, answered with the session's name |
/// | `POST /sessions/{session}/answers` | `{"question": ID, "allow": BOOL}`, answered with whether it was open |
/// | `GET /sessions/{session}/events` | the log; see [`Events`] |
pub fn router(engine: Arc<dyn Engine>, log: Arc<dyn EventLog>, host: impl Into<String>) -> Router {
    let host: Arc<str> = host.into().into();
    Router::new()
        .route("/", get(page))
        .route("/sessions", get(sessions))
        .route("/prompts", post(prompt))
        .route("/sessions/{session}/answers", post(answer))
        .with_state(engine)
        .merge(Events::new(log).router())
        .layer(DefaultBodyLimit::max(BODY))
        .layer(middleware::from_fn_with_state(host, only_for))
}

/// Refuses requests for other hosts: the script of another site reaches this server under a name of that site.
async fn only_for(State(host): State<Arc<str>>, request: Request, next: Next) -> Response {
    let own = without_default_port(host.as_bytes());
    let asked = request.headers().get(header::HOST).map(|asked| without_default_port(asked.as_bytes()));
    // Browsers send the host in lower case.
    if asked.is_some_and(|asked| asked.eq_ignore_ascii_case(own)) {
        return next.run(request).await;
    }
    (StatusCode::MISDIRECTED_REQUEST, format!("this server is http://{host}/")).into_response()
}

/// Returns the host without port 80, which browsers omit.
fn without_default_port(host: &[u8]) -> &[u8] {
    host.strip_suffix(b":80").unwrap_or(host)
}

async fn page() -> impl IntoResponse {
    let headers = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    (headers, Html(PAGE))
}

async fn sessions(State(engine): State<Arc<dyn Engine>>) -> Result<Json<Vec<SessionState>>, Failure> {
    engine.sessions().await.map(Json).map_err(failure)
}

#[derive(Deserialize)]
struct Prompt {
    session: Option<String>,
    id: String,
    text: String,
}

async fn prompt(
    State(engine): State<Arc<dyn Engine>>,
    Json(prompt): Json<Prompt>,
) -> Result<Json<String>, Failure> {
    let queued = engine.prompt(prompt.session.as_deref(), &prompt.id, &prompt.text).await;
    queued.map(Json).map_err(failure)
}

#[derive(Deserialize)]
struct Answer {
    question: String,
    allow: bool,
}

async fn answer(
    State(engine): State<Arc<dyn Engine>>,
    Path(session): Path<String>,
    Json(answer): Json<Answer>,
) -> Result<Json<bool>, Failure> {
    engine.answer(&session, &answer.question, answer.allow).await.map(Json).map_err(failure)
}

/// The response to an error of the engine.
type Failure = (StatusCode, String);

fn failure(error: String) -> Failure {
    (StatusCode::INTERNAL_SERVER_ERROR, error)
}

const PAGE: &str = include_str!("page.html");

/// Scripts can't write markup, and the page can't load anything from elsewhere.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
    connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'";

/// The largest body of a request, in bytes.
const BODY: usize = 1024 * 1024;
