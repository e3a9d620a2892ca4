//! Spare processes: started before they are needed, and claimed by a session later.

use std::{
    env, fs,
    path::{self, PathBuf},
};

use agentwire_control::{Control, ControlError};
use agentwire_protocol::control::{ClaimSession, ClaimSessionReply, InitializeReply};

use agentwire_transport::TransportError;

use super::{Closed, Session, SessionBuilder, private_files::create_dir};
use crate::{Error, Options, options::FolderFiles};

/// Starts a spare process with these options and no callbacks: see [`SessionBuilder::prewarm`].
///
/// # Cancel safety
///
/// As [`SessionBuilder::connect`].
///
/// # Errors
///
/// As [`SessionBuilder::prewarm`].
pub async fn prewarm(options: Options) -> Result<Spare, Error> {
    Session::builder().options(options).prewarm().await
}

/// A started process that has completed the handshake but is not a session yet; [`claim`](Self::claim) turns it into
/// one.
///
/// Its settings, MCP servers, hooks and callbacks are fixed; the working directory and everything that depends on it
/// come with the claim. Dropping it ends the process, as dropping a [`Session`] does.
#[derive(Debug)]
pub struct Spare {
    session: Session,
    /// Checks whether the claimed folder may circumvent the callbacks.
    folder_files: Option<FolderFiles>,
    /// The folder in which the CLI reads these files, if it is not the claimed one.
    project_config_root: Option<PathBuf>,
    /// Whether there is a permission handler.
    asks: bool,
    /// The directory in which it waits, held until the claim or the drop.
    _directory: Option<EmptyDir>,
}

impl SessionBuilder {
    /// Starts a spare process (`--await-claim`): it performs the handshake and then waits until a session claims it.
    ///
    /// Without a [`cwd`](Options::cwd) it waits in an empty directory, which is removed afterwards; the session's
    /// folder comes with the claim. The CLI resolves relative paths in the options against the directory in which it
    /// waits, so give it absolute ones.
    /// All other options are fixed now: keep one spare for each set of options.
    /// If a [`transport`](Self::transport) is set, the flag and the directory are up to that transport.
    ///
    /// # Cancel safety
    ///
    /// As [`connect`](Self::connect).
    ///
    /// # Errors
    ///
    /// As [`connect`](Self::connect).
    /// CLI 2.1.197 does not know the flag and exits with a message about it.
    pub async fn prewarm(mut self) -> Result<Spare, Error> {
        let needs_dir = self.transport.is_none() && self.parts.options.cwd.is_none();
        let directory = needs_dir.then(EmptyDir::new).transpose()?;
        if let Some(directory) = &directory {
            self.parts.options.cwd = Some(directory.0.clone());
        }
        self.spare = true;
        let folder_files = self.guards().then(|| self.parts.options.folder_files());
        let asks = self.permissions.is_some();
        let project_config_root = self.parts.options.project_config_root.clone();
        let session = self.connect().await?;
        Ok(Spare { session, folder_files, project_config_root, asks, _directory: directory })
    }
}

impl Spare {
    /// Returns the CLI's reply to the handshake, as of the directory in which it waits.
    pub fn initialized(&self) -> &InitializeReply {
        self.session.initialized()
    }

    /// Returns the handle for control requests.
    ///
    /// Settings applied now ([`Control::apply_flag_settings`]) are in effect before the claim.
    /// The CLI rejects requests that need a session, such as [`Control::set_model`], with `not_claimed`.
    pub fn control(&self) -> &Control {
        self.session.control()
    }

    /// Turns the process into a session (`claim_session`).
    ///
    /// A relative directory is resolved against this program's working directory.
    /// The CLI resolves a leading `~`; the files of such a directory cause no
    /// [`Warning::FolderHeeded`](crate::Warning::FolderHeeded).
    /// The in-process MCP servers need not be listed. [`Session::initialized`] then describes the claimed session.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the process.
    ///
    /// # Errors
    ///
    /// If the CLI rejects the claim, nothing has changed, and the error returns the spare, which can be claimed for
    /// another folder; start this session with [`SessionBuilder::connect`].
    /// The CLI rejects folders that do not exist, folders with settings for values that are only read at the start
    /// (`env`, `model`, and `permissions.defaultMode` if the claim has no permission mode), permission modes that it
    /// can't take, and environment variables that are only read at the start.
    pub async fn claim(mut self, mut claim: ClaimSession) -> Result<Session, ClaimError> {
        if let Some(cwd) = absolute(&claim.cwd) {
            claim.cwd = cwd;
        }
        if claim.sdk_mcp_servers.is_empty() {
            claim.sdk_mcp_servers.clone_from(&self.session.handshake.request.sdk_mcp_servers);
        }
        claim.include_initialize = Some(true);
        match self.session.control.within(self.session.handshake.limit).call(&claim).await {
            Ok(ClaimSessionReply { session_id, initialize, .. }) => {
                let session = &mut self.session;
                session.id = session_id;
                if let Some(initialized) = initialize {
                    session.handshake.claimed(*initialized);
                }
                let bypass = session.handshake.bypass_warning();
                let bypass = bypass.filter(|warning| self.asks && !session.warnings.contains(warning));
                let dir = self.project_config_root.unwrap_or_else(|| PathBuf::from(&claim.cwd));
                let folder_files = self.folder_files.map(|folder_files| folder_files.in_folder(&dir));
                session.warnings.extend(folder_files.into_iter().flatten().chain(bypass));
                Ok(self.session)
            }
            Err(error) => {
                let spare = leaves_the_spare(&error).then(|| Box::new(self));
                Err(ClaimError { error: error.into(), spare })
            }
        }
    }

    /// Ends the process and waits for its exit: see [`Session::close`].
    ///
    /// # Cancel safety
    ///
    /// As [`Session::close`].
    ///
    /// # Errors
    ///
    /// As [`Session::close`].
    pub async fn close(self) -> Result<Closed, Error> {
        self.session.close().await
    }
}

/// The error of a failed claim, with the process if it can still be claimed.
#[derive(Debug, thiserror::Error)]
#[error("the spare process could not be claimed")]
#[non_exhaustive]
pub struct ClaimError {
    /// The error.
    #[source]
    pub error: Error,
    /// The process, if the CLI rejected the claim and changed nothing.
    pub spare: Option<Box<Spare>>,
}

impl From<ClaimError> for Error {
    fn from(error: ClaimError) -> Self {
        error.error
    }
}

/// An empty working directory for a spare, removed on drop if it is still empty.
#[derive(Debug)]
struct EmptyDir(PathBuf);

impl EmptyDir {
    fn new() -> Result<Self, Error> {
        let action = "making a directory for the spare process";
        let made = create_dir(&env::temp_dir());
        made.map(Self).map_err(|source| Error::Start(TransportError::Io { action, source }))
    }
}

impl Drop for EmptyDir {
    fn drop(&mut self) {
        // Files that the process left in it belong to the user, so the directory then stays.
        fs::remove_dir(&self.0).unwrap_or_default();
    }
}

/// Returns whether the process still waits for a claim; it does not if the claim failed halfway.
fn leaves_the_spare(error: &ControlError) -> bool {
    matches!(error, ControlError::Rejected { message, .. } if !message.starts_with(BROKEN))
}

/// Returns the absolute directory; `None` if it is unknown or relative to the home directory, which the CLI resolves.
fn absolute(cwd: &str) -> Option<String> {
    if cwd.is_empty() || cwd.starts_with('~') {
        return None;
    }
    path::absolute(cwd).ok()?.into_os_string().into_string().ok()
}

const BROKEN: &str = "claim_failed";
