//! A server as the user wrote it.

use std::{fmt, path::PathBuf, sync::Arc, time::Duration};

use super::{Launch, written::Written};
use crate::ServerName;

/// A server as the user wrote it: raw, with variables in its strings.
///
/// Two that are equal need no restart. [`launch`](Self::launch) alone decides whether a change needs one: everything else
/// applies to a connection that stands.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ServerConfig {
    /// How the server is reached.
    pub launch: Launch,
    /// Whether the user has switched it off (`disabled`).
    pub disabled: bool,
    /// How long a call may take (`timeout`, in seconds, 1 to 3600; 60 by default).
    pub timeout: Duration,
    /// How long the start may take, up to the lists of what it offers (`startupTimeout`, in seconds; 60 by default).
    pub startup_timeout: Duration,
    /// The tools that are called without a question (`alwaysAllow`).
    pub always_allow: Patterns,
    /// The tools that are there and may not be called (`disabledTools`), however they are spelled: see
    /// [`Patterns::matches_loosely`].
    pub disabled_tools: Patterns,
    /// Where present, all tools that may be called (`enabledTools`); [`disabled_tools`](Self::disabled_tools) wins.
    pub enabled_tools: Option<Patterns>,
    /// Files, and folders with those in them, whose change restarts the server (`watchPaths`); relative to the working
    /// directory of the server.
    pub watch_paths: Vec<String>,
}

impl ServerConfig {
    /// A server that is reached in this way, with everything else as by default.
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

    /// Whether the configuration lets a tool be called at all.
    pub fn enables(&self, tool: &str) -> bool {
        !self.disabled_tools.matches_loosely(tool)
            && self.enabled_tools.as_ref().is_none_or(|some| some.matches(tool))
    }
}

/// Names of tools, in which `*` stands for any text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patterns(Vec<Box<str>>);

impl Patterns {
    /// Whether one of them is this name.
    pub fn matches(&self, name: &str) -> bool {
        self.matching(name).is_some()
    }

    /// Whether one of them is this name, where `-` is as good as `_` and a capital letter (of ASCII) as a small one.
    ///
    /// What is not allowed must not slip through for a spelling.
    pub fn matches_loosely(&self, name: &str) -> bool {
        !self.0.is_empty() && {
            let name = loosened(name);
            self.iter().any(|pattern| fits(&loosened(pattern), &name))
        }
    }

    /// Those that are not this name, in any spelling.
    pub(super) fn without(&self, name: &str) -> Self {
        let name = loosened(name);
        self.iter().filter(|pattern| loosened(pattern) != name).collect()
    }

    /// The first of them that is this name.
    pub fn matching(&self, name: &str) -> Option<&str> {
        self.iter().find(|pattern| fits(pattern, name))
    }

    /// The patterns as they are written.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|pattern| &**pattern)
    }
}

impl<S: Into<Box<str>>> FromIterator<S> for Patterns {
    fn from_iter<I: IntoIterator<Item = S>>(patterns: I) -> Self {
        Self(patterns.into_iter().map(Into::into).collect())
    }
}

/// A server, and where it was configured.
///
/// Two are equal where name, origin, configuration and trust are: where in its file a server stands does not matter.
#[derive(Clone)]
#[non_exhaustive]
pub struct Configured {
    /// The name that the user gave it: the key in the file.
    pub name: ServerName,
    /// Where it was written.
    pub origin: Origin,
    /// What was written.
    pub config: ServerConfig,
    /// Whether it may be started: a server of a project's file is not before its definition is trusted.
    #[doc(hidden)]
    pub is_trusted: bool,
    /// Where in the file.
    pub(super) written: Arc<Written>,
}

impl Configured {
    /// A server that stands in no file.
    pub(crate) fn new(name: ServerName, origin: Origin, config: ServerConfig) -> Self {
        let is_trusted = !matches!(origin, Origin::Project(_));
        Self { name, origin, config, is_trusted, written: Arc::default() }
    }

    /// Whether it may be started. One of a [project](Origin::Project) may be only where the hub trusts its definition
    /// (`Hub::trust`); all others may be.
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

/// Where a server was configured.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// In a file of the project's: it wins over a global one.
    Project(Arc<PathBuf>),
    /// In a file of the user's.
    Global(Arc<PathBuf>),
    /// By the program: it wins over both.
    Program,
}

impl Origin {
    /// The file, where there is one.
    pub fn file(&self) -> Option<&Arc<PathBuf>> {
        match self {
            Self::Project(file) | Self::Global(file) => Some(file),
            Self::Program => None,
        }
    }
}

fn loosened(name: &str) -> String {
    name.to_ascii_lowercase().replace('-', "_")
}

/// Whether a name fits a pattern; each `*` takes as little as it can, and goes on from there.
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
    fn what_is_disabled_is_so_however_it_is_spelled_and_what_is_allowed_is_exact() {
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
    fn a_star_stands_for_any_text() {
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
