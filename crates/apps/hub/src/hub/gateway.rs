//! All servers as one MCP server.

mod handler;
mod rewrite;
mod roots;
mod rounds;
mod run;
mod subscribed;
mod volume;
mod watch;
mod whole;

use std::{
    fmt,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};

use rmcp::{Peer, RoleServer, service::RequestContext};

use crate::{Hub, Naming, Offers, client::Caller, llm::fenced};
use rounds::Waiting;
use subscribed::Subscribed;
use volume::{PassedOn, Volume};
use watch::Watch;

/// All servers of a hub as one MCP server: an [`rmcp::ServerHandler`], for any transport of `rmcp`.
///
/// - Tools and prompts have unique names ([`Naming`]): `server__tool` by default, as who connects puts a prefix of his own
///   to them. Resources and templates keep their URIs where one server alone lists them, and are `mcp-hub:SERVER/URI`
///   where several do; so are those that a result links to.
/// - Calls go through [`Hub::call`]: the approval of the hub applies, and its limits. What it refuses is a result that the
///   model can read (`isError`).
/// - Reading a resource goes through the approval, too; see [`resource_approval`](Self::resource_approval).
/// - Progress is passed on in its order and before the result; a call that is cancelled is cancelled at the server.
/// - When servers come, go or offer something else, the lists that are different are told of (`list_changed`).
/// - A client hears of changes of the resources that it subscribes to (`resources/subscribe`), where a server takes
///   subscriptions; they end with the client.
/// - The caller of records and questions is the name that the client gave itself.
///
/// It speaks all versions of MCP. To a client without a handshake (since 2026-07-28) a question of a server is the answer to
/// its request (`input_required`); until the client sends that again, the call waits for it. Changes of lists and of
/// resources are reported on `subscriptions/listen`.
///
/// What servers ask (elicitation, sampling, roots) goes to the [`Handlers`](crate::Handlers) of the hub; with
/// [`Handlers::ask_callers`](crate::Handlers::ask_callers) questions that no handler is there for go to the client for
/// which the server is called.
/// With [`pass_logs`](Self::pass_logs) the client hears what servers log.
/// The hub lives as long as its gateways do.
///
/// A clone serves another client; it shares the hub and nothing else.
pub struct Gateway {
    hub: Hub,
    naming: Naming,
    patience: Duration,
    passes_logs: bool,
    asks_for_resources: bool,
    volume: Volume,
    offers: Mutex<Option<Offers>>,
    watch: OnceLock<Watch>,
    passed_on: OnceLock<PassedOn>,
    subscribed: Subscribed,
    /// Tells the client from others.
    client: Arc<()>,
    /// Requests that wait for input: those of all clones, since a client without a handshake may reach another one.
    waiting: Arc<Waiting>,
}

impl Drop for Gateway {
    fn drop(&mut self) {
        self.hub.calls().roots.set(self.client_id(), Vec::new());
        self.subscribed.clear();
    }
}

impl Gateway {
    /// The servers of this hub, as one.
    pub fn new(hub: &Hub) -> Self {
        Self {
            hub: hub.clone(),
            naming: Naming::default().without_prefix().at_most(SHORT),
            patience: PATIENCE,
            passes_logs: false,
            asks_for_resources: true,
            volume: Volume::default(),
            offers: Mutex::new(None),
            watch: OnceLock::new(),
            passed_on: OnceLock::new(),
            subscribed: Subscribed::default(),
            client: Arc::default(),
            waiting: Arc::default(),
        }
    }

    /// Has the client hear what all servers log (`notifications/message`), also for calls that are not its own.
    ///
    /// The logger is the server's name, or `SERVER/LOGGER`. The client hears what is `info` or graver until it sets another
    /// level (`logging/setLevel`); what the servers themselves send is not changed by that.
    /// A client that is more than 256 messages late misses the oldest, and is told how many.
    pub fn pass_logs(mut self) -> Self {
        self.passes_logs = true;
        self
    }

    /// Whether the hub's [`Approval`](crate::Approval) is asked before a resource is read: it is by default, as the URI is
    /// the client's choice, which may be a model's.
    pub fn resource_approval(mut self, asks: bool) -> Self {
        self.asks_for_resources = asks;
        self
    }

    /// With names of this kind. By default they are `server__tool`, and of at most 48 characters.
    pub fn naming(mut self, naming: Naming) -> Self {
        self.naming = naming;
        self.offers = Mutex::new(None);
        self
    }

    /// How long the handshake, and each list, waits for servers that are still being started: 5 seconds by default.
    ///
    /// What comes later is told of as any change is.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// A number that no other client has at the same time.
    fn client_id(&self) -> usize {
        Arc::as_ptr(&self.client).addr()
    }

    /// What the servers offer now.
    fn offers(&self) -> Offers {
        let mut kept = self.offers.lock().unwrap_or_else(PoisonError::into_inner);
        let offers = match &*kept {
            Some(offers) => offers.renewed(self.hub.offering()),
            None => self.hub.offers(self.naming),
        };
        *kept = Some(offers.clone());
        offers
    }

    /// What the servers offer, once those that were started have got so far, or have had their time.
    async fn settled(&self, context: &RequestContext<RoleServer>) -> Offers {
        if !is_stateless(context) {
            self.watch(&context.peer);
        }
        self.hub.wait_until_ready(self.patience).await;
        self.offers()
    }

    /// Reports changes to a client with a handshake from now on.
    fn watch(&self, peer: &Peer<RoleServer>) {
        self.watch.get_or_init(|| {
            Watch::start(self.hub.clone(), self.offers(), self.subscribed.clone(), peer.clone())
        });
    }

    /// Passes log messages on from now on, where that is wanted.
    fn pass_on(&self, peer: &Peer<RoleServer>) {
        if self.passes_logs {
            self.passed_on.get_or_init(|| {
                PassedOn::start(self.hub.calls().logs.listen(), self.volume.clone(), peer.clone())
            });
        }
    }

    /// What the servers say of their use.
    fn instructions(&self) -> Option<String> {
        let mut text = String::new();
        for (server, said) in self.offers().instructions() {
            let said: String = said.chars().take(INSTRUCTIONS).collect();
            text.push_str(&format!("\nThe server `{server}` says of its use:\n\n{}", fenced(&said, "text")));
        }
        let names = if self.naming.has_server() { NAMES } else { "" };
        (!text.is_empty()).then(|| format!("{HEAD}{names}.\n{text}"))
    }
}

/// Whether a request is of a version without a handshake.
fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| !version.has_initialize())
}

impl Clone for Gateway {
    fn clone(&self) -> Self {
        let offers = self.offers.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Self {
            hub: self.hub.clone(),
            naming: self.naming,
            patience: self.patience,
            passes_logs: self.passes_logs,
            asks_for_resources: self.asks_for_resources,
            volume: Volume::default(),
            offers: Mutex::new(offers),
            watch: OnceLock::new(),
            passed_on: OnceLock::new(),
            subscribed: Subscribed::default(),
            client: Arc::default(),
            waiting: Arc::clone(&self.waiting),
        }
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
/// Room for `mcp__NAME__` in front, within 64 characters.
const SHORT: usize = 48;
/// Long enough for most servers, and short enough for clients that wait for a handshake.
const PATIENCE: Duration = Duration::from_secs(5);
/// So many characters of each server's instructions are passed on.
const INSTRUCTIONS: usize = 2_000;
