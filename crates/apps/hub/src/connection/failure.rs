//! Errors of starting and reaching a server, as texts for the user.

use std::time::Duration;

use rmcp::service::ClientInitializeError;

use crate::record::{cut, with_stderr};
#[cfg(feature = "http")]
use crate::transport::link::DisconnectReason;
use crate::transport::stdio::{Child, StartError};

/// The error of opening a connection.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{0}")]
    Unresolved(String),
    #[error(transparent)]
    Start(#[from] StartError),
    #[error("the handshake failed: {0}")]
    Handshake(Box<ClientInitializeError>),
    #[error("it was not ready within {}", seconds(*.0))]
    Late(Duration),
    /// The connection ended before the lists were read.
    #[error("the connection was lost")]
    Lost,
    /// An error over HTTP.
    #[cfg(feature = "http")]
    #[error(transparent)]
    Web(#[from] DisconnectReason),
}

impl Failure {
    /// Returns whether a retry is pointless.
    pub(super) fn is_final(&self) -> bool {
        match self {
            Self::Unresolved(_) => true,
            #[cfg(feature = "http")]
            Self::Web(ended) => matches!(ended, DisconnectReason::Unusable(_)),
            _ => false,
        }
    }
}

impl From<ClientInitializeError> for Failure {
    fn from(error: ClientInitializeError) -> Self {
        Self::Handshake(Box::new(error))
    }
}

/// Describes a failure, with the exit status and stderr of the process.
pub(super) async fn explain(failure: &Failure, child: Option<&Child>) -> String {
    let Some(child) = child else { return cut(&failure.to_string()) };
    let is_end = match failure {
        Failure::Lost => return lost(Some(child)).await,
        Failure::Handshake(error) => matches!(
            **error,
            ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::TransportError { .. }
        ),
        _ => false,
    };
    let report = if is_end { child.ended(EXIT_TIMEOUT).await } else { None };
    let what = match &report {
        Some(report) => format!("{} before the handshake", ending(report)),
        None => failure.to_string(),
    };
    with_stderr(&what, &report.map_or_else(|| child.stderr_tail(), |report| report.stderr_tail))
}

/// Describes the loss of a connection.
pub(super) async fn lost(child: Option<&Child>) -> String {
    let Some(child) = child else { return "the connection was lost".to_owned() };
    if let Some(why) = child.broken() {
        return with_stderr(why, &child.stderr_tail());
    }
    match child.ended(EXIT_TIMEOUT).await {
        Some(report) => with_stderr(&ending(&report), &report.stderr_tail),
        None => with_stderr("it closed its stdout", &child.stderr_tail()),
    }
}

/// Describes a server that does not respond to pings.
pub(super) fn silent(limit: Duration, child: Option<&Child>) -> String {
    let stderr = child.map(Child::stderr_tail).unwrap_or_default();
    with_stderr(&format!("it did not answer a ping within {}", seconds(limit)), &stderr)
}

fn ending(report: &agentwire_transport::ExitReport) -> String {
    match (report.code, report.signal) {
        (Some(code), _) => format!("exited with code {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}

fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}

/// How long to wait for the exit of a process after its output has ended.
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);
