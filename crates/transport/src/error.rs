//! What can go wrong in moving bytes, and how a peer's end is reported.

use std::{fmt, io, path::PathBuf};

/// Why a peer could not be reached, or bytes could not be moved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransportError {
    /// No CLI was found. Install it, or name its path.
    #[error("no agent CLI found; looked in {}", list(searched))]
    NotFound {
        /// Every place that was looked at, in order.
        searched: Vec<PathBuf>,
    },
    /// The named program does not exist.
    #[error("the program {} does not exist", program.display())]
    NoSuchProgram {
        /// The path as it was given.
        program: PathBuf,
    },
    /// The program exists but may not be run.
    #[error("the program {} is not executable", program.display())]
    NotExecutable {
        /// The path as it was given.
        program: PathBuf,
    },
    /// The working directory does not exist or is no directory.
    #[error("the working directory {} does not exist or is no directory", dir.display())]
    NoSuchDirectory {
        /// The directory as it was given.
        dir: PathBuf,
    },
    /// The command line and environment together are longer than the system allows.
    #[error("the argument list of {} bytes is too long for the system", bytes)]
    ArgumentsTooLong {
        /// The length of all arguments and environment entries, in bytes.
        bytes: usize,
    },
    /// The CLI is older than what is needed. Update it.
    #[error("the agent CLI is version {found}, and at least {needed} is needed")]
    TooOld {
        /// The version that it says it is.
        found: String,
        /// The oldest version that will do.
        needed: String,
    },
    /// The program could not be started for another reason.
    #[error("the program {} could not be started", program.display())]
    Spawn {
        /// The path as it was given.
        program: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Reading or writing failed.
    #[error("{action} failed")]
    Io {
        /// What was being done, as a noun phrase.
        action: &'static str,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The peer no longer takes input, or the input was ended already.
    #[error("the peer's input is closed")]
    Closed,
}

/// How a peer ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExitReport {
    /// The exit code, where it exited by itself.
    pub code: Option<i32>,
    /// The signal that ended it, where one did.
    pub signal: Option<i32>,
    /// The last lines of its stderr, bounded, lossily decoded.
    pub stderr_tail: String,
}

impl ExitReport {
    /// A report with an exit code.
    pub fn exited(code: i32) -> Self {
        Self { code: Some(code), ..Self::default() }
    }

    /// A report with the signal that ended the peer.
    pub fn signalled(signal: i32) -> Self {
        Self { signal: Some(signal), ..Self::default() }
    }

    /// The same report with this stderr tail.
    #[must_use]
    pub fn with_stderr_tail(mut self, tail: impl Into<String>) -> Self {
        self.stderr_tail = tail.into();
        self
    }

    /// Whether the peer exited by itself with code 0.
    pub fn is_success(&self) -> bool {
        self.code == Some(0)
    }

    /// Whether the peer is known to have failed: it exited with another code than 0, or by a signal.
    ///
    /// Neither this nor [`is_success`](Self::is_success) holds where the exit status is lost, as in a program that ignores
    /// SIGCHLD or reaps every child.
    pub fn is_failure(&self) -> bool {
        self.signal.is_some() || self.code.is_some_and(|code| code != 0)
    }
}

impl fmt::Display for ExitReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.code, self.signal) {
            (Some(code), _) => write!(f, "exit code {code}")?,
            (None, Some(signal)) => write!(f, "ended by signal {signal}")?,
            (None, None) => write!(f, "ended in an unknown way")?,
        }
        if !self.stderr_tail.is_empty() {
            write!(f, ", stderr: {}", self.stderr_tail.trim_end())?;
        }
        Ok(())
    }
}

fn list(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}
