//! Why a scripted model could not be started or controlled.

use std::io;

/// What went wrong with a scripted model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The text is not JSON, or does not have the form of a script.
    #[error("the script cannot be read: line {}, near {field}", source.line())]
    Json {
        /// The last name before the fault, in backticks, or `its start`.
        field: String,
        /// The error of the JSON reader.
        #[source]
        source: serde_json::Error,
    },
    /// The script asks for something that cannot be answered.
    #[error("the script cannot be played: {problem}")]
    Script {
        /// The problem, and the reply that has it.
        problem: String,
    },
    /// The port could not be bound, or the thread not started.
    #[error("the scripted model could not be started")]
    Start(#[from] io::Error),
    /// The server's thread ended without an error.
    #[error("the scripted model ended while it was being started")]
    Ended,
    /// The script names no such gate.
    #[error("the script has no gate {name:?}; it has {known:?}")]
    NoSuchGate {
        /// The name that was asked for.
        name: String,
        /// The gates that the script names.
        known: Vec<String>,
    },
}
