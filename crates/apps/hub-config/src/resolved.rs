//! The values with which a connection is opened.

use std::{fmt, path::PathBuf};

/// A [`Launch`](crate::Launch) whose variables are replaced by their values.
///
/// It may contain secrets: `Debug` shows the kind only.
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
        /// Variables for its environment.
        env: Vec<(String, String)>,
    },
    /// Streamable HTTP.
    Http {
        /// The address.
        url: String,
        /// Headers of each request.
        headers: Vec<(String, String)>,
    },
    /// The older transport over server-sent events.
    Sse {
        /// The address.
        url: String,
        /// Headers of each request.
        headers: Vec<(String, String)>,
    },
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
