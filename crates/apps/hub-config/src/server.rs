//! Servers as they are configured.

use std::{collections::HashMap, fmt, path::PathBuf, sync::Arc, time::Duration};

use crate::{Input, Launch, ServerName, TextPosition};

/// The configuration of a server as it is written: its strings contain variables.
///
/// Only a change of [`launch`](Self::launch) needs a restart of the server. Everything else applies to an open
/// connection.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ServerConfig {
    /// The program or the address of the server.
    pub launch: Launch,
    /// Whether the server is disabled (`disabled`).
    pub disabled: bool,
    /// The time limit of a call (`timeout`, in seconds, 1 to 3600; 60 by default).
    pub timeout: Duration,
    /// The time limit of the start, including the lists of tools (`startupTimeout`, in seconds; 60 by default).
    pub startup_timeout: Duration,
    /// The tools that are called without approval (`alwaysAllow`).
    pub always_allow: Patterns,
    /// The tools that may not be called (`disabledTools`), regardless of ASCII case and of `-` and `_`.
    pub disabled_tools: Patterns,
    /// If present, the only tools that may be called (`enabledTools`). [`disabled_tools`](Self::disabled_tools) wins.
    pub enabled_tools: Option<Patterns>,
    /// Files and folders that restart the server when they change (`watchPaths`), relative to its working directory.
    pub watch_paths: Vec<String>,
}

impl ServerConfig {
    /// Creates a configuration with defaults for everything else.
    pub fn new(launch: impl Into<Launch>) -> Self {
        Self {
            launch: launch.into(),
            disabled: false,
            timeout: Duration::from_secs(60),
            startup_timeout: Duration::from_secs(60),
            always_allow: Patterns::default(),
            disabled_tools: Patterns::default(),
            enabled_tools: None,
            watch_paths: Vec::new(),
        }
    }

    /// Returns whether the configuration permits calls of a tool.
    pub fn enables(&self, tool: &str) -> bool {
        !self.disabled_tools.matches_loosely(tool)
            && self.enabled_tools.as_ref().is_none_or(|some| some.matches(tool))
    }
}

/// Names of tools, in which `*` matches any text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patterns(Vec<Box<str>>);

impl Patterns {
    /// Returns whether a pattern matches the name.
    pub fn matches(&self, name: &str) -> bool {
        self.matching(name).is_some()
    }

    /// Returns whether a pattern matches the name, regardless of ASCII case and of `-` and `_`.
    ///
    /// A different spelling must not bypass a rule that forbids a tool.
    pub(crate) fn matches_loosely(&self, name: &str) -> bool {
        !self.0.is_empty() && {
            let name = loosened(name);
            self.iter().any(|pattern| fits(&loosened(pattern), &name))
        }
    }

    /// Returns the patterns without this name in any spelling.
    pub(super) fn without(&self, name: &str) -> Self {
        let name = loosened(name);
        self.iter().filter(|pattern| loosened(pattern) != name).collect()
    }

    /// Returns the first pattern that matches the name.
    pub fn matching(&self, name: &str) -> Option<&str> {
        self.iter().find(|pattern| fits(pattern, name))
    }

    /// Returns the patterns as they are written.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|pattern| &**pattern)
    }
}

impl<S: Into<Box<str>>> FromIterator<S> for Patterns {
    fn from_iter<I: IntoIterator<Item = S>>(patterns: I) -> Self {
        Self(patterns.into_iter().map(Into::into).collect())
    }
}

/// A server and the place where it is configured.
///
/// Equality ignores the position in the file.
#[derive(Clone)]
#[non_exhaustive]
pub struct Configured {
    /// The name: the key in the file.
    pub name: ServerName,
    /// The file, or the program.
    pub origin: Origin,
    /// The configuration.
    pub config: ServerConfig,
    /// Whether it may be started. A server in a file of the project needs a trusted definition.
    #[doc(hidden)]
    pub is_trusted: bool,
    /// The position in the file.
    pub(super) written: Arc<Written>,
}

impl Configured {
    /// Creates a server without a position in a file.
    pub(crate) fn new(name: ServerName, origin: Origin, config: ServerConfig) -> Self {
        let is_trusted = !matches!(origin, Origin::Project(_));
        Self { name, origin, config, is_trusted, written: Arc::default() }
    }

    /// Returns whether it may be started. A server of a [project](Origin::Project) may be started only if the hub
    /// trusts its definition (`Hub::trust`); all others may be.
    pub fn is_trusted(&self) -> bool {
        self.is_trusted
    }
}

impl PartialEq for Configured {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.origin, &self.config, self.is_trusted)
            == (&other.name, &other.origin, &other.config, other.is_trusted)
    }
}

impl fmt::Debug for Configured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Configured")
            .field("name", &self.name)
            .field("origin", &self.origin)
            .field("config", &self.config)
            .field("is_trusted", &self.is_trusted)
            .finish_non_exhaustive()
    }
}

/// The place where a server is configured.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// A file of the project. It takes precedence over the user's servers for all projects.
    Project(Arc<PathBuf>),
    /// A file of the user.
    Global(Arc<PathBuf>),
    /// The program. It takes precedence over both.
    Program,
}

impl Origin {
    /// Returns the file; `None` for the program.
    pub fn file(&self) -> Option<&Arc<PathBuf>> {
        match self {
            Self::Project(file) | Self::Global(file) => Some(file),
            Self::Program => None,
        }
    }
}

/// The position of a server in its file, and the inputs of the file.
#[derive(Default)]
pub(crate) struct Written {
    /// The path of the server, such as `mcpServers.git`; empty for a server of the program.
    pub(super) path: String,
    pub(super) position: Option<TextPosition>,
    /// The positions of its strings, by their paths below the server, such as `env.TOKEN`.
    pub(super) positions: HashMap<String, TextPosition>,
    /// The `inputs` of the file by id. Their `server` is not set yet.
    pub(super) inputs: Arc<HashMap<String, Input>>,
}

fn loosened(name: &str) -> String {
    name.to_ascii_lowercase().replace('-', "_")
}

/// Returns whether a name matches a pattern. Each `*` takes as little text as possible.
fn fits(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(first) else { return false };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return name.ends_with(part);
        }
        let Some(at) = name.find(part) else { return false };
        name = &name[at + part.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{Patterns, ServerConfig};
    use crate::Stdio;

    #[test]
    fn disabled_tools_match_any_spelling_and_allowed_tools_match_exactly() {
        let mut config = ServerConfig::new(Stdio::new("x"));
        config.disabled_tools = Patterns::from_iter(["read_file", "Delete-*"]);
        for disabled in ["read_file", "read-file", "Read_File", "delete_all", "DELETE-ALL"] {
            assert!(!config.enables(disabled), "{disabled}");
        }
        assert!(config.enables("readfile") && config.enables("undelete_all"));
        config.enabled_tools = Some(Patterns::from_iter(["get-*"]));
        assert!(config.enables("get-all") && !config.enables("get_all") && !config.enables("Get-all"));
        assert!(!Patterns::from_iter(["get-all"]).matches("get_all"));
        assert!(!Patterns::default().matches_loosely(""));
    }

    #[test]
    fn a_star_matches_any_text() {
        let fits = |pattern: &str, name: &str| Patterns::from_iter([pattern]).matches(name);
        for (pattern, name) in [
            ("*", ""),
            ("*", "a"),
            ("get_*", "get_"),
            ("*_all", "get_all"),
            ("a*b*c", "aXbbYc"),
            ("a**", "a"),
            ("x", "x"),
        ] {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("x", "xy"), ("get_*", "get"), ("a*b*c", "acb"), ("ab*b", "ab"), ("", "a")] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }
}
