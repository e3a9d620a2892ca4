//! The builder of a session.

use std::{fmt, sync::Arc, time::Duration};

use agentwire_control::{Config, Responder};
use agentwire_hooks::{DialogHandler, ElicitationHandler, Hooks, PermissionHandler};
#[cfg(feature = "mcp")]
use agentwire_mcp::McpServers;
use agentwire_transport::{BoxTransport, Transport};

#[cfg(feature = "sessions")]
use super::stored::Stored;
use super::{
    BackgroundWork, Session,
    handshake::HandshakeLimit,
    launch::inherited,
    start::{LaunchFiles, Start, take_files},
    task::Grace,
};
use crate::{Error, Options, observe::Watch, turn::Schema};

/// A builder for a session: data goes into [`Options`], code is set here.
#[derive(Default)]
pub struct SessionBuilder {
    pub(super) options: Options,
    pub(super) hooks: Option<Hooks>,
    pub(super) permissions: Option<PermissionHandler>,
    elicitation: Option<ElicitationHandler>,
    pub(super) dialogs: Option<DialogHandler>,
    #[cfg(feature = "mcp")]
    pub(super) mcp_servers: McpServers,
    responders: Vec<Box<dyn Responder>>,
    pub(super) transport: Option<BoxTransport>,
    on_stderr: Option<StderrSink>,
    config: Config,
    grace: Grace,
    unguarded: bool,
    background: BackgroundWork,
    handshake_limit: HandshakeLimit,
    /// Whether the process waits for a claim (`--await-claim`).
    pub(super) spare: bool,
    pub(super) session_mirror: bool,
    #[cfg(feature = "sessions")]
    pub(super) stored: Stored,
    observe_contents: bool,
    pub(super) launch_files: LaunchFiles,
}

pub(super) type StderrSink = Arc<dyn Fn(&str) + Send + Sync>;

impl SessionBuilder {
    /// Sets the options.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Sets the hooks.
    ///
    /// The guide `docs/hooks.md` lists what a hook can do for each event.
    #[must_use]
    pub fn hooks(mut self, hooks: Hooks) -> Self {
        self.hooks = Some(hooks);
        self
    }

    /// Sets the handler that decides tool uses which neither a rule nor the mode permits
    /// (`--permission-prompt-tool=stdio`).
    ///
    /// Without it the CLI denies such uses.
    /// If an option keeps the CLI from calling it, the session's warnings contain
    /// [`Warning::NotAsked`](crate::Warning::NotAsked).
    #[must_use]
    pub fn permissions(mut self, permissions: PermissionHandler) -> Self {
        self.permissions = Some(permissions);
        self
    }

    /// Sets the handler that answers questions of MCP servers to the user (`elicitation`).
    ///
    /// Without it such questions are cancelled.
    #[must_use]
    pub fn elicitation(mut self, elicitation: ElicitationHandler) -> Self {
        self.elicitation = Some(elicitation);
        self
    }

    /// Sets the handler that shows the CLI's dialogs to the user, and the kinds it supports
    /// (`initialize.supportedDialogKinds`).
    ///
    /// Without it the CLI shows no dialogs and takes the default action.
    #[must_use]
    pub fn dialogs(mut self, dialogs: DialogHandler) -> Self {
        self.dialogs = Some(dialogs);
        self
    }

    /// Sets the in-process MCP servers.
    #[cfg(feature = "mcp")]
    #[must_use]
    pub fn mcp_servers(mut self, servers: McpServers) -> Self {
        self.mcp_servers = servers;
        self
    }

    /// Adds a responder for requests that none of the other handlers answers.
    #[must_use]
    pub fn responder(mut self, responder: impl Responder) -> Self {
        self.responders.push(Box::new(responder));
        self
    }

    /// Connects through this transport instead of starting the CLI as a child process.
    ///
    /// Options that become arguments or environment variables are then up to the transport.
    #[must_use]
    pub fn transport(mut self, transport: impl Transport + 'static) -> Self {
        self.transport = Some(BoxTransport::new(transport));
        self
    }

    /// Calls `sink` for each line that the CLI writes to stderr, as plain text.
    ///
    /// The sink runs on a thread of its own and must not block for long.
    /// The end of stderr is always kept for error messages.
    /// If a [`transport`](Self::transport) is set, stderr is up to that transport.
    #[must_use]
    pub fn on_stderr(mut self, sink: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.on_stderr = Some(Arc::new(sink));
        self
    }

    /// Turns on `transcript_mirror` messages (`--session-mirror`), which contain the entries that the CLI stores.
    ///
    /// A session store can be built on them. The last entries arrive after the last result.
    #[must_use]
    pub fn session_mirror(mut self) -> Self {
        self.session_mirror = true;
        self
    }

    /// Adds inputs and outputs to observations: prompts and answers, tool inputs and results, callback requests and
    /// replies, and the error texts of handlers.
    ///
    /// Without it [`Session::observe`] and the `tracing` spans contain only names, ids, times and outcomes.
    /// With it both contain the text of users, models and tools, including secrets.
    #[must_use]
    pub fn observe_contents(mut self) -> Self {
        self.observe_contents = true;
        self
    }

    /// Sets the limits of the session.
    #[must_use]
    pub fn config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// Sets how long the CLI may take to exit after the end of its input, and again after SIGTERM and after SIGKILL.
    /// The defaults are 10 and 5 seconds; after SIGKILL at least two seconds are allowed.
    /// Each step is limited to one second if the CLI was given no work (no prompt was sent, the handshake failed or was
    /// dropped, or a spare was never claimed), because then there is no conversation to store.
    ///
    /// It bounds closing and dropping a session, and the end of a [`Query`](crate::Query). If a
    /// [`transport`](Self::transport) is set, dropping is up to that transport.
    #[must_use]
    pub fn grace(mut self, after_input: Duration, after_terminate: Duration) -> Self {
        self.grace = Grace { after_input, after_terminate, ..self.grace };
        self
    }

    /// Sets how long the CLI may run after this program was killed, before it receives SIGTERM: 2 seconds by default.
    /// The grace period is zero if a hook can refuse something, because the CLI would continue without asking it.
    #[must_use]
    pub fn orphan_grace(mut self, wait: Duration) -> Self {
        self.grace.orphaned = wait;
        self
    }

    /// Sets whether a guard process ends the CLI when this program was killed, crashed or returned from `main`. On by
    /// default.
    ///
    /// It allows the CLI the [`orphan_grace`](Self::orphan_grace).
    /// If the guard can't be started, the session starts without it.
    /// If a [`transport`](Self::transport) is set, the guard is up to that transport.
    #[must_use]
    pub fn guard(mut self, guard: bool) -> Self {
        self.unguarded = !guard;
        self
    }

    /// Sets how long a [`Query`](crate::Query) continues after a result until the CLI is idle or begins another turn.
    /// `None` and zero mean no limit.
    ///
    /// The default is `CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS` milliseconds if that variable is in the CLI's environment
    /// (set by the options or inherited; 0 means no limit), else 10 minutes, as in the reference SDKs.
    ///
    /// The limit covers background agents and a frozen CLI.
    /// When it expires, the query ends the CLI's input, and from then on [`grace`](Self::grace) applies.
    /// It restarts when the CLI reports that it is still working and when a callback has run.
    /// A turn itself has no time limit.
    #[must_use]
    pub fn background_limit(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.background.limit = Some(limit.into());
        self
    }

    /// Sets how long the CLI may take to answer the handshake, in which it starts MCP servers.
    /// Two minutes by default.
    #[must_use]
    pub fn handshake_limit(mut self, limit: Duration) -> Self {
        self.handshake_limit = HandshakeLimit(limit);
        self
    }

    /// Starts the CLI and performs the handshake. The session is then ready for its first prompt.
    ///
    /// Must be called in a tokio runtime with I/O and time (`enable_all`); otherwise it returns [`Error::Start`].
    /// If the runtime lacks one of them, tokio also prints a panic message, which can't be prevented.
    /// The session's task is spawned on that runtime.
    ///
    /// # Cancellation
    ///
    /// Dropping the future shuts down a CLI that was already started, in the background.
    ///
    /// # Errors
    ///
    /// [`Error::Options`], [`Error::Hooks`] and `Error::Resume` (for a session from a store) before anything is
    /// started.
    /// [`Error::CliNotFound`] or [`Error::Start`] if the CLI can't be started.
    /// [`Error::Ended`] with the CLI's own text if it exits during the handshake.
    /// [`Error::Control`] if it refuses the handshake or does not answer in time.
    /// [`Error::Hooks`] after the handshake if the CLI does not support a feature that a hook requires by name.
    pub async fn connect(mut self) -> Result<Session, Error> {
        #[cfg(feature = "sessions")]
        self.stored.prepare(&mut self.options, self.transport.is_some()).await?;
        let plan = self.to_launch_plan()?;
        let schema = Schema::of(&plan)?.map(Arc::new);
        self.background.settle(|| inherited(&self.options, CEILING));
        let files = take_files(&self.launch_files);
        if let Some(transport) = self.transport.take() {
            return self.start(schema).over(transport, plan, files).await;
        }
        let fallback = plan.awaits_initialize().then(|| self.plan_for_old_cli()).transpose()?;
        self.start(schema).process(plan, fallback).await
    }

    fn start(mut self, schema: Option<Arc<Schema>>) -> Start {
        let options = std::mem::take(&mut self.options);
        let (on_stderr, config) = (self.on_stderr.take(), self.config.clone());
        let (grace, guarded, background) = (self.grace, !self.unguarded, self.background.clone());
        let HandshakeLimit(limit) = self.handshake_limit;
        let (asks, hooks) = (self.permissions.is_some(), self.hooks.clone().unwrap_or_default());
        #[cfg(feature = "mcp")]
        let mcp_servers = std::mem::take(&mut self.mcp_servers);
        let watch = Watch::new(&hooks, self.observe_contents);
        #[cfg(feature = "sessions")]
        let stored = std::mem::take(&mut self.stored);
        let responder = self.responder_of_all();
        Start {
            options,
            hooks,
            responder,
            #[cfg(feature = "mcp")]
            mcp_servers,
            on_stderr,
            config,
            grace,
            guarded,
            background,
            limit,
            schema,
            asks,
            watch,
            #[cfg(feature = "sessions")]
            stored,
        }
    }

    /// Combines all handlers except the in-process MCP servers, of which each start needs fresh ones.
    fn responder_of_all(self) -> Arc<dyn Responder> {
        let mut all: Vec<Box<dyn Responder>> = Vec::new();
        all.extend(self.hooks.map(|hooks| Box::new(hooks) as Box<dyn Responder>));
        all.extend(self.permissions.map(|permissions| Box::new(permissions) as Box<dyn Responder>));
        all.extend(self.elicitation.map(|elicitation| Box::new(elicitation) as Box<dyn Responder>));
        all.extend(self.dialogs.map(|dialogs| Box::new(dialogs) as Box<dyn Responder>));
        all.extend(self.responders);
        Arc::new(all)
    }
}

impl fmt::Debug for SessionBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionBuilder")
            .field("options", &self.options)
            .field("hooks", &self.hooks.is_some())
            .field("permissions", &self.permissions.is_some())
            .field("elicitation", &self.elicitation.is_some())
            .field("dialogs", &self.dialogs)
            .field("on_stderr", &self.on_stderr.is_some())
            .field("transport", &self.transport)
            .field("config", &self.config)
            .field("grace", &self.grace)
            .field("guard", &!self.unguarded)
            .field("observe_contents", &self.observe_contents)
            .field("background_limit", &self.background.limit())
            .finish_non_exhaustive()
    }
}

/// The variable of the reference SDKs for the background limit, in milliseconds.
const CEILING: &str = "CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS";
