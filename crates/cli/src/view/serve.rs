//! `agentwire view --serve`: the page over HTTP, which is loaded again when the session changes.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::get;
use serde_json::json;

use super::Source;
use crate::failure::Failure;
use crate::{loopback, output};

/// Serves the page until a signal ends the program.
///
/// Its path has a token, so that other users of this machine can't read the session.
pub(super) async fn serve(source: Source, address: SocketAddr, as_json: bool) -> Result<(), Failure> {
    // A session that can't be read is an error before the server starts.
    source.page()?;
    let (source, token) = (Arc::new(source), loopback::token());
    let route = |render: fn(&Source) -> Result<Response, Failure>| {
        let source = Arc::clone(&source);
        get(move || respond(Arc::clone(&source), render))
    };
    let app = Router::new()
        .route(&format!("/{token}/"), route(|source| Ok(Html(frame(&source.version()?)).into_response())))
        .route(&format!("/{token}/page"), route(|source| Ok(Html(source.page()?).into_response())))
        .route(&format!("/{token}/version"), route(|source| Ok(source.version()?.into_response())));
    loopback::serve(address, app, |address| {
        let url = format!("http://{address}/{token}/");
        if as_json { output::json(&json!({"url": url})) } else { output::line(url) }
    })
    .await
}

/// Reads the session on another thread.
async fn respond(source: Arc<Source>, render: fn(&Source) -> Result<Response, Failure>) -> Response {
    let rendered = tokio::task::spawn_blocking(move || render(&source)).await;
    let response = match rendered {
        Ok(Ok(response)) => response,
        Ok(Err(failure)) => (StatusCode::INTERNAL_SERVER_ERROR, failure.to_string()).into_response(),
        Err(_) => (StatusCode::INTERNAL_SERVER_ERROR, "the page can't be rendered").into_response(),
    };
    // The browser must not keep the session on the disk.
    ([(header::CACHE_CONTROL, "no-store")], response).into_response()
}

/// Returns a document around the page, which may run no script of ours: it loads the page again after a change.
fn frame(version: &str) -> String {
    FRAME.replace("VERSION", &json!(version).to_string())
}

const FRAME: &str = include_str!("frame.html");
