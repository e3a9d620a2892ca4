//! Starts a session, and starts it again with flags if the CLI ignores the handshake fields.

use std::{
    io,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::Duration,
};

use agentwire_codec::Incoming;
use agentwire_control::{Config, Control, ControlError, Messages, Prepared, Responder, SessionEvent};
use agentwire_hooks::Hooks;
#[cfg(feature = "mcp")]
use agentwire_mcp::McpServers;
use agentwire_protocol::{Message, System, cli};
use agentwire_transport::{
    BoxTransport, PeerHandle as _, Transport, TransportError,
    process::{CliVersion, Grace, ProcessTransport},
};
use tokio::{task::coop::unconstrained, time::timeout};

use super::{
    BackgroundWork, Session, SkippedMessages,
    builder::StderrSink,
    deferral::Deferrals,
    handshake::{HANDSHAKE_LIMIT, Handshake},
    launch::launch,
    private_files::PrivateDir,
    runtime,
    task::Task,
};
use crate::{
    Error, Options, Warning,
    observe::Watch,
    options::{AWAIT_INITIALIZE, LaunchPlan, OptionInfo, OptionOrigin, check_applied, check_in_force},
    turn::Schema,
};

/// The parts of a builder that each start of the CLI needs.
#[derive(Default)]
pub(super) struct StartParts {
    pub(super) options: Options,
    pub(super) hooks: Hooks,
    #[cfg(feature = "mcp")]
    pub(super) mcp_servers: McpServers,
    pub(super) on_stderr: Option<StderrSink>,
    pub(super) config: Config,
    /// The grace periods after the end of input and after SIGTERM.
    pub(super) grace: Option<(Duration, Duration)>,
    pub(super) orphan_grace: Option<Duration>,
    pub(super) unguarded: bool,
    pub(super) background: BackgroundWork,
    pub(super) handshake_limit: Option<Duration>,
    #[cfg(feature = "sessions")]
    pub(super) stored: super::stored::Stored,
}

impl StartParts {
    /// Returns the grace periods. The defaults are longer than those of a bare transport.
    pub(super) fn grace(&self) -> Grace {
        let second = Duration::from_secs(1);
        let (after_input, after_terminate) = self.grace.unwrap_or((10 * second, 5 * second));
        let grace = Grace::default().after_input(after_input).after_terminate(after_terminate);
        self.orphan_grace.map_or(grace, |orphaned| grace.orphaned(orphaned))
    }
}

/// Everything that starting a session needs; starting may be repeated.
pub(super) struct Start {
    pub(super) parts: StartParts,
    /// All handlers except the in-process MCP servers, of which each start needs fresh ones.
    pub(super) responder: Arc<dyn Responder>,
    pub(super) schema: Option<Arc<Schema>>,
    /// Whether there is a permission handler.
    pub(super) asks: bool,
    pub(super) watch: Arc<Watch>,
}

impl Start {
    /// Starts the CLI. `fallback` is the plan for a CLI that ignores the handshake fields.
    pub(super) async fn process(
        &self,
        plan: LaunchPlan,
        fallback: Option<Result<(LaunchPlan, Vec<Warning>), Error>>,
    ) -> Result<Session, Error> {
        let first = self.once(plan).await;
        let Some(fallback) = fallback else { return first };
        match first {
            Err(error) if is_too_old_to_wait(&error) => {}
            // The CLI did not wait for the handshake and has done nothing yet.
            Ok(session) if !undelivered_warnings(&session.handshake, false).is_empty() => {
                session.close().await?;
            }
            outcome => return outcome,
        }
        let (plan, warnings) = fallback?;
        let mut session = self.once(plan).await?;
        session.warnings.splice(0..0, warnings);
        Ok(session)
    }

    async fn once(&self, plan: LaunchPlan) -> Result<Session, Error> {
        let (launch, files) = launch(&self.parts.options, plan.clone())?;
        let transport = ProcessTransport::new(launch).grace(self.parts.grace()).guard(!self.parts.unguarded);
        let transport = match self.parts.on_stderr.clone() {
            Some(sink) => transport.on_stderr(move |line| sink(line)),
            None => transport,
        };
        #[cfg(feature = "sessions")]
        let transport = transport.attach(self.parts.stored.folder.clone());
        self.over(BoxTransport::new(transport), plan, files.into_iter().collect()).await
    }

    /// Asks the in-process servers for their manifests, opens the transport and performs the handshake.
    ///
    /// The order matters: once the CLI runs, it may act without the hooks of the handshake.
    pub(super) async fn over(
        &self,
        mut transport: BoxTransport,
        #[cfg_attr(not(feature = "mcp"), expect(unused_mut, reason = "servers change it"))]
        mut plan: LaunchPlan,
        files: Vec<PrivateDir>,
    ) -> Result<Session, Error> {
        let runtime = runtime::current()?;
        let mut config = self.parts.config.clone();
        if let Some(bytes) = self.parts.options.max_buffer_size {
            config.limits.max_line = bytes;
        }
        #[cfg(feature = "sessions")]
        {
            config.limits.max_line = config.limits.max_line.saturating_add(self.parts.stored.copied);
        }
        config.server_policies.clone_from(&plan.initialize.sdk_mcp_server_configs);
        config.client_composed |= plan.client_composed;
        let max_skipped_bytes = config.unread_hard_limit.max(config.unread_soft_limit);
        let responders = vec![Arc::clone(&self.responder)];
        #[cfg(feature = "mcp")]
        let bridge = self.parts.mcp_servers.bridge();
        #[cfg(feature = "mcp")]
        let responders = [vec![Arc::new(bridge.clone()) as Arc<dyn Responder>], responders].concat();
        let deferrals = Deferrals::new(responders, &plan.initialize.sdk_mcp_servers);
        let message_filter = deferrals.filter();
        let responder = self.parts.background.watch(deferrals, &self.watch);
        let watch = Arc::clone(&self.watch);
        let prepared = Prepared::new(responder, watch, config);
        #[cfg(feature = "mcp")]
        {
            plan.initialize.sdk_mcp_server_manifests = bridge.manifests(prepared.control()).await;
        }
        // At the end of its input, the CLI would run tool uses that a hook has not refused yet.
        if self.responder.guards() {
            transport.hold_input();
        }
        let limit = self.parts.handshake_limit.unwrap_or(HANDSHAKE_LIMIT);
        let late = |_| {
            let why = format!("it took longer than the `handshake_limit` of {limit:?}");
            TransportError::Io { action: "opening the connection", source: io::Error::other(why) }
        };
        let link = timeout(limit, transport.open()).await.map_err(late)??;
        let handle = link.handle.clone();
        self.watch.begin_session();
        #[cfg(feature = "sessions")]
        let (mirror, filter) = self.parts.stored.mirror(&runtime, &self.parts.options).unzip();
        #[cfg(not(feature = "sessions"))]
        let filter = None;
        let connection = prepared.filter(message_filter).filter(filter).connect(link);
        let (control, mut messages, task) =
            Task::spawn(&runtime, connection, handle.clone(), self.parts.grace());
        let handshake = Handshake::perform(&control, plan.initialize, limit).await;
        let handshake = handshake.map_err(|error| explained(error, &mut messages, &handle.stderr_tail()))?;
        let warnings = self.check(&control, &handshake, plan.warnings).await?;
        #[cfg(feature = "mcp")]
        if !self.parts.mcp_servers.is_empty() {
            bridge.on_initialized(&handshake.reply);
        }
        Ok(Session {
            control,
            messages,
            #[cfg(feature = "sessions")]
            mirror,
            discarded_store_failure: false,
            task,
            background: BackgroundWork { runtime: Some(runtime), ..self.parts.background.clone() },
            handshake,
            id: None,
            schema: self.schema.clone(),
            skipped: SkippedMessages::default(),
            max_skipped_bytes,
            ending: None,
            watch: Arc::clone(&self.watch),
            warnings,
            unchecked: Some(self.parts.hooks.clone()),
            files,
        })
    }

    /// Checks after the handshake whether the CLI supports the hooks and has applied the settings, and adds warnings to
    /// those of the plan.
    async fn check(
        &self,
        control: &Control,
        handshake: &Handshake,
        mut warnings: Vec<Warning>,
    ) -> Result<Vec<Warning>, Error> {
        if !self.parts.hooks.is_empty() {
            let unsupported = self.parts.hooks.check_supported(&handshake.reply)?;
            warnings.extend(unsupported.map(Warning::Hook));
        }
        if self.parts.options.has_own_settings() {
            let settings = control.settings().await?;
            check_applied(&self.parts.options, &settings)?;
            if !self.parts.hooks.is_empty() {
                check_in_force(&settings.effective)?;
            }
        }
        warnings.extend(self.version_warnings(handshake));
        let bypass = handshake.bypass_warning().filter(|warning| self.asks && !warnings.contains(warning));
        warnings.extend(bypass);
        Ok(warnings)
    }

    /// Returns warnings about options that need a newer CLI, if the handshake reveals the version.
    fn version_warnings(&self, Handshake { request, reply, .. }: &Handshake) -> Vec<Warning> {
        let skipped = std::env::var_os(SKIP_VERSION_CHECK).is_some_and(|value| !value.is_empty());
        if !self.parts.options.version_check.unwrap_or(!skipped) {
            return Vec::new();
        }
        let found = reply.claude_code_version.as_deref();
        let version = found.and_then(CliVersion::parse);
        let mut warnings = Vec::new();
        if let Some(version) = version
            && version < CliVersion::MIN
        {
            warnings.push(Warning::CliTooOld { found: version.to_string(), needed: cli::MIN_VERSION });
        }
        // A reply without a version comes from an older CLI or another peer. An unparsable version is not judged.
        if found.is_some() != version.is_some() || reply.commands.is_empty() {
            return warnings;
        }
        let assumed = version.unwrap_or(OLDEST_TESTED);
        let is_newer = |needed| CliVersion::parse(needed).is_some_and(|needed| assumed < needed);
        let is_too_new = |option: &&OptionInfo| {
            option.origin != OptionOrigin::Own && !DELIVERED.contains(&option.name) && is_newer(option.since)
        };
        let found = found.map(str::to_owned);
        let warning = |option, needed| Warning::OptionTooNew { option, found: found.clone(), needed };
        let too_new = self.parts.options.changed(Options::described().iter().filter(is_too_new).collect());
        warnings.extend(too_new.into_iter().map(|option| warning(option.name, option.since)));
        if !request.sdk_mcp_server_configs.is_empty() && is_newer(SERVER_CONFIGS) {
            warnings.push(warning("sdkMcpServerConfigs", SERVER_CONFIGS));
        }
        warnings
    }
}

/// Returns whether the CLI rejected the flag that makes it wait for the handshake: versions before 2.1.261 exit with
/// this text.
fn is_too_old_to_wait(error: &Error) -> bool {
    let exit = error.ending().and_then(|ending| ending.exit.as_ref());
    exit.is_some_and(|exit| exit.stderr_tail.contains(&format!("unknown option '--{AWAIT_INITIALIZE}'")))
}

/// Adds the causes to the error of a failed handshake: the hooks of the settings that still run, because the CLI replies
/// after them, the stderr, and the first line that is not JSON, such as the question of another program.
fn explained(mut error: Error, messages: &mut Messages, stderr: &str) -> Error {
    let (mut running, mut output) = (Vec::new(), None);
    let mut context = Context::from_waker(Waker::noop());
    // Without the task's budget, which would hide the rest of the messages.
    while let Poll::Ready(Ok(event)) = pin!(unconstrained(messages.next())).poll(&mut context) {
        match event {
            SessionEvent::Incoming(Incoming::NonJson(line), _) => _ = output.get_or_insert(line),
            SessionEvent::Incoming(Incoming::Message(Message::System(message), _), _) => match message {
                System::HookStarted(hook) => running.push(hook),
                System::HookResponse(ended) => running.retain(|hook| hook.hook_id != ended.hook_id),
                _ => {}
            },
            _ => {}
        }
    }
    let output = output.map(|line| format!("output that is not JSON: `{}`", line.excerpt().trim_end()));
    match &mut error {
        Error::Control(ControlError::TimedOut { detail, .. }) => {
            let running = running.iter().map(|hook| &hook.hook_name);
            let running = running.map(|hook| format!("the hook `{hook}` of the settings still runs"));
            let stderr = Some(stderr.trim_end()).filter(|tail| !tail.is_empty());
            let causes = running.chain(stderr.map(|tail| format!("stderr: {tail}"))).chain(output);
            *detail = causes.collect::<Vec<_>>().join(", ");
        }
        Error::Ended(ending) if ending.error_result.is_none() && ending.transport.is_none() => {
            Arc::make_mut(ending).transport = output.or_else(|| Some("in the handshake".to_owned()));
        }
        _ => {}
    }
    error
}

/// Returns warnings about handshake fields that the CLI ignored.
///
/// `plugins_applied: false` comes from a CLI without `--await-initialize`, which may have loaded the plugins by itself.
/// It causes a warning only `over_transport`: our own process has the flag, and another start would not help.
pub(super) fn undelivered_warnings(handshake: &Handshake, over_transport: bool) -> Vec<Warning> {
    let Handshake { request, reply, .. } = handshake;
    let servers = !request.mcp_servers.is_empty() && reply.mcp_servers_applied != Some(true);
    let plugins = !request.plugins.is_empty()
        && reply.plugins_applied.is_none_or(|are_loaded| over_transport && !are_loaded);
    let warning = |option, is: bool| is.then_some(Warning::NotDelivered { option });
    warning("mcpServers", servers).into_iter().chain(warning("plugins", plugins)).collect()
}

/// The variable of the reference SDKs.
const SKIP_VERSION_CHECK: &str = "CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK";
/// The oldest tested version, assumed for a CLI that does not report its version.
const OLDEST_TESTED: CliVersion = CliVersion { major: 2, minor: 1, patch: 197 };
/// The oldest known version that applies the policies of in-process servers; 2.1.197 ignores them.
const SERVER_CONFIGS: &str = "2.1.330";
/// Options that are delivered in another way to an older CLI.
const DELIVERED: &[&str] = &["mcpServersDelivery", "pluginDelivery"];
