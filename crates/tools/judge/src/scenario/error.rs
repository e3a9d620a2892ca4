//! Why a scenario could not be run, or did not go as it should.

use std::{io, path::PathBuf};

use agentwire_testkit::{ModelError, Transcript, record::TooLong, redact::Leftovers};

/// A scenario that did not go as it should, and how far it went.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
#[non_exhaustive]
pub struct Failed {
    /// The cause.
    #[source]
    pub error: ScenarioError,
    /// The recording so far, redacted as far as possible; `None` if nothing was started.
    pub transcript: Option<Box<Transcript>>,
}

/// An error in a scenario or in its run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScenarioError {
    /// The file can't be read.
    #[error("{} can't be read", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    /// The text is not of the shape of a scenario.
    #[error("not a scenario: {0}")]
    Spelling(#[source] serde_json::Error),
    /// The folders of the run can't be made or read.
    #[error("the folders of the run can't be used: {0}")]
    Place(#[from] io::Error),
    /// The scripted model can't be started or steered.
    #[error("the scripted model: {0}")]
    Model(#[from] ModelError),
    /// A step failed.
    #[error("step {number}, {step}: {why}")]
    Step {
        /// Counted from 1; 0 is the handshake, and the step after the last is the end of the session.
        number: usize,
        /// The step, as it is called.
        step: String,
        /// The reason.
        why: String,
    },
    /// The session went through, but not as expected.
    #[error("{}", .0.join("; "))]
    Unexpected(Vec<String>),
    /// The session was too long.
    #[error(transparent)]
    TooLong(#[from] TooLong),
    /// Private text remains after the redaction.
    #[error(transparent)]
    Leftovers(#[from] Leftovers),
}
