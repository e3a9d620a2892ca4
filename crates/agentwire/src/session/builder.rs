//! The builder of a session.

use std::{fmt, sync::Arc, time::Duration};

use agentwire_control::{Config, Responder};
use agentwire_hooks::{DialogHandler, ElicitationHandler, Hooks, PermissionHandler};
#[cfg(feature = "mcp")]
use agentwire_mcp::McpServers;
use agentwire_protocol::control::RequestUserDialogReply;
use agentwire_transport::{BoxTransport, Lock, Transport};

use super::{
    Session,
    launch::inherited,
    private_files::PrivateDir,
    start::{Start, StartParts, undelivered_warnings},
};
use crate::{Error, Options, observe::Watch, turn::Schema};

/// A builder for a session: data goes into [`Options`], code is set here.
#[derive(Default)]
pub struct SessionBuilder {
    pub(super) parts: StartParts,
    pub(super) permissions: Option<PermissionHandler>,
    elicitation: Option<ElicitationHandler>,
    pub(super) dialogs: Option<DialogHandler>,
    responders: Vec<Box<dyn Responder>>,
    pub(super) transport: Option<BoxTransport>,
    pub(super) spare: bool,
    pub(super) session_mirror: bool,
    observe_contents: bool,
    pub(super) launch_files: Lock<Vec<PrivateDir>>,
}

pub(super) type StderrSink = Arc<dyn Fn(&str) + Send + Sync>;

/// Defines setters that replace a field.
macro_rules! setters {
    ($($(#[$attr:meta])* $name:ident: $ty:ty => $($field:ident).+ = $value:expr;)+) => {
        impl SessionBuilder {$(
            $(#[$attr])*
            #[must_use]
            pub fn $name(mut self, $name: $ty) -> Self {
                self.$($field).+ = $value;
                self
            }
        )+}
    };
}

setters! {
    /// Sets the options. A later call replaces all of them.
    options: Options => parts.options = options;

    /// Sets the handler that decides tool uses which neither a rule nor the mode permits
    /// (`--permission-prompt-tool=stdio`). A later call replaces it.
    ///
    /// Without it the CLI denies such uses.
    /// If an option keeps the CLI from calling it, the session's warnings contain
    /// [`Warning::NotAsked`](crate::Warning::NotAsked).
    permissions: PermissionHandler => permissions = Some(permissions);

    /// Sets the handler that answers questions of MCP servers to the user (`elicitation`).
    ///
    /// Without it such questions are cancelled.
    elicitation: ElicitationHandler => elicitation = Some(elicitation);

    /// Sets the handler that shows the CLI's dialogs to the user, and the kinds it supports
    /// (`initialize.supportedDialogKinds`).
    ///
    /// Without it the CLI shows no dialogs and takes the default action.
    dialogs: DialogHandler => dialogs = Some(dialogs);

    /// Sets the in-process MCP servers. A later call replaces all of them.
    #[cfg(feature = "mcp")]
    mcp_servers: McpServers => parts.mcp_servers = mcp_servers;

    /// Connects through this transport instead of starting the CLI as a child process.
    ///
    /// Options that become arguments or environment variables are then up to the transport.
    transport: impl Transport + 'static => transport = Some(BoxTransport::new(transport));

    /// Calls `sink` for each line that the CLI writes to stderr, as plain text.
    ///
    /// The sink runs on a thread of its own and must not block for long.
    /// The end of stderr is always kept for error messages.
    /// If a [`transport`](Self::transport) is set, stderr is up to that transport.
    on_stderr: impl Fn(&str) + Send + Sync + 'static => parts.on_stderr = Some(Arc::new(on_stderr));

    /// Sets the limits of the session.
    config: Config => parts.config = config;

    /// Sets how long the CLI may run after this program was killed, before it receives SIGTERM: 2 seconds by default.
    /// The grace period is zero if a hook can refuse something, because the CLI would continue without asking it.
    orphan_grace: Duration => parts.orphan_grace = Some(orphan_grace);

    /// Sets whether a guard process ends the CLI when this program was killed, crashed or returned from `main`. On by
    /// default.
    ///
    /// It allows the CLI the [`orphan_grace`](Self::orphan_grace).
    /// If the guard can't be started, the session starts without it, but not if a hook can refuse something.
    /// If a [`transport`](Self::transport) is set, the guard is up to that transport.
    guard: bool => parts.unguarded = !guard;

    /// Sets how long a [`Query`](crate::Query) continues after a result until the CLI is idle or begins another turn.
    /// `None` and zero mean no limit.
    ///
    /// The default is `CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS` milliseconds if that variable is in the CLI's environment
    /// (set by the options or inherited; 0 means no limit), else 10 minutes, the default of the reference SDKs.
    ///
    /// The limit covers background agents and a frozen CLI.
    /// When it expires, the query ends the CLI's input, and from then on [`grace`](Self::grace) applies; in the
    /// reference SDKs background agents continue.
    /// With [`query_all`](crate::query_all) it starts at the end of the stream at the earliest.
    /// It restarts when the CLI reports that it is still working and when a callback has run.
    /// A turn itself has no time limit.
    background_limit: impl Into<Option<Duration>> =>
        parts.background.limit = Some(background_limit.into().unwrap_or_default());

    /// Sets how long the transport may take to open, and then the CLI to answer the handshake, in which it starts MCP
    /// servers and runs the `SessionStart` hooks of the settings. Two minutes by default. The error names the hooks that
    /// still run.
    handshake_limit: Duration => parts.handshake_limit = Some(handshake_limit);
}

impl SessionBuilder {
    /// Sets how long the CLI may take to exit after the end of its input, and again after SIGTERM and after SIGKILL.
    /// The defaults are 10 and 5 seconds; after SIGKILL at least two seconds are allowed.
    /// Each step is limited to one second if the CLI was given no work (no prompt was sent, the handshake failed or was
    /// dropped, or a spare was never claimed), because then there is no conversation to store.
    ///
    /// It bounds closing and dropping a session, and the end of a [`Query`](crate::Query). If a
    /// [`transport`](Self::transport) is set, dropping is up to that transport.
    #[must_use]
    pub fn grace(mut self, after_input: Duration, after_terminate: Duration) -> Self {
        self.parts.grace = Some((after_input, after_terminate));
        self
    }

    /// Adds hooks. Those of earlier calls stay, in front of these.
    ///
    /// The guide `docs/hooks.md` lists what a hook can do for each event.
    #[must_use]
    pub fn hooks(mut self, hooks: Hooks) -> Self {
        self.parts.hooks = self.parts.hooks.and(hooks);
        self
    }

    /// Adds a responder for requests that none of the other handlers answers.
    #[must_use]
    pub fn responder(mut self, responder: impl Responder) -> Self {
        self.responders.push(Box::new(responder));
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

    /// Starts the CLI and performs the handshake. The session is then ready for its first prompt.
    ///
    /// Must be called in a tokio runtime with I/O and time (`enable_all`); otherwise it returns [`Error::Start`].
    /// If the runtime lacks one of them, tokio also prints a panic message, which can't be prevented.
    /// The session's task is spawned on that runtime. The limits of calls and of `close` pass only while that is polled: a
    /// runtime with one thread needs a `block_on`.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future shuts down a CLI that was already started, in the background.
    ///
    /// # Errors
    ///
    /// [`Error::Options`], [`Error::Hooks`] and `Error::Resume` (for a session from a store) before anything is
    /// started; [`Error::Options`] also after the handshake, if the CLI ignores the settings or they disable hooks.
    /// [`Error::CliNotFound`] or [`Error::Start`] if the CLI can't be started.
    /// [`Error::Ended`] with the CLI's own text if it exits during the handshake, or [`Error::NotLoggedIn`] for a
    /// missing login.
    /// [`Error::Control`] if it refuses the handshake or does not answer in time.
    /// [`Error::Hooks`] after the handshake if the CLI does not support a feature that a hook requires by name.
    pub async fn connect(mut self) -> Result<Session, Error> {
        #[cfg(feature = "sessions")]
        self.parts.stored.prepare(&mut self.parts.options, self.transport.is_some()).await?;
        let plan = self.to_launch_plan()?;
        let schema = Schema::of(&plan)?.map(Arc::new);
        self.parts.background.set_default_limit(|| inherited(&self.parts.options, CEILING));
        let files = std::mem::take(&mut *self.launch_files.lock());
        if let Some(transport) = self.transport.take() {
            let mut session = self.start(schema).over(transport, plan, files).await?;
            session.warnings.extend(undelivered_warnings(&session.handshake, true));
            return Ok(session);
        }
        let fallback = plan.awaits_initialize().then(|| self.plan_for_old_cli());
        self.start(schema).process(plan, fallback).await
    }

    fn start(self, schema: Option<Arc<Schema>>) -> Start {
        let watch = Watch::new(&self.parts.hooks, self.observe_contents);
        let (asks, hooks) = (self.permissions.is_some(), self.parts.hooks.clone());
        let mut responders: Vec<Box<dyn Responder>> = Vec::new();
        if !hooks.is_empty() {
            responders.push(Box::new(hooks));
        }
        responders.extend(self.permissions.map(|permissions| Box::new(permissions) as Box<dyn Responder>));
        responders.extend(self.elicitation.map(|elicitation| Box::new(elicitation) as Box<dyn Responder>));
        responders.extend(self.dialogs.map(|dialogs| Box::new(dialogs) as Box<dyn Responder>));
        responders.extend(self.responders);
        let kinds = self.parts.options.supported_dialog_kinds.clone();
        if !kinds.is_empty() {
            // A dialog of a declared kind keeps the turn open until a reply; an error does not close it.
            let dismiss = DialogHandler::new(kinds, async |_, _| RequestUserDialogReply::cancelled());
            responders.push(Box::new(dismiss));
        }
        Start { parts: self.parts, responder: Arc::new(responders), schema, asks, watch }
    }
}

impl fmt::Debug for SessionBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionBuilder")
            .field("options", &self.parts.options)
            .field("hooks", &!self.parts.hooks.is_empty())
            .field("permissions", &self.permissions.is_some())
            .field("elicitation", &self.elicitation.is_some())
            .field("dialogs", &self.dialogs)
            .field("on_stderr", &self.parts.on_stderr.is_some())
            .field("transport", &self.transport)
            .field("config", &self.parts.config)
            .field("grace", &self.parts.grace())
            .field("guard", &!self.parts.unguarded)
            .field("observe_contents", &self.observe_contents)
            .field("background_limit", &self.parts.background.limit())
            .finish_non_exhaustive()
    }
}

/// The variable of the reference SDKs for the background limit, in milliseconds.
const CEILING: &str = "CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS";
