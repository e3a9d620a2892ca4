//! What a hub is made of.

use std::{sync::Arc, time::Duration};

use agentwire_transport::process::Grace;
use tokio_util::sync::CancellationToken;

use super::{Hub, Inner, follow::Follow, reload::Reload};
#[cfg(feature = "auth")]
use crate::oauth::{Book, Grant, TokenStore};
use crate::{
    Approval, Audit, Backoff, CallLimits, Handlers, KeepAlive,
    call::Calls,
    config::{Files, Sources, Variables, WatchSettings},
    connection::Setting,
    event::Events,
    handlers::{ClientRoots, Feed},
    servers::{Servers, Trust},
};

/// A hub that is not there yet.
#[derive(Debug)]
#[must_use = "it is a hub when it is built"]
pub struct HubBuilder {
    sources: Sources,
    variables: Variables,
    handlers: Handlers,
    is_enabled: bool,
    grace: Grace,
    backoff: Backoff,
    keep_alive: KeepAlive,
    #[cfg(feature = "auth")]
    book: Book,
    calls: Calls,
    trust: Trust,
    pub(super) watch: WatchSettings,
}

impl HubBuilder {
    /// Where servers are configured. None are by default.
    pub fn sources(mut self, sources: Sources) -> Self {
        self.sources = sources;
        self
    }

    /// Trusts all servers of a project's files, as they are and as they change: for programs that trust the folder.
    ///
    /// By default none of them is started before it is [trusted](Hub::trust).
    pub fn trust_projects(mut self, trusts: bool) -> Self {
        self.trust.everything = trusts;
        self
    }

    /// Trusts the definitions with these [fingerprints](crate::config::Configured::fingerprint): those that the user agreed
    /// to before.
    pub fn trusted(mut self, fingerprints: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.trust.fingerprints.extend(fingerprints.into_iter().map(Into::into));
        self
    }

    /// What variables in the configuration stand for: by default those of this process, in the folder of the project.
    pub fn variables(mut self, variables: Variables) -> Self {
        self.variables = variables;
        self
    }

    /// What servers may ask of the program: nothing by default.
    pub fn handlers(mut self, handlers: Handlers) -> Self {
        // Those of two hubs may be clones.
        self.handlers = Handlers {
            feed: Feed::default(),
            updates: Feed::default(),
            client_roots: ClientRoots::default(),
            ..handlers
        };
        self
    }

    /// Whether the [switch of the whole hub](Hub::set_enabled) is on. It is by default.
    pub fn enabled(mut self, is_enabled: bool) -> Self {
        self.is_enabled = is_enabled;
        self
    }

    /// How long the process of a server may take to end: from the end of its input to SIGTERM, and from there to SIGKILL.
    /// Two seconds each by default.
    pub fn grace(mut self, after_input: Duration, after_terminate: Duration) -> Self {
        self.grace = self.grace.after_input(after_input).after_terminate(after_terminate);
        self
    }

    /// Where the tokens of servers over HTTP are kept: a [`TokenFile`](crate::oauth::TokenFile), or a store of the
    /// program's. By default they are forgotten with the hub.
    #[cfg(feature = "auth")]
    pub fn tokens(mut self, store: impl TokenStore + 'static) -> Self {
        self.book.set_store(Arc::new(store));
        self
    }

    /// Gets the tokens for the server at this address by a grant, without a user. The address is that of the configuration,
    /// with its variables filled in.
    ///
    /// The address counts, and not the name: a project's file may give the name to another server.
    /// Where the authorization server refuses the grant, the server is [`Failed`](crate::ServerState::Failed) with what
    /// it said; where it does not answer, the connection is tried again.
    #[cfg(feature = "auth")]
    pub fn grant(mut self, url: impl AsRef<str>, grant: Grant) -> Self {
        self.book.grant(url.as_ref(), grant);
        self
    }

    /// When lost connections are tried again.
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.backoff = backoff;
        self
    }

    /// When a server that says nothing is asked whether it is still there: after a minute by default.
    pub fn keep_alive(mut self, keep_alive: KeepAlive) -> Self {
        self.keep_alive = keep_alive;
        self
    }

    /// Who allows calls that the configuration does not: nobody by default.
    pub fn approval(mut self, approval: Approval) -> Self {
        self.calls.approval = approval;
        self
    }

    /// Where records of calls go: nowhere by default.
    pub fn audit(mut self, audit: Audit) -> Self {
        self.calls.audit = Some(audit);
        self
    }

    /// How long calls may take, and how much they may give.
    pub fn limits(mut self, limits: CallLimits) -> Self {
        self.calls.limits = limits;
        self
    }

    /// How long a file must be left alone until a change of it counts: 500 ms by default.
    ///
    /// One that goes on being changed counts after four times that.
    pub fn debounce(mut self, debounce: Duration) -> Self {
        self.watch = WatchSettings::quiet(debounce);
        self
    }

    /// Reads the configuration, and starts all servers at the same time, without waiting for them:
    /// [`Hub::wait_until_ready`] does.
    ///
    /// Nothing that is wrong with a server or a file is an error here: [`Hub::problems`] and the states tell.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime with time and I/O enabled.
    pub fn build(self) -> Hub {
        let variables = self.variables.or_workspace(self.sources.folder());
        let files = Files::new(self.sources);
        let configuration = files.read_now();
        let calls = Calls {
            asks_callers: self.handlers.asks_callers,
            logs: self.handlers.feed.clone(),
            updates: self.handlers.updates.clone(),
            roots: self.handlers.client_roots.clone(),
            ..self.calls
        };
        let is_watching = CancellationToken::new();
        let setting = Setting {
            variables: variables.clone(),
            handlers: Arc::new(self.handlers),
            grace: self.grace,
            backoff: self.backoff,
            keep_alive: self.keep_alive,
            is_watching: is_watching.clone(),
            #[cfg(feature = "auth")]
            book: self.book,
        };
        let events = Events::new();
        let servers = Arc::new(Servers::new(setting, events.clone(), self.is_enabled, self.trust));
        servers.apply(configuration);
        let follow =
            Follow::start(Reload::new(files, variables, self.watch, &servers, is_watching.drop_guard()));
        Hub { inner: Arc::new(Inner { servers, events, calls, follow }) }
    }
}

impl Default for HubBuilder {
    fn default() -> Self {
        Self {
            sources: Sources::new(),
            variables: Variables::new(),
            handlers: Handlers::new(),
            is_enabled: true,
            grace: Grace::default().after_input(GRACE).after_terminate(GRACE),
            backoff: Backoff::default(),
            keep_alive: KeepAlive::default(),
            #[cfg(feature = "auth")]
            book: Book::default(),
            calls: Calls::default(),
            trust: Trust::default(),
            watch: WatchSettings::quiet(DEBOUNCE),
        }
    }
}

/// A server writes no transcript: two seconds are much for one that heeds the end of its input.
const GRACE: Duration = Duration::from_secs(2);
const DEBOUNCE: Duration = Duration::from_millis(500);
