//! The transports over HTTP, with failing servers.
#![cfg(feature = "http")]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what the tests share is test code too"
)]

mod http;
mod sse;
mod tls;
mod web;

use std::{sync::Arc, time::Duration};

use axum::{
    http::header,
    response::{IntoResponse as _, Response},
};
use rmcp::{
    ClientHandler, RoleClient,
    model::{CallToolRequestParams, CallToolResult},
    service::{ClientInitializeError, NotificationContext, Peer, RunningService, ServiceError, serve_client},
};
use serde_json::json;
use tokio::sync::mpsc;

use agentwire_hub_transport::{
    http::{RefusedMessage, refusal},
    link::{DisconnectReason, Link},
    stdio::is_unreadable,
    web::Web,
};
use web::status;

/// A client that forwards notifications.
#[derive(Clone)]
struct Listener(mpsc::UnboundedSender<&'static str>);

impl ClientHandler for Listener {
    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        let _ = self.0.send("tools");
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        let _ = self.0.send("resources");
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        let _ = self.0.send("prompts");
    }
}

/// An open connection.
struct Connected {
    service: RunningService<RoleClient, Listener>,
    link: Arc<Link>,
    notifications: mpsc::UnboundedReceiver<&'static str>,
}

impl Connected {
    async fn echo(&self, text: &str) -> Result<CallToolResult, ServiceError> {
        echo(self.service.peer(), text).await
    }

    /// Lists the names of the tools.
    async fn tools(&self) -> Vec<String> {
        let tools = self.service.peer().list_tools(None).await.unwrap();
        tools.tools.into_iter().map(|tool| tool.name.into_owned()).collect()
    }

    async fn next_notification(&mut self) -> &'static str {
        within(self.notifications.recv()).await.unwrap()
    }

    /// Waits for the end of the connection and returns the reason.
    async fn ended(self) -> DisconnectReason {
        within(self.service.waiting()).await.unwrap();
        self.link.ended().unwrap()
    }
}

async fn echo(peer: &Peer<RoleClient>, text: &str) -> Result<CallToolResult, ServiceError> {
    let arguments = json!({"text": text}).as_object().cloned().unwrap();
    within(peer.call_tool(CallToolRequestParams::new("echo").with_arguments(arguments))).await
}

/// Returns the server's challenge to a call that it has not authorized.
fn unauthorized(error: ServiceError) -> String {
    let ServiceError::TransportSend(error) = error else { panic!("{error}") };
    let Some(RefusedMessage::Unauthorized(why)) = refusal(&*error.error) else { panic!("{error}") };
    why
}

fn text(result: CallToolResult) -> String {
    result.content[0].as_text().unwrap().text.clone()
}

/// Returns the client for a URL.
fn web(url: &str, headers: &[(&str, &str)]) -> Web {
    let headers: Vec<_> =
        headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Web::new(url, &headers, None).unwrap_or_else(|error| panic!("{error}"))
}

/// Connects over streamable HTTP.
async fn over_http(web: Web) -> Result<Connected, (DisconnectReason, ClientInitializeError)> {
    let (sender, notifications) = mpsc::unbounded_channel();
    let (transport, link) = agentwire_hub_transport::http::connect(web);
    match within(serve_client(Listener(sender), transport)).await {
        Ok(service) => Ok(Connected { service, link, notifications }),
        Err(error) => Err((link.unopened().unwrap(), error)),
    }
}

/// Connects over the older transport.
async fn over_sse(web: Web) -> Result<Connected, DisconnectReason> {
    let (sender, notifications) = mpsc::unbounded_channel();
    let (transport, link) = within(agentwire_hub_transport::sse::connect(web)).await?;
    match within(serve_client(Listener(sender), transport)).await {
        Ok(service) => Ok(Connected { service, link, notifications }),
        Err(_) => Err(link.unopened().unwrap()),
    }
}

fn challenge(code: u16, challenge: &'static str) -> Response {
    ([(header::WWW_AUTHENTICATE, challenge)], status(code)).into_response()
}

fn lost(why: &DisconnectReason) -> &str {
    match why {
        DisconnectReason::Lost(why) => why,
        other => panic!("{other:?}"),
    }
}

async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), future).await.expect("it takes too long")
}
