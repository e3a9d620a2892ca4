//! Processes that are started before they are needed: ready for a prompt, or for a session that is not known yet.

mod parking;

use std::{fmt, path};

use agentwire_control::{Control, ControlError};
use agentwire_protocol::control::{ClaimSession, ClaimSessionReply, InitializeReply};

use super::{Closed, Session, SessionBuilder};
use crate::{Error, Options, options::Heeded};
use parking::Parking;

/// Starts the CLI with these options, ready for its first prompt.
///
/// It is [`Session::connect`] by the name that other SDKs have for it.
/// Go on with [`Session::ask`], or with [`Session::into_query`] for a single prompt, and get rid of one that is not needed
/// by dropping it or with [`Session::close`].
///
/// # Errors
///
/// As [`SessionBuilder::connect`].
pub async fn startup(options: Options) -> Result<Session, Error> {
    Session::connect(options).await
}

/// Starts a spare process with these options and no callbacks: see [`SessionBuilder::prewarm`].
///
/// # Errors
///
/// As [`SessionBuilder::prewarm`].
pub async fn prewarm(options: Options) -> Result<Spare, Error> {
    Session::builder().options(options).prewarm().await
}

/// A process that is started and has shaken hands, and is no session yet: [`claim`](Self::claim) makes one of it.
///
/// Its settings, MCP servers, hooks and callbacks are in place; the working directory and what hangs on it wait.
/// Dropping it ends the process, as dropping a [`Session`] does.
#[derive(Debug)]
pub struct Spare {
    session: Session,
    /// What of the claimed folder may undo what the callbacks are for.
    heeded: Option<Heeded>,
    /// Held until it is claimed or dropped.
    _parking: Option<Parking>,
}

impl SessionBuilder {
    /// Starts a spare process (`--await-claim`): it shakes hands, and then waits until a session claims it.
    ///
    /// Without a [`cwd`](Options::cwd) it waits in an empty directory of its own, which is removed afterwards; the
    /// session's folder comes with the claim.
    /// All else that the options say is fixed now: keep one spare for each set of them.
    /// Where a [`transport`](Self::transport) is set, the flag and the directory are that one's business.
    ///
    /// # Errors
    ///
    /// As [`connect`](Self::connect).
    /// CLI 2.1.197 does not know the flag, and ends with a text that says so.
    pub async fn prewarm(mut self) -> Result<Spare, Error> {
        let parking = match (&self.transport, &self.options.cwd) {
            (None, None) => Some(Parking::new()?),
            _ => None,
        };
        if let Some(parking) = &parking {
            self.options.cwd = Some(parking.path().to_owned());
        }
        self.spare = true;
        let heeded = self.guards().then(|| self.options.heeded());
        Ok(Spare { session: self.connect().await?, heeded, _parking: parking })
    }
}

impl Spare {
    /// What the CLI said in the handshake, of the directory that it waits in.
    pub fn initialized(&self) -> &InitializeReply {
        self.session.initialized()
    }

    /// The handle for control requests.
    ///
    /// Settings that are laid over now ([`Control::apply_flag_settings`]) are in force before the claim.
    /// The CLI refuses what only a session can do, such as [`Control::set_model`], with `not_claimed`.
    pub fn control(&self) -> &Control {
        self.session.control()
    }

    /// Makes a session of the process (`claim_session`).
    ///
    /// A relative directory counts from this program's.
    /// The in-process MCP servers need not be named, and [`Session::initialized`] tells of the claimed session.
    ///
    /// # Cancellation
    ///
    /// Dropping the future ends the process.
    ///
    /// # Errors
    ///
    /// Where the CLI refuses the claim nothing has changed, and the error gives the spare back, to be claimed for
    /// another folder; start this session with [`SessionBuilder::connect`].
    /// It refuses folders that do not exist, whose settings set what is read at the start (`env`, `model`), or, while the
    /// claim has no permission mode, a `permissions.defaultMode`; permission modes that it can't take; and environment
    /// variables that are read at the start.
    pub async fn claim(mut self, mut claim: ClaimSession) -> Result<Session, ClaimError> {
        if let Some(cwd) = absolute(&claim.cwd) {
            claim.cwd = cwd;
        }
        if claim.sdk_mcp_servers.is_empty() {
            claim.sdk_mcp_servers.clone_from(&self.session.handshake.said.sdk_mcp_servers);
        }
        claim.include_initialize = Some(true);
        match self.session.control.call_within(self.session.handshake.limit, &claim).await {
            Ok(ClaimSessionReply { initialize, .. }) => {
                if let Some(initialized) = initialize {
                    self.session.handshake.heard = (*initialized).into();
                }
                let heeded = self.heeded.map(|heeded| heeded.in_folder(path::Path::new(&claim.cwd)));
                self.session.warnings.extend(heeded.into_iter().flatten());
                Ok(self.session)
            }
            Err(error) => {
                let spare = leaves_the_spare(&error).then(|| Box::new(self));
                Err(ClaimError { error: error.into(), spare })
            }
        }
    }

    /// Ends the process, and waits until it is gone: see [`Session::close`].
    ///
    /// # Errors
    ///
    /// As [`Session::close`].
    pub async fn close(self) -> Result<Closed, Error> {
        self.session.close().await
    }
}

/// Why a spare process could not be claimed, and the process where it can still be.
#[derive(Debug)]
#[non_exhaustive]
pub struct ClaimError {
    /// Why.
    pub error: Error,
    /// The process, where the CLI has refused and changed nothing.
    pub spare: Option<Box<Spare>>,
}

impl fmt::Display for ClaimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the spare process could not be claimed")
    }
}

impl std::error::Error for ClaimError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// Gives the spare up.
impl From<ClaimError> for Error {
    fn from(error: ClaimError) -> Self {
        error.error
    }
}

/// Whether the process still waits for a claim; one that broke on the way does not.
fn leaves_the_spare(error: &ControlError) -> bool {
    matches!(error, ControlError::Rejected { message, .. } if !message.starts_with(BROKEN))
}

/// The directory counted from ours; `None` where it can't be told, or the CLI is to find the home directory.
fn absolute(cwd: &str) -> Option<String> {
    if cwd.is_empty() || cwd.starts_with('~') {
        return None;
    }
    path::absolute(cwd).ok()?.into_os_string().into_string().ok()
}

const BROKEN: &str = "claim_failed";
