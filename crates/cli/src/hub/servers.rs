//! The configured servers: the user's, and those of the current folder.

use std::collections::HashMap;
use std::convert::Infallible;
use std::env;
use std::future::pending;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agentwire_hub::config::{Configured, Launch, Problem, ProblemKind, Severity, Sources, Variables};
use agentwire_hub::{Approval, CallLimits, ClientHandlers, Hub, ServerSnapshot, ServerState, hubs_above};
use futures_util::StreamExt as _;

use crate::failure::Failure;
use crate::output::{self, plain};

// A doc comment here would replace the description of the commands that flatten it.
#[derive(Debug, clap::Args)]
pub struct Servers {
    /// A file with `mcpServers`, instead of the user's `~/.claude.json`
    #[arg(long = "config", value_name = "FILE")]
    configs: Vec<PathBuf>,
    /// Start the servers of this folder's .mcp.json, .roo/mcp.json and .vscode/mcp.json too
    #[arg(long)]
    trust: bool,
}

impl Servers {
    /// Starts the servers, and reports problems of their files on the standard error. Must be called in a runtime.
    /// Fails if a named file is not regular or can't be read as a whole, or if this hub seems to have started itself.
    pub fn start(&self, approval: Approval) -> Result<Hub, Failure> {
        self.start_within(CallLimits::default(), approval, output::note)
    }

    /// Starts the servers as [`start`](Self::start) does, with limits for calls. `note` gets the problems.
    pub(super) fn start_within(
        &self,
        limits: CallLimits,
        approval: Approval,
        note: impl Fn(String),
    ) -> Result<Hub, Failure> {
        let may_list_itself = self.configs.is_empty() || self.trust;
        if hubs_above() > if may_list_itself { 0 } else { MAX_HUBS_ABOVE } {
            return Err(Failure::new(
                "a hub started this program (AGENTWIRE_HUBS), so it may start itself without end: use --config \
                 with a file that does not list it, and no --trust",
            ));
        }
        if let Some(config) = self.configs.iter().find(|file| !file.is_file()) {
            let file = config.display();
            return Err(Failure::new(match config.exists() {
                true => format!("{file} is not a regular file: --config takes a file with `mcpServers`"),
                false => format!("there is no file {file}"),
            }));
        }
        let user = if self.configs.is_empty() { user_file() } else { None };
        let sources =
            self.configs.iter().cloned().chain(user).fold(Sources::new().project("."), Sources::global);
        // Questions of servers go to the client of the gateway.
        let handlers = ClientHandlers::new().ask_callers();
        let hub = Hub::builder()
            .sources(sources)
            .variables(Variables::new().workspace("."))
            .trust_projects(self.trust)
            .approval(approval)
            .limits(limits)
            .handlers(handlers)
            // A client kills the gateway two seconds after SIGTERM.
            .grace(Duration::from_millis(500), Duration::from_secs(1))
            .build();
        for problem in problems(&hub) {
            let is_named = problem.file.as_ref().is_some_and(|file| self.names(file));
            if is_named && problem.path.is_empty() && problem.severity() == Severity::Error {
                return Err(Failure::new(problem.to_string()));
            }
            note(problem.to_string());
        }
        let is_read = hub.problems().iter().all(|problem| problem.severity() != Severity::Error);
        if is_read && hub.snapshot().is_empty() {
            note("no MCP server is configured".to_owned());
        }
        untrusted(&hub).into_iter().for_each(note);
        Ok(hub)
    }

    /// Returns whether an option other than its default is set.
    pub fn is_set(&self) -> bool {
        self.trust || !self.configs.is_empty()
    }

    /// Returns whether the user has named this file.
    fn names(&self, file: &Path) -> bool {
        self.configs.iter().any(|config| std::path::absolute(config).is_ok_and(|config| config == file))
    }
}

/// Reports servers that fail, are lost, need an authorization or have unreadable lists, and problems and untrusted servers
/// of changed files. `note` gets each line.
pub(crate) async fn report(hub: &Hub, note: impl Fn(String)) -> Infallible {
    let of_files =
        || -> Vec<String> { problems(hub).iter().map(ToString::to_string).chain(untrusted(hub)).collect() };
    let (mut events, mut reported, mut known) = (hub.events(), HashMap::new(), of_files());
    loop {
        for server in hub.snapshot() {
            let name = server.configured.name;
            let why = match server.state {
                ServerState::Failed { why } | ServerState::Reconnecting { why, .. } => why.to_string(),
                ServerState::NeedsAuthentication { challenge } => unauthorized(challenge.as_deref()),
                ServerState::Connected { .. } => match unread(hub, name.as_str()) {
                    Some(why) => why,
                    None => {
                        reported.remove(&name);
                        continue;
                    }
                },
                _ => continue,
            };
            if reported.get(&name) != Some(&why) {
                note(plain(&format!("{}: {why}", name.as_str())));
                reported.insert(name, why);
            }
        }
        let now = of_files();
        now.iter().filter(|line| !known.contains(line)).cloned().for_each(&note);
        known = now;
        if events.next().await.is_none() {
            // The events end with the hub, which is borrowed.
            pending::<()>().await;
        }
    }
}

/// Returns the problems of the configuration, without keys of the CLI in the user's file, which are none of the hub.
fn problems(hub: &Hub) -> Vec<Problem> {
    let user = user_file();
    let is_foreign = |problem: &Problem| {
        let is_users = problem.file.as_deref().map(PathBuf::as_path) == user.as_deref();
        is_users && matches!(problem.kind, ProblemKind::UnknownKey { .. })
    };
    hub.problems().into_iter().filter(|problem| !is_foreign(problem)).collect()
}

/// Returns a line for each enabled server that is not trusted.
fn untrusted(hub: &Hub) -> Vec<String> {
    let line = |server: Configured| {
        let (name, what) = (server.name.as_str(), described(&server));
        format!("{name}: not started, because a file of this folder configures it; see --trust ({what})")
    };
    hub.untrusted().into_iter().filter(|server| !server.config.disabled).map(line).collect()
}

/// Returns the lists of a server that could not be read, or only in part, with the reasons.
pub(super) fn unread(hub: &Hub, server: &str) -> Option<String> {
    let catalog = hub.catalog(server)?;
    let problems: Vec<_> = catalog.problems().map(|problem| problem.to_string()).collect();
    (!problems.is_empty()).then(|| problems.join("; "))
}

/// Returns what a server needs that refuses the configured headers: `agentwire hub` has no other authorization.
pub(super) fn unauthorized(challenge: Option<&str>) -> String {
    let challenge = challenge.map(|challenge| format!("; its challenge: {challenge}")).unwrap_or_default();
    format!("it needs a valid header Authorization in its configuration{challenge}")
}

/// Waits until the first attempt to start this server is over, and for no other.
pub(super) async fn started(hub: &Hub, server: &str) {
    let mut events = hub.events();
    let is_starting =
        || hub.server(server).is_some_and(|server| matches!(server.state, ServerState::Starting));
    while is_starting() && events.next().await.is_some() {}
}

/// Returns how long to wait until each of these servers has started, or has reported why it failed.
pub(super) fn start_limit(servers: impl IntoIterator<Item = ServerSnapshot>) -> Duration {
    let limits = servers.into_iter().map(|server| server.configured.config.startup_timeout);
    limits.max().unwrap_or_default() + SURPLUS
}

/// Returns what the server runs, or where it connects to.
pub(super) fn described(server: &Configured) -> String {
    match &server.config.launch {
        Launch::Stdio(stdio) => {
            let words = std::iter::once(&stdio.command).chain(&stdio.args);
            words.map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" ")
        }
        Launch::Http(endpoint) | Launch::Sse(endpoint) => format!("{:?}", endpoint.url),
    }
}

/// Returns the file of the CLI with the user's servers. The CLI may create it later.
fn user_file() -> Option<PathBuf> {
    let folder = env::var_os("CLAUDE_CONFIG_DIR").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    Some(folder.or_else(env::home_dir)?.join(".claude.json"))
}

/// More hubs in a row have no use.
const MAX_HUBS_ABOVE: u32 = 2;
/// What a start takes beside the server's own limit: its files are watched first, and its last stderr is read.
const SURPLUS: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests {
    use agentwire_hub::config::{ServerConfig, Stdio};

    use super::*;

    #[tokio::test]
    async fn start_limit_is_longer_than_that_of_each_server() {
        let limited = |seconds| {
            let mut config = ServerConfig::new(Stdio::new("true"));
            config.startup_timeout = Duration::from_secs(seconds);
            config
        };
        let sources = Sources::new().server("a", limited(180)).server("b", limited(1));
        let hub = Hub::builder().sources(sources).enabled(false).build();
        assert!(start_limit(hub.snapshot()) > Duration::from_secs(180));
        assert!(start_limit(hub.server("b")) < Duration::from_secs(180));
    }

    #[test]
    fn named_folder_is_not_reported_as_a_missing_file() {
        for (config, why) in [(".", ". is not a regular file"), ("no-such-file", "there is no file")] {
            let servers = Servers { configs: vec![config.into()], trust: false };
            let failure = servers.start(Approval::denied()).unwrap_err();
            assert!(failure.to_string().starts_with(why), "{failure}");
        }
    }
}
