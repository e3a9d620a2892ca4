//! The builder of a hub.

use std::{sync::Arc, time::Duration};

use super::{Hub, Inner, follow::Follow, reload::Reload};
#[cfg(feature = "auth")]
use crate::oauth::{Grant, TokenStore};
use crate::{
    Approval, Audit, Backoff, CallLimits, ClientHandlers, KeepAlive,
    call::CallSettings,
    config::{Files, Sources, Variables, WatchSettings},
    connection::Setting,
    event::Events,
    handlers::{ClientRoots, Feed},
    servers::{Servers, Trust},
};

/// A builder for a [`Hub`].
#[derive(Debug)]
#[must_use = "call `build` to start the hub"]
pub struct HubBuilder {
    sources: Sources,
    setting: Setting,
    is_enabled: bool,
    calls: CallSettings,
    trust: Trust,
    pub(super) watch: WatchSettings,
}

impl HubBuilder {
    /// Sets where servers are configured. The default is no server.
    pub fn sources(mut self, sources: Sources) -> Self {
        self.sources = sources;
        self
    }

    /// Trusts all servers of project files, now and after changes: for programs that trust the folder.
    ///
    /// By default such a server starts only after it is [trusted](Hub::trust).
    pub fn trust_projects(mut self, trusts: bool) -> Self {
        self.trust.everything = trusts;
        self
    }

    /// Trusts the definitions with these [fingerprints](crate::config::Configured::fingerprint), which the user has accepted
    /// before.
    pub fn trusted(mut self, fingerprints: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.trust.fingerprints.extend(fingerprints.into_iter().map(Into::into));
        self
    }

    /// Sets the values of variables in the configuration. The default is the environment of this process, and the project
    /// folder.
    pub fn variables(mut self, variables: Variables) -> Self {
        self.setting.variables = variables;
        self
    }

    /// Sets the handlers for requests of servers. The default is none.
    pub fn handlers(mut self, handlers: ClientHandlers) -> Self {
        // The handlers of two hubs may be clones; their channels are not shared.
        self.setting.handlers = Arc::new(ClientHandlers {
            feed: Feed::default(),
            updates: Feed::default(),
            client_roots: ClientRoots::default(),
            ..handlers
        });
        self
    }

    /// Sets whether the hub is [enabled](Hub::set_enabled). The default is `true`.
    pub fn enabled(mut self, is_enabled: bool) -> Self {
        self.is_enabled = is_enabled;
        self
    }

    /// Sets the grace periods of server processes: from the end of their input to SIGTERM, and from SIGTERM to SIGKILL.
    /// The default is two seconds each.
    pub fn grace(mut self, after_input: Duration, after_terminate: Duration) -> Self {
        self.setting.grace = self.setting.grace.after_input(after_input).after_terminate(after_terminate);
        self
    }

    /// Sets the store for the tokens of servers over HTTP: a [`TokenFile`](crate::auth::TokenFile), or a store of the
    /// program. By default tokens live as long as the hub.
    #[cfg(feature = "auth")]
    pub fn tokens(mut self, store: impl TokenStore + 'static) -> Self {
        self.setting.book.set_store(Arc::new(store));
        self
    }

    /// Gets the tokens for the server at this URL by a grant, without a user. The URL is the one of the configuration after
    /// variable expansion.
    ///
    /// Servers are identified by URL and not by name, because a project file may give the name to another server.
    ///
    /// ```
    /// use agentwire_hub::{
    ///     Hub,
    ///     auth::{Grant, RegisteredClient},
    /// };
    ///
    /// let client = RegisteredClient::with_secret("reports", "secret");
    /// let builder = Hub::builder().grant("https://example.org/mcp", Grant::client_credentials(client));
    /// ```
    ///
    /// If the authorization server refuses the grant, the server is [`Failed`](crate::ServerState::Failed) with the
    /// response as reason; if it does not respond, the connection is retried.
    #[cfg(feature = "auth")]
    pub fn grant(mut self, url: impl AsRef<str>, grant: Grant) -> Self {
        self.setting.book.grant(url.as_ref(), grant);
        self
    }

    /// Sets when lost connections are retried.
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.setting.backoff = backoff;
        self
    }

    /// Sets when a silent server is pinged. The default is after one minute.
    pub fn keep_alive(mut self, keep_alive: KeepAlive) -> Self {
        self.setting.keep_alive = keep_alive;
        self
    }

    /// Sets the approval for calls that the configuration does not allow. The default denies them.
    pub fn approval(mut self, approval: Approval) -> Self {
        self.calls.approval = approval;
        self
    }

    /// Sets the destination for records of calls. The default is none.
    pub fn audit(mut self, audit: Audit) -> Self {
        self.calls.audit = Some(audit);
        self
    }

    /// Sets the limits on the duration of calls and the size of their results.
    pub fn limits(mut self, limits: CallLimits) -> Self {
        self.calls.limits = limits;
        self
    }

    /// Sets the time without further changes after which a changed file is read. The default is 500 ms.
    ///
    /// A file that keeps changing is read after four times this time.
    pub fn debounce(mut self, debounce: Duration) -> Self {
        self.watch = WatchSettings::quiet(debounce);
        self
    }

    /// Reads the configuration and starts all servers concurrently, in the background. [`Hub::wait_until_ready`] waits for
    /// them.
    ///
    /// Invalid servers and files are not an error here: see [`Hub::problems`] and the states.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime with time and I/O enabled.
    pub fn build(mut self) -> Hub {
        self.setting.variables = self.setting.variables.or_workspace(self.sources.folder());
        let files = Files::new(self.sources);
        let configuration = files.read_now();
        let events = Events::new();
        let servers = Arc::new(Servers::new(self.setting, events.clone(), self.is_enabled, self.trust));
        servers.apply(configuration);
        let follow = Follow::start(Reload::new(files, self.watch, &servers));
        Hub { inner: Arc::new(Inner { servers, events, calls: self.calls, follow }) }
    }
}

impl Default for HubBuilder {
    fn default() -> Self {
        Self {
            sources: Sources::new(),
            setting: Setting::default(),
            is_enabled: true,
            calls: CallSettings::default(),
            trust: Trust::default(),
            watch: WatchSettings::default(),
        }
        .grace(GRACE, GRACE)
    }
}

/// Two seconds suffice for a server that ends at the end of its input.
const GRACE: Duration = Duration::from_secs(2);
