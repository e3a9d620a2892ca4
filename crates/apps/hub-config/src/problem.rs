//! Problems in a configuration, with their positions.

use std::{fmt, path::PathBuf, sync::Arc};

use thiserror::Error;

use crate::ServerName;

/// A problem in a configuration.
///
/// It contains names of keys and variables, but never a value, since files and the environment may contain secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The file; `None` for a server that the program configured.
    pub file: Option<Arc<PathBuf>>,
    /// The position in the file; `None` for problems of the whole file.
    pub position: Option<TextPosition>,
    /// The path of the value, such as `mcpServers.git.args[0]`; empty for the whole file.
    pub path: String,
    /// The server with the problem.
    pub server: Option<ServerName>,
    /// The kind of the problem.
    pub kind: ProblemKind,
}

impl Problem {
    /// Creates a warning that changes of files are noticed late or never.
    pub fn unwatched(why: &str) -> Self {
        Self::of_file(None, ProblemKind::Unwatched(why.into()))
    }

    /// Creates a problem of a whole file.
    pub(crate) fn of_file(file: Option<&Arc<PathBuf>>, kind: ProblemKind) -> Self {
        Self { file: file.cloned(), position: None, path: String::new(), server: None, kind }
    }

    /// Returns whether the problem is an error or a warning.
    pub fn severity(&self) -> Severity {
        self.kind.severity()
    }
}

/// One line, without its end: `error: .mcp.json:3:14: mcpServers.git.timeout: must be …`.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.severity() {
            Severity::Error => "error: ",
            Severity::Warning => "warning: ",
        })?;
        if let Some(file) = &self.file {
            write!(f, "{}:", one_line(&file.to_string_lossy()))?;
            if let Some(TextPosition { line, column }) = self.position {
                write!(f, "{line}:{column}:")?;
            }
            f.write_str(" ")?;
        } else if let Some(server) = &self.server {
            write!(f, "server {}: ", one_line(server.as_str()))?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        self.kind.fmt(f)
    }
}

/// The severity of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(clippy::exhaustive_enums, reason = "there is nothing between the two")]
pub enum Severity {
    /// The configuration is in force, but may not do what the user intends.
    Warning,
    /// The configuration is not in force.
    Error,
}

/// A position in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(clippy::exhaustive_structs, reason = "a place in a text has no more to it")]
pub struct TextPosition {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1, in Unicode scalar values.
    pub column: usize,
}

/// The kind of a problem.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The file can't be read.
    #[error("the file can't be read: {0}")]
    Unreadable(String),
    /// The file system does not answer within 2 seconds, for example because a network is down.
    #[error("the file can't be read: its file system does not answer")]
    Unresponsive,
    /// There is no such file.
    #[error("there is no such file")]
    NotThere,
    /// The path is a folder, a pipe or another special file.
    #[error("the path is not a regular file")]
    NotAFile,
    /// The file is too large to be a configuration.
    #[error("the file has more than {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The file is not text.
    #[error("the file is not UTF-8")]
    NotUtf8,
    /// The file is not JSON with comments and trailing commas.
    #[error("{0}")]
    Syntax(String),
    /// The file is empty, or has only comments.
    #[error("the file is empty")]
    Empty,
    /// The file or a server in it is broken, so the last valid content stays in force.
    #[error("the last valid content stays in force until this is corrected")]
    Kept,
    /// A value has the wrong type, or is out of range.
    #[error("must be {0}")]
    Expected(&'static str),
    /// No known program reads this key.
    #[error("unknown key{}", meant(*.suggestion))]
    UnknownKey {
        /// The most similar known key.
        suggestion: Option<&'static str>,
    },
    /// Servers are under a key under which no servers are read.
    #[error("is not read: servers must be under `mcpServers` or `servers`, at the top of the file")]
    Misplaced,
    /// Other programs read this key, but the hub does not support it.
    #[error("the hub does not support this key")]
    Unsupported,
    /// The key belongs to another type of server.
    #[error("does not apply to a server of the type {0}")]
    Unused(&'static str),
    /// An object contains the key twice.
    #[error("duplicate of line {line}; the last one counts")]
    Duplicate {
        /// The line of the earlier one.
        line: usize,
    },
    /// Another file, or the part of `.claude.json` for the project, configures a server of this name in another way and
    /// takes precedence.
    #[error("{} configures a server of this name differently, and takes precedence", one_line(&.by.to_string_lossy()))]
    Shadowed {
        /// The file with precedence.
        by: Arc<PathBuf>,
    },
    /// A server of the project has the name of a different server of the user.
    #[error("replaces the server of this name in {} once it is trusted", one_line(&.of.to_string_lossy()))]
    TakesName {
        /// The file of the user.
        of: Arc<PathBuf>,
    },
    /// A file with precedence is broken and was never read, so it may configure a server of this name.
    #[error("is not used until {} can be read, which takes precedence", one_line(&.by.to_string_lossy()))]
    Held {
        /// The file with precedence.
        by: Arc<PathBuf>,
    },
    /// The name is not valid for a server.
    #[error("the name of a server has 1 to {MAX_NAME} characters, none of them a control character")]
    ServerName,
    /// The name is not valid for an environment variable or a header.
    #[error("this can't be the name of {0}")]
    Name(&'static str),
    /// Neither `command` nor `url` is present.
    #[error("needs `command` (a program) or `url` (an address)")]
    NoLaunch,
    /// Both `command` and `url` are present.
    #[error("has both `command` and `url`: only one can be meant")]
    TwoLaunches,
    /// `url` is present without `type`.
    #[error(
        "a `url` needs a `type`: \"streamable-http\" (or \"http\"), or \"sse\" for servers of the older kind"
    )]
    UrlWithoutType,
    /// The type is unknown.
    #[error("must be \"stdio\", \"streamable-http\" (or \"http\") or \"sse\"{}", meant(*.suggestion))]
    UnknownType {
        /// The most similar known type.
        suggestion: Option<&'static str>,
    },
    /// A key that the type needs is missing.
    #[error("a server of the type {transport} needs `{key}`")]
    Missing {
        /// The type.
        transport: &'static str,
        /// The key.
        key: &'static str,
    },
    /// A variable has no value and no default.
    #[error("the variable `{variable}` is not set")]
    Unset {
        /// Its name, as written between the braces.
        variable: String,
    },
    /// The user did not answer an input.
    #[error("no value was given for the input `{id}`")]
    NoInput {
        /// The input's id.
        id: String,
    },
    /// A `${` without its end, without a name, or with an invalid name.
    #[error("a `${{` that is not a variable: write `$${{` for the text itself")]
    Reference,
    /// Other programs support variables of this form; the hub does not.
    #[error("the hub has no variables like `${{{variable}}}`")]
    Foreign {
        /// The form, such as `workspaceFolder:…`.
        variable: &'static str,
    },
    /// With the values of its variables the text is too long for a program or server.
    #[error("is too long with the values of its variables")]
    TooLong,
    /// The file of variables can't be read.
    #[error("the file of variables: {0}")]
    EnvFile(Box<ProblemKind>),
    /// A line of the file of variables is not `NAME=value`.
    #[error("line {line} of the file of variables is no `NAME=value`")]
    EnvLine {
        /// The line, from 1.
        line: usize,
    },
    /// Files can't be watched, so their changes are noticed late or never.
    #[error("{0}")]
    Unwatched(Box<str>),
    /// There are more problems than the limit.
    #[error("{0} more problems")]
    More(usize),
}

impl ProblemKind {
    /// Returns whether the problem is an error or a warning.
    pub fn severity(&self) -> Severity {
        match self {
            Self::Kept
            | Self::UnknownKey { .. }
            | Self::Unsupported
            | Self::Unused(_)
            | Self::Duplicate { .. }
            | Self::Shadowed { .. }
            | Self::TakesName { .. }
            | Self::Unwatched(_)
            | Self::More(_) => Severity::Warning,
            _ => Severity::Error,
        }
    }
}

/// Replaces control characters in a name.
fn one_line(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

fn meant(suggestion: Option<&str>) -> String {
    suggestion.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// The longest name of a server, in characters.
pub(super) const MAX_NAME: usize = 128;
