//! Putting a session together.

use std::{fmt, sync::Arc, time::Duration};

use agentwire_control::{Connection, Responder, Settings, connect};
use agentwire_hooks::{DialogHandler, ElicitationHandler, Hooks, PermissionHandler};
#[cfg(feature = "mcp")]
use agentwire_mcp::McpServers;
use agentwire_transport::{
    BoxTransport, Link, Transport, TransportError,
    process::{self, Launch, ProcessTransport, locate},
};
use tokio::runtime::{Handle, TryCurrentError};

use super::{
    Aside, Background, Place, Session,
    handshake::{Handshake, HandshakeLimit},
    task::{Grace, Task},
};
use crate::{Error, Options, options::Lowered, turn::Schema};

/// A session to be put together: what is data goes into [`Options`], what is code comes here.
#[derive(Default)]
pub struct SessionBuilder {
    pub(super) options: Options,
    hooks: Option<Hooks>,
    permissions: Option<PermissionHandler>,
    elicitation: Option<ElicitationHandler>,
    dialogs: Option<DialogHandler>,
    #[cfg(feature = "mcp")]
    mcp_servers: McpServers,
    responders: Vec<Box<dyn Responder>>,
    pub(super) transport: Option<BoxTransport>,
    on_stderr: Option<StderrSink>,
    settings: Settings,
    grace: Grace,
    unguarded: bool,
    background: Background,
    handshake_limit: HandshakeLimit,
    /// Whether the process is to wait for a claim.
    pub(super) spare: bool,
}

type StderrSink = Arc<dyn Fn(&str) + Send + Sync>;

impl SessionBuilder {
    /// Sets the options.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Sets the hooks.
    #[must_use]
    pub fn hooks(mut self, hooks: Hooks) -> Self {
        self.hooks = Some(hooks);
        self
    }

    /// Sets who is asked when neither a rule nor the mode permits a tool use (`--permission-prompt-tool=stdio`).
    ///
    /// Without it the CLI denies such uses.
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

    /// Sets the numbers that bound the session.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// How long the CLI may take to end by itself once its input has ended, and again once it was asked to (SIGTERM)
    /// and once it was made to (SIGKILL).
    /// 10 and 5 seconds by default.
    /// A process that was killed gets at least two seconds to be gone, whatever is set.
    ///
    /// Closing and dropping a session, and the end of a [`Query`](crate::Query), are bounded by it.
    /// Where a [`transport`](Self::transport) is set, dropping is that one's business.
    #[must_use]
    pub fn grace(mut self, after_input: Duration, after_terminate: Duration) -> Self {
        self.grace = Grace { after_input, after_terminate };
        self
    }

    /// Whether a guard process sees to the CLI's end where this program can't, because it was killed, has crashed, or
    /// has returned from `main`. On by default.
    ///
    /// It gives the CLI the same [`grace`](Self::grace), and costs about a millisecond at the start.
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
    /// Must be called in a tokio runtime with I/O and time; without one the error is [`Error::Start`].
    /// The session's task runs there.
    ///
    /// # Cancellation
    ///
    /// Dropping the future ends a CLI that has been started, in the background.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] before anything is started, [`Error::CliNotFound`] or [`Error::Start`] when it can't be,
    /// [`Error::Ended`] with the CLI's own text when it ends in the handshake, and [`Error::Control`] when it refuses
    /// the handshake or does not answer it in time.
    pub async fn connect(mut self) -> Result<Session, Error> {
        let lowered = self.lower()?;
        let schema = Schema::of(&lowered)?.map(Arc::new);
        self.background.settle(|| inherited(&self.options, CEILING));
        let initialize = lowered.initialize.clone();
        let transport = match self.transport.take() {
            Some(transport) => transport,
            None => BoxTransport::new(self.process(lowered)?),
        };
        let runtime = Handle::try_current().map_err(no_runtime)?;
        let Link { source, sink, lifeline } = transport.open().await?;
        let lifeline = Arc::new(lifeline);
        let link = Link { source, sink, lifeline: Arc::clone(&lifeline) };
        let (grace, background, settings) = (self.grace, self.background.clone(), self.settings.clone());
        let most_aside = settings.parked_open;
        let HandshakeLimit(limit) = self.handshake_limit;
        let Connection { control, messages, driver } = connect(link, self.responder_of_all(), settings);
        let task = Task::spawn(&runtime, control.clone(), driver, lifeline, grace);
        let handshake = Handshake::shake(&control, initialize, limit).await?;
        Ok(Session {
            control,
            messages,
            task,
            background,
            handshake,
            schema,
            place: Place::default(),
            aside: Aside::default(),
            most_aside,
            ending: None,
        })
    }

    /// What the options and the callbacks become on the command line, in the environment and in the handshake.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] where an option can't be used as it is set.
    pub fn lower(&self) -> Result<Lowered, Error> {
        let mut lowered = self.options.lower()?;
        if self.permissions.is_some() {
            if lowered.has_flag(PERMISSION_FLAG) {
                let why = format!("`--{PERMISSION_FLAG}` is already taken by the permission callback");
                return Err(Error::Options { option: "extraArgs", why });
            }
            lowered.args.push(format!("--{PERMISSION_FLAG}=stdio"));
        }
        if let Some(hooks) = &self.hooks {
            lowered.initialize.hooks = hooks.declaration();
        }
        if let Some(dialogs) = &self.dialogs {
            lowered.initialize.supported_dialog_kinds = dialogs.kinds().map(Into::into).collect();
        }
        if self.spare {
            lowered.args.push(format!("--{CLAIM_FLAG}"));
        }
        #[cfg(feature = "mcp")]
        {
            lowered.initialize.sdk_mcp_servers = self.mcp_servers.names();
        }
        Ok(lowered)
    }

    /// What [`connect`](Self::connect) starts where no transport is set.
    ///
    /// For those who wrap the process: give the launch to a `ProcessTransport`, wrap that, and set it as the
    /// [`transport`](Self::transport).
    ///
    /// # Errors
    ///
    /// [`Error::Options`] and [`Error::CliNotFound`], as with [`connect`](Self::connect).
    pub fn launch(&self) -> Result<Launch, Error> {
        launch(&self.options, self.lower()?)
    }

    /// The CLI as a child process, which ends in the same bounds whether the session is closed or dropped.
    fn process(&self, lowered: Lowered) -> Result<ProcessTransport, Error> {
        let Grace { after_input, after_terminate } = self.grace;
        let grace = process::Grace::default().after_input(after_input).after_terminate(after_terminate);
        let launch = launch(&self.options, lowered)?;
        let transport = ProcessTransport::new(launch).grace(grace).guard(!self.unguarded);
        Ok(match self.on_stderr.clone() {
            Some(sink) => transport.on_stderr(move |line| sink(line)),
            None => transport,
        })
    }

    fn responder_of_all(self) -> Arc<dyn Responder> {
        let mut all: Vec<Box<dyn Responder>> = Vec::new();
        all.extend(self.hooks.map(|hooks| Box::new(hooks) as Box<dyn Responder>));
        all.extend(self.permissions.map(|permissions| Box::new(permissions) as Box<dyn Responder>));
        all.extend(self.elicitation.map(|elicitation| Box::new(elicitation) as Box<dyn Responder>));
        all.extend(self.dialogs.map(|dialogs| Box::new(dialogs) as Box<dyn Responder>));
        #[cfg(feature = "mcp")]
        all.push(Box::new(self.mcp_servers.bridge()));
        all.extend(self.responders);
        self.background.watch(all)
    }
}

/// Without this check, tokio panics.
fn no_runtime(error: TryCurrentError) -> Error {
    let action = "finding the tokio runtime";
    Error::Start(TransportError::Io { action, source: std::io::Error::other(error) })
}

/// The CLI's launch, as the options say.
fn launch(options: &Options, lowered: Lowered) -> Result<Launch, Error> {
    let program = locate(options.path_to_claude_code_executable.as_deref())?;
    let mut launch = Launch::new(program).args(lowered.args);
    if options.env_clear {
        launch = launch.env_clear();
    }
    if let Some(dir) = &options.cwd {
        launch = launch.cwd(dir);
    }
    launch = lowered.env_remove.into_iter().fold(launch, Launch::env_remove);
    Ok(lowered.env.into_iter().fold(launch, |launch, (name, value)| launch.env(name, value)))
}

/// What the CLI finds in its environment under this name.
fn inherited(options: &Options, name: &str) -> Option<String> {
    let set = options.env.get(name).cloned();
    set.or_else(|| {
        let passed = !options.env_clear && !options.env_remove.contains(name);
        passed.then(|| std::env::var(name).ok()).flatten()
    })
}

impl Default for Grace {
    fn default() -> Self {
        Self { after_input: Duration::from_secs(10), after_terminate: Duration::from_secs(5) }
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
            .field("settings", &self.settings)
            .field("grace", &self.grace)
            .field("guard", &!self.unguarded)
            .field("background_limit", &self.background.limit())
            .finish_non_exhaustive()
    }
}

const CLAIM_FLAG: &str = "await-claim";
/// The reference's own limit for work in the background, in milliseconds.
const CEILING: &str = "CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS";
const PERMISSION_FLAG: &str = "permission-prompt-tool";
