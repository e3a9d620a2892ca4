//! The configured servers: the user's, and those of the current folder.

use std::env;
use std::path::{Path, PathBuf};

use agentwire_hub::config::{Configured, Launch, ProblemKind, Severity, Sources, Variables};
use agentwire_hub::{Approval, Handlers, Hub};

use crate::failure::Failure;
use crate::output::note;

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
    ///
    /// # Errors
    ///
    /// If a named file does not exist, or has an error.
    pub fn start(&self, approval: Approval) -> Result<Hub, Failure> {
        if let Some(missing) = self.configs.iter().find(|file| !file.is_file()) {
            return Err(Failure::new(format!("there is no file {}", missing.display())));
        }
        let user = if self.configs.is_empty() { user_file() } else { None };
        let sources =
            self.configs.iter().cloned().chain(user).fold(Sources::new().project("."), Sources::global);
        // Questions of servers go to the client of the gateway.
        let handlers = Handlers::new().ask_callers();
        let hub = Hub::builder()
            .sources(sources)
            .variables(Variables::new().workspace("."))
            .trust_projects(self.trust)
            .approval(approval)
            .handlers(handlers)
            .build();
        // The user's file has keys of the CLI, which are none of the hub.
        for problem in
            hub.problems().iter().filter(|problem| !matches!(problem.kind, ProblemKind::UnknownKey { .. }))
        {
            let is_named = problem.file.as_ref().is_some_and(|file| self.names(file));
            if is_named && problem.severity() == Severity::Error {
                return Err(Failure::new(problem.to_string()));
            }
            note(problem);
        }
        for server in hub.untrusted().iter().filter(|server| !server.config.disabled) {
            note(format_args!(
                "{}: not started, because a file of this folder configures it; see --trust ({})",
                server.name.as_str(),
                described(server)
            ));
        }
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

/// Returns the file of the CLI with the user's servers.
fn user_file() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = set("CLAUDE_CONFIG_DIR").or_else(|| set("HOME"))?;
    Some(folder.join(".claude.json")).filter(|file| file.is_file())
}
