//! Opens a connection: the transport, the handshake and the first lists.

#[cfg(feature = "http")]
use std::sync::Arc;
use std::{path::Path, time::Duration};

use rmcp::{
    RoleClient,
    service::{ClientInitializeError, RunningService},
};
use tokio::time::{Instant, timeout};

use super::{Core, failure::Failure, slot::Slot, task::Setting};
#[cfg(feature = "http")]
use crate::transport::{
    http,
    link::{DisconnectReason, Link},
    sse,
    web::{AccessTokens, Web},
};
use crate::{
    catalog::Catalog,
    client::{Client, Lifecycle},
    config::{Launch, Resolved, ServerConfig},
    transport::stdio::{self, Program},
};

/// A new connection with its first lists.
pub(super) struct Opened {
    pub(super) service: RunningService<RoleClient, Client>,
    pub(super) catalog: Catalog,
    /// The start of the reading of the lists.
    pub(super) listed: Instant,
}

/// Opens a connection and reads the server's lists, within the configured limit.
///
/// The process and the transport's state are put into `slot` before any wait or failure.
/// `lifecycle` contains how the last connection was opened, and afterwards how this one was opened.
pub(super) async fn open(
    core: &Core,
    config: &ServerConfig,
    resolved: Resolved,
    setting: &Setting,
    client: Client,
    slot: &mut Slot,
    lifecycle: &mut Lifecycle,
) -> Result<Opened, Failure> {
    let (start, limit) = (Instant::now(), config.startup_timeout);
    let attempts = async {
        match connect(core, config, &resolved, setting, client.clone(), *lifecycle, slot).await {
            Err(failure) => match other(*lifecycle, &failure, &client, slot) {
                Some(other) => {
                    tracing::debug!(server = %core.name, %failure, "tried again as {other:?}");
                    slot.end().await;
                    connect(core, config, &resolved, setting, client.renewed(), other, slot).await
                }
                None => Err(failure),
            },
            opened => opened,
        }
    };
    let service = timeout(limit, attempts).await.map_err(|_| Failure::Late(limit))??;
    let is_stateless = service.peer().peer_info().is_some_and(|info| !info.protocol_version.has_initialize());
    *lifecycle = if is_stateless { Lifecycle::Discover } else { Lifecycle::Initialize };
    let listed = Instant::now();
    let catalog = core.catalog().list(service.peer(), limit.saturating_sub(start.elapsed())).await;
    if catalog.is_late() {
        return Err(Failure::Late(limit));
    }
    // A server may accept a handshake without authorization and refuse its lists.
    #[cfg(feature = "http")]
    if let Some(challenge) = slot.link.as_ref().and_then(|link| link.challenge()) {
        return Err(DisconnectReason::Unauthorized { challenge: Some(challenge) }.into());
    }
    // A program that ends before its lists are read has not started. Over HTTP, the task reports the end with its reason.
    let has_ended = slot.child.is_some() && service.service().inbound.end.is_cancelled();
    if has_ended && catalog.problems().next().is_some() {
        return Err(Failure::Lost);
    }
    Ok(Opened { service, catalog, listed })
}

/// Connects to a server once.
async fn connect(
    core: &Core,
    config: &ServerConfig,
    resolved: &Resolved,
    setting: &Setting,
    client: Client,
    lifecycle: Lifecycle,
    slot: &mut Slot,
) -> Result<RunningService<RoleClient, Client>, Failure> {
    let patience = PROBE.min(config.startup_timeout / 4);
    Ok(match resolved {
        Resolved::Stdio { command, args, cwd, env } => {
            let cwd = cwd.as_deref().unwrap_or(Path::new("."));
            let written = match &config.launch {
                Launch::Stdio(stdio) => stdio.command.as_str(),
                Launch::Http(_) | Launch::Sse(_) => "",
            };
            let program = Program { written, command, args, cwd, env };
            let (transport, child) = stdio::start(program, setting.grace, &core.record).await?;
            slot.child = Some(child);
            client.serve(transport, lifecycle, patience).await?
        }
        #[cfg(feature = "http")]
        Resolved::Http { url, headers } => {
            let (transport, link) = http::connect(Web::new(url, headers, tokens(setting, url, slot)?)?);
            slot.link = Some(Arc::clone(&link));
            let serving = client.serve(transport, lifecycle, patience);
            serving.await.map_err(|error| unopened(&link, error))?
        }
        #[cfg(feature = "http")]
        Resolved::Sse { url, headers } => {
            let (transport, link) =
                sse::connect(Web::new(url, headers, tokens(setting, url, slot)?)?).await?;
            slot.link = Some(Arc::clone(&link));
            // Versions without a handshake do not have this transport.
            let serving = client.serve(transport, Lifecycle::Initialize, patience);
            serving.await.map_err(|error| unopened(&link, error))?
        }
        #[cfg(not(feature = "http"))]
        Resolved::Http { .. } | Resolved::Sse { .. } => {
            return Err(Failure::Unresolved("servers over HTTP need the feature `http`".to_owned()));
        }
    })
}

/// Returns another way to open the connection after a failure, if it may succeed.
///
/// Some servers exit or fail if the first request is not `initialize`.
#[cfg_attr(not(feature = "http"), expect(unused_variables, reason = "only servers over HTTP have a link"))]
fn other(lifecycle: Lifecycle, failure: &Failure, client: &Client, slot: &Slot) -> Option<Lifecycle> {
    match (lifecycle, failure) {
        (Lifecycle::Probe, Failure::Handshake(_)) if client.is_late() => Some(Lifecycle::Discover),
        (Lifecycle::Probe, Failure::Handshake(_)) => Some(Lifecycle::Initialize),
        #[cfg(feature = "http")]
        (Lifecycle::Probe, Failure::Web(DisconnectReason::Lost(_)))
            if slot.link.as_ref().is_some_and(|link| link.ended().is_none()) =>
        {
            Some(Lifecycle::Initialize)
        }
        // The server no longer supports its earlier version.
        (Lifecycle::Discover | Lifecycle::Initialize, Failure::Handshake(error))
            if !matches!(**error, ClientInitializeError::ConnectionClosed(_)) =>
        {
            Some(Lifecycle::Probe)
        }
        _ => None,
    }
}

/// How long a server has to answer `server/discover` before the handshake is tried.
const PROBE: Duration = Duration::from_secs(5);

/// Returns the tokens for the server at a URL, and puts them into `slot`.
#[cfg(feature = "auth")]
fn tokens(setting: &Setting, url: &str, slot: &mut Slot) -> Result<Option<AccessTokens>, Failure> {
    slot.tokens = Some(setting.book.access(url, &slot.record)?);
    Ok(slot.tokens.clone())
}

#[cfg(all(feature = "http", not(feature = "auth")))]
fn tokens(_: &Setting, _: &str, _: &mut Slot) -> Result<Option<AccessTokens>, Failure> {
    Ok(None)
}

/// Returns why a handshake failed. The transport knows more than the handshake's error.
#[cfg(feature = "http")]
fn unopened(link: &Link, error: ClientInitializeError) -> Failure {
    match link.unopened() {
        Some(why) => why.into(),
        None => error.into(),
    }
}
