//! Opens a connection: the transport, the handshake and the first lists.

#[cfg(feature = "http")]
use std::sync::Arc;
use std::{env, time::Duration};

#[cfg(feature = "http")]
use rmcp::service::ClientInitializeError;
use rmcp::{RoleClient, service::RunningService};
use tokio::time::{Instant, timeout};

use super::{Core, failure::Failure, slot::Slot, task::Setting};
#[cfg(feature = "http")]
use crate::transport::{
    http,
    link::Link,
    sse,
    web::{Tokens, Web},
};
use crate::{
    catalog::Catalog,
    client::Client,
    config::{Launch, Resolved, ServerConfig},
    transport::stdio::{self, Program},
};

/// A connection that has just been opened.
pub(super) struct Opened {
    pub(super) service: RunningService<RoleClient, Client>,
    pub(super) catalog: Catalog,
}

/// Opens a connection within a limit, and reads what the server offers in what is left of it.
///
/// What there is of the server is put into `slot` before anything can fail or wait.
pub(super) async fn open(
    core: &Core,
    config: &ServerConfig,
    resolved: Resolved,
    setting: &Setting,
    client: Client,
    slot: &mut Slot,
    limit: Duration,
) -> Result<Opened, Failure> {
    let start = Instant::now();
    let shaking = shake_hands(core, config, resolved, setting, client, slot);
    let service = timeout(limit, shaking).await.map_err(|_| Failure::Late(limit))??;
    let catalog = core.catalog().list(service.peer(), limit.saturating_sub(start.elapsed())).await;
    if catalog.is_late() {
        return Err(Failure::Late(limit));
    }
    // A server may let everybody shake hands, and refuse to say what it offers.
    #[cfg(feature = "http")]
    if let Some(challenge) = slot.link.as_ref().and_then(|link| link.challenge()) {
        return Err(Failure::NeedsAuthentication(Some(challenge)));
    }
    Ok(Opened { service, catalog })
}

async fn shake_hands(
    core: &Core,
    config: &ServerConfig,
    resolved: Resolved,
    setting: &Setting,
    client: Client,
    slot: &mut Slot,
) -> Result<RunningService<RoleClient, Client>, Failure> {
    Ok(match resolved {
        Resolved::Stdio { command, args, cwd, env } => {
            let cwd = match cwd.as_ref().or(setting.variables.workspace_folder()) {
                Some(folder) => folder.clone(),
                None => env::current_dir().map_err(Failure::Here)?,
            };
            let written = match &config.launch {
                Launch::Stdio(stdio) => stdio.command.as_str(),
                Launch::Http(_) | Launch::Sse(_) => "",
            };
            let program = Program { written, command: &command, args: &args, cwd: &cwd, env: &env };
            let (transport, child) = stdio::start(program, setting.grace, &core.record).await?;
            slot.child = Some(child);
            client.serve(transport).await?
        }
        #[cfg(feature = "http")]
        Resolved::Http { url, headers } => {
            let (transport, link) = http::connect(Web::new(&url, &headers, tokens(setting, &url)?)?);
            slot.link = Some(Arc::clone(&link));
            client.serve(transport).await.map_err(|error| unopened(&link, error))?
        }
        #[cfg(feature = "http")]
        Resolved::Sse { url, headers } => {
            let (transport, link) = sse::connect(Web::new(&url, &headers, tokens(setting, &url)?)?).await?;
            slot.link = Some(Arc::clone(&link));
            client.serve(transport).await.map_err(|error| unopened(&link, error))?
        }
        #[cfg(not(feature = "http"))]
        Resolved::Http { .. } | Resolved::Sse { .. } => {
            return Err(Failure::Unsupported("servers over HTTP need the feature `http`"));
        }
    })
}

/// The tokens for the server at an address.
#[cfg(feature = "auth")]
fn tokens(setting: &Setting, url: &str) -> Result<Option<Arc<dyn Tokens>>, Failure> {
    Ok(Some(setting.book.access(url)?))
}

#[cfg(all(feature = "http", not(feature = "auth")))]
fn tokens(_: &Setting, _: &str) -> Result<Option<Arc<dyn Tokens>>, Failure> {
    Ok(None)
}

/// Why a handshake failed: what the transport knows says more than that it failed.
#[cfg(feature = "http")]
fn unopened(link: &Link, error: ClientInitializeError) -> Failure {
    match link.unopened() {
        Some(why) => why.into(),
        None => error.into(),
    }
}
