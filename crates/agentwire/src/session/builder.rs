//! Putting a session together.

use std::{fmt, sync::Arc, time::Duration};

use agentwire_control::{Config, Responder};
use agentwire_hooks::{DialogHandler, ElicitationHandler, Hooks, PermissionHandler};
#[cfg(feature = "mcp")]
use agentwire_mcp::McpServers;
use agentwire_transport::{BoxTransport, Transport};

#[cfg(feature = "sessions")]
use super::stored::Stored;
use super::{
    Background, Session,
    handshake::HandshakeLimit,
    launch::inherited,
    start::{GivenOut, Start, take},
    task::Grace,
};
use crate::{Error, Options, observe::Watch, turn::Schema};

/// A session to be put together: what is data goes into [`Options`], what is code comes here.
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
    background: Background,
    handshake_limit: HandshakeLimit,
    /// Whether the process is to wait for a claim.
    pub(super) spare: bool,
    pub(super) session_mirror: bool,
    #[cfg(feature = "sessions")]
    pub(super) stored: Stored,
    observe_contents: bool,
    pub(super) given_out: GivenOut,
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
    /// What they can do, event by event, is in the guide `docs/hooks.md`.
    #[must_use]
    pub fn hooks(mut self, hooks: Hooks) -> Self {
        self.hooks = Some(hooks);
        self
    }

    /// Sets who is asked when neither a rule nor the mode permits a tool use (`--permission-prompt-tool=stdio`).
    ///
    /// Without it the CLI denies such uses.
    /// What keeps it from being asked is among the session's warnings
    /// ([`Warning::NotAsked`](crate::Warning::NotAsked)).
    #[must_use]
    pub fn permissions(mut self, permissions: PermissionHandler) -> Self {
        self.permissions = Some(permissions);
        self
    }

    /// Sets who answers what MCP servers ask the user (`elicitation`).
    ///
    /// Without it such questions are cancelled.
    #[must_use]
    pub fn elicitation(mut self, elicitation: ElicitationHandler) -> Self {
        self.elicitation = Some(elicitation);
        self
    }

    /// Sets who shows dialogs of the CLI's to the user, and of which kinds (`initialize.supportedDialogKinds`).
    ///
    /// Without it the CLI shows none, and does what it does by default.
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

    /// Adds an answer to requests of kinds that nothing else here handles.
    #[must_use]
    pub fn responder(mut self, responder: impl Responder) -> Self {
        self.responders.push(Box::new(responder));
        self
    }

    /// Reaches the CLI by this transport, instead of starting it as a child process.
    ///
    /// Options that become arguments or environment variables are then the transport's business.
    #[must_use]
    pub fn transport(mut self, transport: impl Transport + 'static) -> Self {
        self.transport = Some(BoxTransport::new(transport));
        self
    }

    /// Calls this for each line that the CLI writes to its stderr, as plain text.
    ///
    /// It runs on a thread of its own and must not block for long.
    /// Without it the end of stderr is kept all the same, for errors.
    /// Where a [`transport`](Self::transport) is set, stderr is that one's business.
    #[must_use]
    pub fn on_stderr(mut self, sink: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.on_stderr = Some(Arc::new(sink));
        self
    }

    /// Has what is stored of the session told as messages too (`--session-mirror`): `transcript_mirror`, with the entries.
    ///
    /// It is what a store of sessions is made of. The last entries come after the last result.
    #[must_use]
    pub fn session_mirror(mut self) -> Self {
        self.session_mirror = true;
        self
    }

    /// Has inputs and outputs observed too: prompts and answers, what tools are given and give, what hooks and other
    /// callbacks are asked and answer, and what failing handlers say.
    ///
    /// Without it [`Session::observe`] and the spans of `tracing` tell names, ids, times and outcomes alone.
    /// With it both hold what users, models and tools say, secrets included: mind where they go.
    #[must_use]
    pub fn observe_contents(mut self) -> Self {
        self.observe_contents = true;
        self
    }

    /// Sets the numbers that bound the session.
    #[must_use]
    pub fn config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// How long the CLI may take to end by itself once its input has ended, and again once it was asked to (SIGTERM)
    /// and once it was made to (SIGKILL).
    /// 10 and 5 seconds by default; a process that was killed gets at least two to be gone, whatever is set.
    /// A CLI that was given no work has one second at most for each step: no prompt was sent, as where the handshake
    /// failed or was dropped and where a spare was never claimed, so there is no conversation to store.
    ///
    /// Closing and dropping a session, and the end of a [`Query`](crate::Query), are bounded by it; where a
    /// [`transport`](Self::transport) is set, dropping is that one's business.
    #[must_use]
    pub fn grace(mut self, after_input: Duration, after_terminate: Duration) -> Self {
        self.grace = Grace { after_input, after_terminate, ..self.grace };
        self
    }

    /// How long the CLI may go on after this program was killed, until SIGTERM: 2 seconds by default.
    /// None where a hook can refuse something, since the CLI would go on without asking it.
    #[must_use]
    pub fn orphan_grace(mut self, wait: Duration) -> Self {
        self.grace.orphaned = wait;
        self
    }

    /// Whether a guard process sees to the CLI's end where this program can't, because it was killed, has crashed, or
    /// has returned from `main`. On by default.
    ///
    /// It gives the CLI the time of [`orphan_grace`](Self::orphan_grace).
    /// Where it can't be started the session starts all the same.
    /// Where a [`transport`](Self::transport) is set, this is that one's business.
    #[must_use]
    pub fn guard(mut self, guard: bool) -> Self {
        self.unguarded = !guard;
        self
    }

    /// How long a [`Query`](crate::Query) goes on after a result, until the CLI is idle or begins another turn.
    /// `None`, or nothing, is without limit.
    ///
    /// 10 minutes by default, as in the reference; where `CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS` is in the CLI's
    /// environment, set by the options or inherited, that many milliseconds, and 0 is without limit.
    ///
    /// It is the work of agents in the background that takes this time, or a CLI that has frozen.
    /// When it has run out the query ends the CLI's input; then [`grace`](Self::grace) bounds it.
    /// It starts anew when the CLI says that it still works, and when a callback has run.
    /// A turn itself has no limit but yours.
    #[must_use]
    pub fn background_limit(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.background.limit = Some(limit.into());
        self
    }

    /// How long the CLI may take to answer the handshake, in which it starts MCP servers.
    /// Two minutes by default.
    #[must_use]
    pub fn handshake_limit(mut self, limit: Duration) -> Self {
        self.handshake_limit = HandshakeLimit(limit);
        self
    }

    /// Starts the CLI and shakes hands with it: it is then ready for its first prompt.
    ///
    /// Must be called in a tokio runtime with I/O and time (`enable_all`); without one the error is [`Error::Start`].
    /// Where the runtime lacks one of them, tokio prints a panic message besides, which can't be prevented.
    /// The session's task runs there.
    ///
    /// # Cancellation
    ///
    /// Dropping the future ends a CLI that has been started, in the background.
    ///
    /// # Errors
    ///
    /// [`Error::Options`], [`Error::Hooks`] and, where a session is taken from a store, `Error::Resume` before anything
    /// is started, [`Error::CliNotFound`] or [`Error::Start`] when it can't be,
    /// [`Error::Ended`] with the CLI's own text when it ends in the handshake, and [`Error::Control`] when it refuses
    /// the handshake or does not answer it in time.
    /// [`Error::Hooks`] comes after the handshake where the CLI does not support what a hook asks for by name.
    pub async fn connect(mut self) -> Result<Session, Error> {
        #[cfg(feature = "sessions")]
        self.stored.prepare(&mut self.options, self.transport.is_some()).await?;
        let lowered = self.lower()?;
        let schema = Schema::of(&lowered)?.map(Arc::new);
        self.background.settle(|| inherited(&self.options, CEILING));
        let files = take(&self.given_out);
        if let Some(transport) = self.transport.take() {
            return self.start(schema).over(transport, lowered, files).await;
        }
        let fallback = lowered.awaits_initialize().then(|| self.lower_for_an_old_cli()).transpose()?;
        self.start(schema).process(lowered, fallback).await
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

    /// What answers the CLI, but for the in-process MCP servers: of those each start has its own.
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

/// The reference's own limit for work in the background, in milliseconds.
const CEILING: &str = "CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS";
