//! All servers as one MCP server.
#![expect(deprecated, reason = "roots and logging are deprecated in MCP, and servers still use them")]

mod errors;
mod full_tools;
mod handler;
mod lists;
mod log_level;
mod outcome;
mod rounds;
mod run;
mod subscribed;
mod watch;

use std::{
    fmt,
    future::ready,
    sync::{Arc, Mutex, OnceLock},
    time::Duration,
};

use futures_util::future::join_all;
use rmcp::{
    ErrorData, Peer, RoleServer,
    model::{ClientResult, LoggingLevel, PaginatedRequestParams, ServerRequest},
    service::RequestContext,
};
use serde::Serialize;
use tokio::time::{Instant, timeout};
use tokio_util::task::AbortOnDropHandle;

use crate::{
    Hub, Naming, Offers,
    client::{Caller, Stale, ask},
    llm::quoted,
    lock::locked,
};
use log_level::LogForwarder;
use rounds::Waiting;
use subscribed::Subscribed;
use watch::{Changes, Recipient, watch};

/// All servers of a hub as one MCP server: an [`rmcp::ServerHandler`], for any transport of `rmcp`.
///
/// - Tools and prompts have unique names ([`Naming`]). The default is `server__tool`, because the client adds a prefix of its
///   own. Resources and templates keep their URIs if no other server lists them, connected or not, and are
///   `mcp-hub:SERVER/URI` or `ui://mcp-hub/SERVER/URI` otherwise; the same applies to links in results and to the views of
///   tools (MCP Apps).
/// - Calls go through [`Hub::call`], with the hub's approval and limits. A refusal of the hub is a result that the model can
///   read (`isError`). An error of the server is forwarded with its code, message and data.
/// - Reading a resource needs approval too; see [`resource_approval`](Self::resource_approval).
/// - Progress is forwarded in order and before the result, and the metadata (`_meta`) of a call to the server. Cancelling a
///   call cancels it at the server.
/// - When servers or their lists change, the client is notified of each list that differs (`list_changed`).
///   A list is read again when the client requests it, and before a call, a read or a subscription of a client with a
///   handshake fails because its name or URI is unknown. If the server reports its changes, that happens at most once a
///   second (more often with a [`patience`](Self::patience) below two seconds), and a requested list does not wait for it.
///   Other clients and [`Hub::events`] are not notified of that.
/// - A client receives the changes of the resources that it subscribes to (`resources/subscribe`), if the server supports
///   subscriptions. The subscriptions end with the client.
/// - The caller in records and questions is the client's own name.
///
/// The gateway supports all versions of MCP. For a client without a handshake (since 2026-07-28), a question of a server is
/// the response to its request (`input_required`); the call waits until the client sends the request again. Changes of
/// lists and of resources are reported on `subscriptions/listen`.
///
/// Requests of servers (elicitation, sampling, roots) go to the [`ClientHandlers`](crate::ClientHandlers) of the hub.
/// With [`ask_callers`](crate::ClientHandlers::ask_callers), those without a handler go to the client that makes the call.
/// With [`pass_logs`](Self::pass_logs), the client receives the log messages of servers.
/// The hub lives as long as its gateways.
///
/// A clone serves another client. Clones share only the hub.
pub struct Gateway {
    hub: Hub,
    naming: Naming,
    patience: Duration,
    passes_logs: bool,
    asks_for_resources: bool,
    /// The lowest log level that the client receives.
    min_level: tokio::sync::watch::Sender<LoggingLevel>,
    /// Shared by all clones with this naming.
    offers: Arc<Mutex<Option<Offers>>>,
    /// The task that reports changes.
    watch: OnceLock<AbortOnDropHandle<()>>,
    logs: OnceLock<LogForwarder>,
    subscribed: Subscribed,
    /// The identity of the client.
    client: Arc<()>,
    /// The time of the client's first request.
    since: OnceLock<Instant>,
    /// The requests that wait for input. Shared by all clones, because a client without a handshake may reach another clone.
    waiting: Arc<Waiting>,
}

impl Drop for Gateway {
    fn drop(&mut self) {
        self.hub.handlers().client_roots.set(self.client_id(), Vec::new());
        self.subscribed.clear();
    }
}

impl Gateway {
    /// Creates a gateway to the servers of this hub.
    pub fn new(hub: &Hub) -> Self {
        Self {
            hub: hub.clone(),
            naming: Naming::default().without_prefix().at_most(SHORT),
            patience: PATIENCE,
            passes_logs: false,
            asks_for_resources: true,
            min_level: tokio::sync::watch::Sender::new(LoggingLevel::Info),
            offers: Arc::default(),
            watch: OnceLock::new(),
            logs: OnceLock::new(),
            subscribed: Subscribed::default(),
            client: Arc::default(),
            since: OnceLock::new(),
            waiting: Arc::default(),
        }
    }

    /// Forwards the log messages of all servers to a client with a handshake (`notifications/message`), including messages
    /// about calls of other clients.
    ///
    /// The messages that a server sends before a result are forwarded before that result.
    /// The logger is the server's name, or `SERVER/LOGGER`. The level is `info` until the client sets another one
    /// (`logging/setLevel`); the levels of the servers do not change.
    /// If a client is more than 256 messages behind, the oldest messages are replaced by their number.
    pub fn pass_logs(mut self) -> Self {
        self.passes_logs = true;
        self
    }

    /// Sets whether reading a resource needs the hub's [`Approval`](crate::Approval). The default is `true`, because a model
    /// may have chosen the URI.
    pub fn resource_approval(mut self, asks: bool) -> Self {
        self.asks_for_resources = asks;
        self
    }

    /// Sets the naming of tools and prompts. The default is `server__tool` with at most 48 characters.
    pub fn naming(mut self, naming: Naming) -> Self {
        self.naming = naming;
        self.offers = Arc::default();
        self
    }

    /// Sets how long the handshake and each list wait for servers that are starting. A request with an unknown name also
    /// waits this long for lists that are read again, as does a list whose changes its server does not report. The default is
    /// 5 seconds; with zero, no list is read again.
    /// Gateways of one hub should have the same patience, because they share the readings.
    ///
    /// When twice this time has passed since the client's first request, its requests no longer wait for servers that are
    /// starting. Servers that start later are reported as changes. All clients without a handshake count as one.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Returns a number that is unique among the present clients.
    fn client_id(&self) -> usize {
        Arc::as_ptr(&self.client).addr()
    }

    /// Returns what the servers offer now.
    fn offers(&self) -> Offers {
        let mut kept = locked(&self.offers);
        let offers = match &*kept {
            Some(offers) => offers.renewed(self.hub.offering()),
            None => self.hub.offers(self.naming),
        };
        *kept = Some(offers.clone());
        offers
    }

    /// Finds an item in what the servers offer now. If it is missing, reads that list again first.
    async fn find<T, E>(
        &self,
        list: Stale,
        find: impl Fn(&Offers) -> Result<T, E>,
    ) -> (Offers, Result<T, E>) {
        let mut offers = self.offers();
        let mut found = find(&offers);
        if found.is_err() {
            self.reread(list, true).await;
            offers = self.offers();
            found = find(&offers);
        }
        (offers, found)
    }

    /// Reads a list of all servers again because a client requests it, or because one of its items is missing.
    async fn reread(&self, list: Stale, is_missing: bool) {
        let all = self.hub.inner.servers.all();
        join_all(all.iter().map(|connection| connection.reread(list, is_missing, self.patience))).await;
    }

    /// Waits for servers that are starting.
    async fn started(&self, is_stateless: bool) {
        let since = if is_stateless { &self.waiting.since } else { &self.since };
        let passed = since.get_or_init(Instant::now).elapsed();
        let left = self.patience.saturating_mul(2).saturating_sub(passed);
        self.hub.wait_until_ready(left.min(self.patience)).await;
    }

    /// Returns a page of a list, and the cursor of the next page.
    async fn page<T: Serialize>(
        &self,
        list: Stale,
        request: Option<PaginatedRequestParams>,
        context: &RequestContext<RoleServer>,
        items: impl FnOnce(&Offers) -> Vec<T>,
    ) -> Result<(Vec<T>, Option<String>), ErrorData> {
        let first = lists::first_item(request)?;
        if !is_stateless(context) {
            self.watch(&context.peer);
        }
        // Other pages cause no reading, so that a list rarely changes between its pages.
        if first == 0 {
            self.started(is_stateless(context)).await;
            self.reread(list, false).await;
        }
        Ok(lists::page(items(&self.offers()), first))
    }

    /// Starts to report changes to a client with a handshake.
    fn watch(&self, peer: &Peer<RoleServer>) {
        self.watch.get_or_init(|| {
            let (hub, before, changes) = (self.hub.clone(), self.offers(), Changes::of(&self.hub));
            let (subscribed, peer) = (self.subscribed.clone(), peer.clone());
            AbortOnDropHandle::new(tokio::spawn(async move {
                watch(hub, changes, before, &subscribed, ready(()), Recipient::Session(&peer)).await;
                // The client is gone, even if its gateway is still alive.
                subscribed.clear();
            }))
        });
    }

    /// Starts to forward log messages, if enabled.
    fn pass_on(&self, peer: &Peer<RoleServer>) {
        if self.passes_logs {
            self.logs.get_or_init(|| {
                let logs = self.hub.handlers().feed.listen();
                LogForwarder::start(logs, self.min_level.subscribe(), peer.clone())
            });
        }
    }

    /// Passes the roots of the client on to the servers.
    async fn read_roots(&self, peer: &Peer<RoleServer>) {
        let has_roots = peer.peer_info().is_some_and(|client| client.capabilities.roots.is_some());
        if !self.hub.handlers().asks_callers || !has_roots {
            return;
        }
        let request = ServerRequest::ListRootsRequest(Default::default());
        match timeout(ROOTS, ask(peer, request, "the roots were not listed in time")).await {
            Ok(Ok(ClientResult::ListRootsResult(listed))) => {
                self.hub.handlers().client_roots.set(self.client_id(), listed.roots);
            }
            Ok(answer) => tracing::debug!(?answer, "a client did not list its roots"),
            Err(_) => tracing::debug!("the client did not list its roots in time"),
        }
    }

    /// Returns the instructions of all servers.
    fn instructions(&self) -> Option<String> {
        let mut text = String::new();
        for (server, instructions) in self.offers().instructions() {
            let shown: String = instructions.chars().take(INSTRUCTIONS).collect();
            text.push_str(&format!("\nThe server `{server}` says of its use:\n\n{}", quoted(&shown)));
            match instructions.chars().skip(INSTRUCTIONS).count() {
                0 => {}
                count => text.push_str(&format!("[{count} characters left out]\n")),
            }
        }
        let names = if self.naming.has_server() { NAMES } else { "" };
        (!text.is_empty()).then(|| format!("{HEAD}{names}.\n{text}"))
    }
}

/// Returns whether a request belongs to a protocol version without a handshake.
fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| !version.has_initialize())
}

impl Clone for Gateway {
    fn clone(&self) -> Self {
        let mut other = Self::new(&self.hub);
        (other.naming, other.patience) = (self.naming, self.patience);
        (other.passes_logs, other.asks_for_resources) = (self.passes_logs, self.asks_for_resources);
        (other.offers, other.waiting) = (Arc::clone(&self.offers), Arc::clone(&self.waiting));
        other
    }
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gateway")
            .field("hub", &self.hub)
            .field("naming", &self.naming)
            .field("patience", &self.patience)
            .finish_non_exhaustive()
    }
}

const HEAD: &str = "These tools belong to several MCP servers";
const NAMES: &str = "; the first part of a name is the server";
/// Leaves room for the prefix `mcp__NAME__` within 64 characters.
const SHORT: usize = 48;
/// Long enough for most servers, and short enough for clients that wait for a handshake.
const PATIENCE: Duration = Duration::from_secs(5);
/// The maximum length of each server's instructions, in characters.
const INSTRUCTIONS: usize = 2_000;
/// How long a client has to list its roots.
const ROOTS: Duration = Duration::from_secs(10);
