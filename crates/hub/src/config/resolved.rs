//! What a connection is opened with: the only place where the values of variables are.

use std::{fmt, path::PathBuf};

/// A [`Launch`](super::Launch) whose variables have their values. It is never compared, stored or shown.
#[derive(Clone)]
pub(crate) enum Resolved {
    Stdio { command: String, args: Vec<String>, cwd: Option<PathBuf>, env: Vec<(String, String)> },
    Http { url: String, headers: Vec<(String, String)> },
    Sse { url: String, headers: Vec<(String, String)> },
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
