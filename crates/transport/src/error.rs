//! Transport errors, and the report of a peer's end.

use std::{fmt, io, path::PathBuf};

/// An error in starting or reaching a peer, or in reading from or writing to it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransportError {
    /// No CLI was found. Install it, or name its path.
    #[error("no agent CLI found; searched {}", list(searched))]
    NotFound {
        /// Every path that was tried, in order.
        searched: Vec<PathBuf>,
    },
    /// The named program does not exist.
    #[error("the program {} does not exist", program.display())]
    NoSuchProgram {
        /// The path as given.
        program: PathBuf,
    },
    /// The program exists but is not executable.
    #[error("the program {} is not executable", program.display())]
    NotExecutable {
        /// The path as given.
        program: PathBuf,
    },
    /// The working directory does not exist or is not a directory.
    #[error("the working directory {} does not exist or is not a directory", dir.display())]
    NoSuchDirectory {
        /// The directory as given.
        dir: PathBuf,
    },
    /// The command line and environment exceed the system's limit.
    #[error("the argument list of {} bytes is too long for the system", bytes)]
    ArgumentsTooLong {
        /// The length of all arguments and environment entries, in bytes.
        bytes: usize,
    },
    /// The program could not be started for another reason.
    #[error("the program {} could not be started", program.display())]
    Spawn {
        /// The path as given.
        program: PathBuf,
        /// The system's error.
        #[source]
        source: io::Error,
    },
    /// Reading or writing failed.
    #[error("{action} failed")]
    Io {
        /// The action, as a noun phrase. The details, such as an address, belong to the text of `source`.
        action: &'static str,
        /// The system's error.
        #[source]
        source: io::Error,
    },
    /// The peer no longer reads its input, or the input has ended.
    #[error("the peer's input is closed")]
    Closed,
}

/// A report of how a peer ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExitReport {
    /// The exit code, unless a signal ended the peer.
    pub code: Option<i32>,
    /// The signal that ended the peer, if any.
    pub signal: Option<i32>,
    /// The bounded end of the peer's stderr, lossily decoded.
    pub stderr_tail: String,
}

impl ExitReport {
    /// Creates a report with an exit code.
    pub fn exited(code: i32) -> Self {
        Self { code: Some(code), ..Self::default() }
    }

    /// Creates a report with the signal that ended the peer.
    pub fn signalled(signal: i32) -> Self {
        Self { signal: Some(signal), ..Self::default() }
    }

    /// Sets the stderr tail.
    #[must_use]
    pub fn with_stderr_tail(mut self, tail: impl Into<String>) -> Self {
        self.stderr_tail = tail.into();
        self
    }

    /// Returns whether the peer exited with code 0.
    pub fn is_success(&self) -> bool {
        self.code == Some(0)
    }

    /// Returns whether the peer is known to have failed: it exited with a code other than 0, or a signal ended it.
    ///
    /// Both this and [`is_success`](Self::is_success) are false if the exit status is lost, as in a program that ignores
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
