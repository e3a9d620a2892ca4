//! The settings of a worker.

use std::{fmt, pin::Pin, sync::Arc, time::Duration};

use agentwire::{
    Incoming, Options, SessionBuilder,
    hooks::{Hooks, Matcher},
    protocol::hook::PreToolUse,
    sessions::SessionStore,
};
use agentwire_eventlog::EventLog;

use crate::{
    admission::Admission,
    outcome::TurnReport,
    secrets::SecretResolver,
    turn::{Fence, Question, SessionName},
    workspace::{FolderWorkspace, Workspace},
};

/// The settings of a [`Worker`](crate::Worker).
#[must_use = "settings do nothing without a worker"]
pub struct WorkerConfig {
    pub(crate) store: Arc<dyn SessionStore>,
    pub(crate) workspace: Arc<dyn Workspace>,
    pub(crate) options: Options,
    pub(crate) hooks: Hooks,
    pub(crate) approvals: Vec<String>,
    pub(crate) secrets: Option<Arc<dyn SecretResolver>>,
    pub(crate) admission: Admission,
    pub(crate) question_grace: Duration,
    pub(crate) ttl: Duration,
    pub(crate) lease: Option<Duration>,
    pub(crate) events: Option<Arc<dyn EventLog>>,
    pub(crate) configure: Arc<Configure>,
    pub(crate) on_question: Arc<OnEvent<Question>>,
    pub(crate) on_message: Arc<OnEvent<Incoming>>,
    pub(crate) on_end: Arc<OnEnd>,
}

type Configure = dyn Fn(&SessionName, SessionBuilder) -> SessionBuilder + Send + Sync;
type OnEvent<T> = dyn Fn(&Fence, &T) + Send + Sync;
type OnEnd = dyn Fn(TurnReport) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync;

impl WorkerConfig {
    /// Returns settings for sessions in this store, with folders of their own in `workspaces`.
    pub fn new(store: Arc<dyn SessionStore>, workspaces: impl Into<std::path::PathBuf>) -> Self {
        Self {
            store,
            workspace: Arc::new(FolderWorkspace::new(workspaces)),
            options: Options::new(),
            hooks: Hooks::new(),
            approvals: Vec::new(),
            secrets: None,
            admission: Admission::of_machine(),
            question_grace: Duration::from_secs(60),
            ttl: Duration::from_secs(300),
            lease: None,
            events: None,
            configure: Arc::new(|_, builder| builder),
            on_question: Arc::new(|_, _| ()),
            on_message: Arc::new(|_, _| ()),
            on_end: Arc::new(|_| Box::pin(std::future::ready(()))),
        }
    }

    /// Sets where the files of sessions are.
    pub fn workspace(mut self, workspace: impl Workspace + 'static) -> Self {
        self.workspace = Arc::new(workspace);
        self
    }

    /// Sets the options of all sessions. The worker sets the working directory, the session's id and the store itself.
    /// `load_timeout_ms` also limits its own loads from the store.
    ///
    /// If they change while a tool use is parked, the CLI may not resume it; a minute later the model learns the answer, and
    /// may repeat the tool use.
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Adds hooks for all sessions. Those of earlier calls stay, and the worker adds its own.
    pub fn hooks(mut self, hooks: Hooks) -> Self {
        self.hooks = self.hooks.and(hooks);
        self
    }

    /// Sets the tools that need a person's answer before each use, by their exact names as in [`Matcher::tools`]. Rules
    /// and the permission mode do not change this. For other tools the CLI decides.
    ///
    /// [`Worker::new`](crate::Worker::new) refuses a name that no tool can have, such as a rule (`Bash(rm:*)`). The worker
    /// logs a warning for each name that matches none of a session's tools.
    ///
    /// A parked question about one of these tools continues without another call of the model, except in a subagent, in
    /// an in-process MCP server, and beside another open question.
    pub fn approvals<T: Into<String>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.approvals = tools.into_iter().map(Into::into).collect();
        self
    }

    /// Sets how secrets are resolved. Without it a turn that names a secret is interrupted.
    pub fn secrets(mut self, secrets: impl SecretResolver + 'static) -> Self {
        self.secrets = Some(Arc::new(secrets));
        self
    }

    /// Sets how many processes may run. By default, as many as the memory of the machine or the cgroup allows.
    pub fn admission(mut self, admission: Admission) -> Self {
        self.admission = admission;
        self
    }

    /// Sets how long a question waits for a person before it is parked: one minute by default.
    ///
    /// After a day the CLI itself refuses a tool of [`approvals`](Self::approvals).
    pub fn question_grace(mut self, grace: Duration) -> Self {
        self.question_grace = grace;
        self
    }

    /// Sets how long a process waits for the next turn of its session: five minutes by default.
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = ttl;
        self
    }

    /// Sets the time after which other workers may take the sessions over if [`Worker::renew`](crate::Worker::renew) is not called.
    ///
    /// After half of it without a call the worker ends all of its processes. There is no lease by default.
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = Some(lease);
        self
    }

    /// Sets the log of the turns' events, for live streams. The name of a session in it is `tenant/session`.
    ///
    /// The data of an event is a [`TurnInput`](crate::TurnInput) (`start`), a line of the CLI (`message`, and `delta` with
    /// the option `include_partial_messages`), a [`Question`], or a [`TurnReport`] with the number of `missing` events (`end`).
    /// If the log fails, the turn goes on without it, and the failure is logged.
    pub fn events(mut self, log: Arc<dyn EventLog>) -> Self {
        self.events = Some(log);
        self
    }

    /// Sets a function that completes the builder of each session, such as with MCP servers.
    ///
    /// The worker sets the options, permission handler, store and grace periods after it, and adds its hooks.
    pub fn configure(
        mut self,
        f: impl Fn(&SessionName, SessionBuilder) -> SessionBuilder + Send + Sync + 'static,
    ) -> Self {
        self.configure = Arc::new(f);
        self
    }

    /// Sets a function that is called for each question. It must not block.
    pub fn on_question(mut self, f: impl Fn(&Fence, &Question) + Send + Sync + 'static) -> Self {
        self.on_question = Arc::new(f);
        self
    }

    /// Sets a function that is called for each message of a turn, in their order. It must not block.
    pub fn on_message(mut self, f: impl Fn(&Fence, &Incoming) + Send + Sync + 'static) -> Self {
        self.on_message = Arc::new(f);
        self
    }

    /// Sets a function that is called once for each turn that was started, unless the worker goes away or loses its
    /// lease before.
    ///
    /// The next turn of the session may be started within it. A warm session starts that turn after the future is ready.
    pub fn on_end<F, Fut>(mut self, f: F) -> Self
    where
        F: Fn(TurnReport) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        self.on_end = Arc::new(move |end| Box::pin(f(end)));
        self
    }
}

/// Returns a hook for these tools that does nothing: its names are checked, and compared with the tools of a session.
pub(crate) fn approvals_hook(names: &[String]) -> Hooks {
    if names.is_empty() {
        return Hooks::new();
    }
    Hooks::new().on_matching(PreToolUse, Matcher::tools(names), async |_, _| ())
}

impl fmt::Debug for WorkerConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkerConfig").field("approvals", &self.approvals).finish_non_exhaustive()
    }
}
