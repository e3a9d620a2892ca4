//! The program or the address of a server.

use std::{collections::BTreeMap, fmt, path::PathBuf};

/// The program or the address of a server as it is written, with variables in its strings.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the transports of MCP; a new one is a change that every reader must see"
)]
pub enum Launch {
    /// A program, over its stdin and stdout (`"type": "stdio"`).
    Stdio(Stdio),
    /// Streamable HTTP (`"type": "streamable-http"` or `"http"`).
    Http(Endpoint),
    /// The older transport over server-sent events (`"type": "sse"`).
    Sse(Endpoint),
}

/// A program to start.
#[derive(Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Stdio {
    /// The program. It is searched in the `PATH` of its own environment.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its working directory; by default the workspace folder.
    pub cwd: Option<String>,
    /// Environment variables, in addition to the variables of every server.
    pub env: BTreeMap<String, String>,
    /// A file of further variables, one `NAME=value` per line; [`env`](Self::env) wins. A change of its content
    /// restarts the server.
    pub env_file: Option<String>,
}

impl Stdio {
    /// Creates a program without arguments.
    pub fn new(command: impl Into<String>) -> Self {
        Self { command: command.into(), ..Self::default() }
    }
}

/// An address of a server.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Endpoint {
    /// The URL, `http` or `https`.
    pub url: String,
    /// Headers for each request.
    pub headers: BTreeMap<String, String>,
}

impl Endpoint {
    /// Creates an address without headers.
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), headers: BTreeMap::new() }
    }

    /// Returns the host, the only part of the URL that `Debug` shows: the other parts may contain keys.
    fn host(&self) -> &str {
        let rest = self.url.split_once("://").map_or("", |(_, rest)| rest);
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        authority.rsplit('@').next().filter(|host| !host.contains("${")).unwrap_or_default()
    }
}

impl From<Stdio> for Launch {
    fn from(stdio: Stdio) -> Self {
        Self::Stdio(stdio)
    }
}

/// A [`Launch`](crate::Launch) with values in place of variables.
///
/// It may contain secrets, so `Debug` shows the kind only.
#[derive(Clone)]
#[expect(clippy::exhaustive_enums, reason = "the transports of MCP, as in `Launch`")]
pub enum Resolved {
    /// A program.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Its working directory.
        cwd: Option<PathBuf>,
        /// Its environment variables.
        env: Vec<(String, String)>,
    },
    /// Streamable HTTP.
    Http {
        /// The address.
        url: String,
        /// Headers for each request.
        headers: Vec<(String, String)>,
    },
    /// The older transport over server-sent events.
    Sse {
        /// The address.
        url: String,
        /// Headers for each request.
        headers: Vec<(String, String)>,
    },
}

// Raw values may be secrets too, so they are not shown.
impl fmt::Debug for Stdio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stdio")
            .field("command", &self.command)
            .field("args", &self.args.len())
            .field("cwd", &self.cwd)
            .field("env", &self.env.keys())
            .field("env_file", &self.env_file)
            .finish()
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("host", &self.host())
            .field("headers", &self.headers.keys())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Resolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stdio { .. } => "Stdio(…)",
            Self::Http { .. } => "Http(…)",
            Self::Sse { .. } => "Sse(…)",
        })
    }
}

/// Returns whether a server can be reached at this URL.
pub(crate) fn is_address(url: &str) -> bool {
    let Some((scheme, rest)) = url.split_once("://") else { return false };
    let known = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    known && !host.is_empty() && !url.contains(|c: char| c.is_control() || c == ' ')
}
