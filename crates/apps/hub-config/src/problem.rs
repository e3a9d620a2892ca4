//! What is wrong with a configuration, and where.

use std::{fmt, path::PathBuf, sync::Arc};

use thiserror::Error;

use crate::ServerName;

/// Something that is wrong, or doubtful, in a configuration.
///
/// It holds names of keys and variables, and never a value: what a file or the environment has in confidence is not in
/// it, in no form.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The file; `None` where the program configured the server.
    pub file: Option<Arc<PathBuf>>,
    /// Where in the file; `None` where it is about all of it.
    pub position: Option<Position>,
    /// The path of the value, as `mcpServers.git.args[0]`; empty where it is about the whole file.
    pub path: String,
    /// The server that it is about.
    pub server: Option<ServerName>,
    /// What it is.
    pub kind: ProblemKind,
}

impl Problem {
    /// That changes of files are noticed late, or never.
    pub fn unwatched(why: &str) -> Self {
        let kind = ProblemKind::Unwatched(why.into());
        Self { file: None, position: None, path: String::new(), server: None, kind }
    }

    /// Whether something is not in force because of it.
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
            if let Some(Position { line, column }) = self.position {
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

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(clippy::exhaustive_enums, reason = "there is nothing between the two")]
pub enum Severity {
    /// What was written is in force, and may not be what was meant.
    Warning,
    /// What was written is not in force.
    Error,
}

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(clippy::exhaustive_structs, reason = "a place in a text has no more to it")]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1: Unicode scalar values are counted.
    pub column: usize,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The file can't be read.
    #[error("the file can't be read: {0}")]
    Unreadable(String),
    /// The file system does not answer within 2 seconds: it may be a network that is down.
    #[error("the file can't be read: its file system does not answer")]
    Unresponsive,
    /// There is no such file.
    #[error("there is no such file")]
    NotThere,
    /// What stands there is a folder, a pipe or something else.
    #[error("this is no file")]
    NotAFile,
    /// The file is too large to be a configuration.
    #[error("the file has more than {limit} bytes")]
    TooLarge {
        /// How many bytes it may have.
        limit: u64,
    },
    /// The file is not text.
    #[error("the file is not UTF-8")]
    NotUtf8,
    /// The file is no JSON, comments and trailing commas allowed.
    #[error("{0}")]
    Syntax(String),
    /// The file has nothing in it, or nothing but comments.
    #[error("the file is empty")]
    Empty,
    /// The file, or one server of it, is broken, and what was last read of it is still in force.
    #[error("what it was before stays in force until this is put right")]
    Kept,
    /// A value is of the wrong kind, or out of its range.
    #[error("must be {0}")]
    Expected(&'static str),
    /// No program reads this key, as far as we know.
    #[error("nothing reads this key{}", meant(*.suggestion))]
    UnknownKey {
        /// The key that was probably meant.
        suggestion: Option<&'static str>,
    },
    /// There are servers under a key under which no servers are read.
    #[error("is not read: servers stand under `mcpServers` or `servers`, at the top of the file")]
    Misplaced,
    /// Other programs read this key, and the hub does not do what it asks for.
    #[error("the hub does not do this")]
    Unsupported,
    /// The key belongs to servers that are reached in another way.
    #[error("means nothing for a server of the type {0}")]
    Unused(&'static str),
    /// An object has the key twice.
    #[error("stands in line {line} too: the last one counts")]
    Duplicate {
        /// The line of the one before.
        line: usize,
    },
    /// Another file, which goes before this one, configures a server of this name in another way.
    #[error("a server of this name is configured otherwise in {}, which goes first", one_line(&.by.to_string_lossy()))]
    Shadowed {
        /// The file that goes first.
        by: Arc<PathBuf>,
    },
    /// A server of the project has the name of one of the user's, which is configured in another way.
    #[error(
        "takes the name of a server in {}, which counts until this one is trusted, and not any more then",
        one_line(&.of.to_string_lossy())
    )]
    TakesName {
        /// The user's file.
        of: Arc<PathBuf>,
    },
    /// A file that goes before this one is broken, and nothing is known of it: it may configure a server of this name.
    #[error("is held back until {} can be read, which goes first", one_line(&.by.to_string_lossy()))]
    Held {
        /// The file that goes first.
        by: Arc<PathBuf>,
    },
    /// The name can't be one of a server.
    #[error("the name of a server has 1 to {MAX_NAME} characters, none of them a control character")]
    ServerName,
    /// The name can't be one of an environment variable or a header.
    #[error("this can't be the name of {0}")]
    Name(&'static str),
    /// Neither `command` nor `url` is there.
    #[error("needs `command` (a program) or `url` (an address)")]
    NoLaunch,
    /// Both `command` and `url` are there.
    #[error("has both `command` and `url`: only one can be meant")]
    TwoLaunches,
    /// `url` is there and `type` is not.
    #[error(
        "a `url` needs a `type`: \"streamable-http\" (or \"http\"), or \"sse\" for servers of the older kind"
    )]
    UrlWithoutType,
    /// The type is none that the hub knows.
    #[error("must be \"stdio\", \"streamable-http\" (or \"http\") or \"sse\"{}", meant(*.suggestion))]
    UnknownType {
        /// The type that was probably meant.
        suggestion: Option<&'static str>,
    },
    /// The type needs a key that is not there.
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
        /// Its name, as it is written between the braces.
        variable: String,
    },
    /// An input was asked for and not given.
    #[error("no value was given for the input `{id}`")]
    NoInput {
        /// The input's id.
        id: String,
    },
    /// A `${` without its end, with no name, or with one that is none.
    #[error("a `${{` that is no variable: write `$${{` for the text itself")]
    Reference,
    /// Other programs have variables of this form, and the hub does not.
    #[error("the hub has no variables like `${{{variable}}}`")]
    Foreign {
        /// The form, such as `workspaceFolder:…`.
        variable: &'static str,
    },
    /// With its variables the text is longer than any program or server takes.
    #[error("is too long with the values of its variables")]
    TooLong,
    /// The file of variables can't be read.
    #[error("the file of variables: {0}")]
    EnvFile(Box<ProblemKind>),
    /// A line of the file of variables is no `NAME=value`.
    #[error("line {line} of the file of variables is no `NAME=value`")]
    EnvLine {
        /// The line, from 1.
        line: usize,
    },
    /// Files are looked at from time to time, since they can't be watched, or are not noticed at all when they change.
    #[error("{0}")]
    Unwatched(Box<str>),
    /// There are more problems than are told.
    #[error("{0} more problems")]
    More(usize),
}

impl ProblemKind {
    /// Whether something is not in force because of it.
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

/// A name as it is, but for characters that would end the line or do something to a terminal.
fn one_line(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

fn meant(suggestion: Option<&str>) -> String {
    suggestion.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// The longest name of a server, in characters.
pub(super) const MAX_NAME: usize = 128;
