//! Builds the launch plan of a session from the options and the callbacks.

use std::path::PathBuf;

use agentwire_protocol::cli;
use agentwire_transport::process::Launch;

use super::{
    SessionBuilder,
    launch::{inherited, launch},
};
use crate::{
    Error, Options, Warning,
    options::{LaunchPlan, PROMPT_TOOL, is_on, refuse, resumes},
};

impl SessionBuilder {
    /// Returns the command line, environment and handshake that the options and callbacks result in.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] if an option can't be used as set, and [`Error::Hooks`] if a hook can't.
    pub fn to_launch_plan(&self) -> Result<LaunchPlan, Error> {
        let mut plan = self.plan_with(&self.parts.options)?;
        // A resumed session continues a deferred tool use without a prompt, so the CLI must wait for the hooks in the
        // handshake.
        if !self.parts.hooks.is_empty()
            && (plan.resumes() || self.parts.options.executable_args.iter().any(|arg| resumes(arg)))
        {
            plan.await_initialize();
        }
        Ok(plan)
    }

    /// Returns whether callbacks exist that a file in the working directory may circumvent.
    pub(super) fn guards(&self) -> bool {
        !self.parts.hooks.is_empty() || self.permissions.is_some()
    }

    /// Returns the directory to check for files that may circumvent the callbacks. A spare's directory is only known at
    /// the claim, and a transport's may be on another machine.
    fn folder_to_check(&self) -> Option<PathBuf> {
        let known = self.transport.is_none() || self.parts.options.cwd.is_some();
        let options = &self.parts.options;
        // With `projectConfigRoot`, the CLI reads these files there instead.
        let dir = || options.project_config_root.clone().unwrap_or_else(|| options.working_dir());
        (known && !self.spare && self.guards()).then(dir)
    }

    fn plan_with(&self, options: &Options) -> Result<LaunchPlan, Error> {
        let with_hooks = (!self.parts.hooks.is_empty()).then(|| options.with_hooks()).transpose()?;
        let options = with_hooks.as_ref().unwrap_or(options);
        let mut plan = options.to_launch_plan()?;
        if self.permissions.is_some() {
            if plan.has_flag(PROMPT_TOOL) {
                let by_option = options.permission_prompt_tool_name.is_some();
                let option = if by_option { "permissionPromptToolName" } else { "extraArgs" };
                let why = format!("`--{PROMPT_TOOL}` is already taken by the permission handler");
                return refuse(option, why);
            }
            plan.flag(PROMPT_TOOL, Some("stdio"));
            #[cfg(feature = "mcp")]
            let in_process = self.parts.mcp_servers.names();
            #[cfg(not(feature = "mcp"))]
            let in_process = Vec::new();
            plan.warnings.extend(options.permission_bypass_warnings(&in_process));
        }
        #[cfg(feature = "sessions")]
        self.parts.stored.remove_store_warnings(&mut plan);
        if self.session_mirror {
            if plan.has_flag("no-session-persistence") {
                return refuse("persistSession", "the CLI mirrors only sessions that it persists");
            }
            let name = cli::env::SKIP_HISTORY;
            // A transport's CLI may be on another machine.
            let is_local = self.transport.is_none();
            let set = if is_local { inherited(options, name) } else { options.env.get(name).cloned() };
            if set.is_some_and(|value| is_on(&value)) {
                return refuse("env", format!("with `{name}` the CLI mirrors no session; see `envRemove`"));
            }
            plan.switch("session-mirror", true);
        }
        #[cfg(feature = "opentelemetry")]
        if options.trace_context.is_none()
            && !options.env.contains_key(cli::env::TRACEPARENT)
            && let Some(trace) = crate::TraceContext::active()
        {
            plan.trace(&trace);
        }
        let hooks = &self.parts.hooks;
        hooks.check()?;
        plan.warnings.extend(hooks.warnings().into_iter().map(Warning::Hook));
        plan.initialize.hooks = hooks.declaration();
        if let Some(dir) = self.folder_to_check() {
            plan.warnings.extend(options.folder_files().in_folder(&dir));
        }
        if let Some(dialogs) = &self.dialogs {
            let known = plan.initialize.supported_dialog_kinds.clone();
            let more = dialogs.kinds().map(Into::into).filter(|kind| !known.contains(kind));
            plan.initialize.supported_dialog_kinds.extend(more);
        }
        plan.switch("await-claim", self.spare);
        #[cfg(feature = "mcp")]
        {
            let mut names = self.parts.mcp_servers.names().into_iter();
            if let Some(name) = names.find(|name| options.mcp_servers.contains_key(name)) {
                let why = format!("`{name}` is also the name of a server in this program");
                return refuse("mcpServers", why);
            }
            self.parts.mcp_servers.declare(&mut plan.initialize);
        }
        Ok(plan)
    }

    /// Returns the launch that [`connect`](Self::connect) uses if no transport is set.
    ///
    /// To wrap the process, pass the launch to a `ProcessTransport`, wrap that, and set it as the
    /// [`transport`](Self::transport) of this builder. The session then owns the private files that the command line
    /// names; they are removed with the session or with the builder.
    ///
    /// # Errors
    ///
    /// [`Error::Options`], [`Error::Hooks`], [`Error::CliNotFound`], and [`Error::Start`] if a private file can't be
    /// written or the named program can't be used, as with [`connect`](Self::connect).
    pub fn launch(&self) -> Result<Launch, Error> {
        let (launch, files) = launch(&self.parts.options, self.to_launch_plan()?)?;
        self.launch_files.lock().extend(files);
        Ok(launch)
    }

    /// Builds the plan for a CLI that does not wait for the handshake: with flags instead of handshake fields.
    pub(super) fn plan_for_old_cli(&self) -> Result<(LaunchPlan, Vec<Warning>), Error> {
        let (options, warnings) = self.parts.options.delivered_by_argv();
        Ok((self.plan_with(&options)?, warnings))
    }
}
