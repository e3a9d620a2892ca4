//! How a server is reached.

use std::{collections::BTreeMap, fmt};

/// How a server is reached: raw, with variables in its strings.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the transports of MCP; a new one is a change that every reader must see"
)]
pub enum Launch {
    /// A program that speaks over its stdin and stdout (`"type": "stdio"`).
    Stdio(Stdio),
    /// Streamable HTTP (`"type": "streamable-http"` or `"http"`).
    Http(Endpoint),
    /// The older transport with a stream of server-sent events (`"type": "sse"`).
    Sse(Endpoint),
}

/// A program that is started.
#[derive(Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Stdio {
    /// The program, looked up in the `PATH` that it is given.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its working directory; the workspace folder where there is none.
    pub cwd: Option<String>,
    /// Variables of its environment, beside the few that every server gets.
    pub env: BTreeMap<String, String>,
    /// A file of more variables, one `NAME=value` a line; those of [`env`](Self::env) win. Another content of it restarts
    /// the server.
    pub env_file: Option<String>,
}

impl Stdio {
    /// A program without arguments.
    pub fn new(command: impl Into<String>) -> Self {
        Self { command: command.into(), ..Self::default() }
    }
}

/// An address.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Endpoint {
    /// The address, `http` or `https`.
    pub url: String,
    /// Headers of each request.
    pub headers: BTreeMap<String, String>,
}

impl Endpoint {
    /// An address, without headers.
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), headers: BTreeMap::new() }
    }
}

impl Endpoint {
    /// Who is reached, which is all of an address that is shown: what comes before and behind may be a key.
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

// Even raw values may be secrets that somebody wrote down: they are not shown.
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
