//! Resumes a session from a store: loads it and writes it to a folder that the CLI uses for its configuration.

mod load;
mod login;
mod write;

use std::{io, time::Duration};

use agentwire_sessions::{SessionStore, project_key};
use tokio::task::spawn_blocking;

use super::{
    private_files::PrivateDir,
    stored::{home, named_config_dir},
    user::User,
};
use crate::{
    Error, Options, ResumeError,
    mirror::{Known, ids},
};
use load::Loader;

/// A session loaded from a store.
pub(super) struct Resumed {
    /// The folder that contains it.
    pub(super) folder: PrivateDir,
    pub(super) id: String,
    /// The name of its project's folder.
    pub(super) project: String,
    /// The ids of its messages and tool uses, which the CLI does not mirror again.
    pub(super) known: Known,
    /// The length of its entries.
    pub(super) bytes: usize,
}

/// Loads the session that the options name from the store. Refuses the id of a stored session for a new one.
///
/// Returns `None` if no session is requested, or the last one and there is none.
/// Dropping the future removes an unfinished folder.
pub(super) async fn resume(store: &dyn SessionStore, options: &Options) -> Result<Option<Resumed>, Error> {
    let limit = options.load_timeout_ms.map_or(LOAD_LIMIT, Duration::from_millis);
    let in_folder = project_key(&options.working_dir());
    let project = options.session_store_project.as_deref().unwrap_or(&in_folder);
    let loader = Loader { store, project, limit };
    let is_new = options.fork_session || (options.resume.is_none() && !options.continue_last);
    if let Some(id) = options.session_id.as_ref().filter(|_| is_new) {
        loader.refuse_stored(id).await?;
    }
    let loaded = match &options.resume {
        Some(id) => Some(loader.by_id(id).await?),
        None if !options.continue_last => return Ok(None),
        None => loader.last().await?,
    };
    let Some(loaded) = loaded else { return Ok(None) };
    let id = loaded.key.session_id().to_string();
    let (mut known, mut bytes) = (Known::default(), 0);
    for entries in loaded.subpaths.iter().map(|(_, entries)| entries).chain([&loaded.entries]) {
        known.add(entries.iter().flat_map(ids), Ok(()));
        bytes += entries.iter().map(|entry| entry.as_str().len()).sum::<usize>();
    }
    let reader = options.user.as_deref().map(User::find).transpose()?;
    let login = login::Sources {
        config: options.config_dir(),
        // Unless a configuration folder is set, `.claude.json` lies beside the default one. The CLI does not compose
        // the path of this file.
        state: named_config_dir(options).map_or_else(|| home(options), |dir| options.working_dir().join(dir)),
        ask_keychain: named_config_dir(options).is_none() && !login::is_in_environment(options),
    };
    let project = in_folder.clone();
    let written = spawn_blocking(move || {
        // Not `XDG_RUNTIME_DIR`: it lies in memory, and a session may be large.
        let folder = PrivateDir::new(&std::env::temp_dir(), reader)?;
        if folder.path().to_str().is_none() {
            return Err(io::Error::other("the folder for temporary files has a name that is not Unicode"));
        }
        write::session(&folder, &in_folder, &loaded)?;
        login::copy(&login, &folder)?;
        folder.hand_over()?;
        Ok(folder)
    });
    let written = written.await.unwrap_or_else(|error| Err(io::Error::other(error)));
    let folder = written.map_err(ResumeError::Folder)?;
    Ok(Some(Resumed { folder, id, project, known, bytes }))
}

/// The default of the reference SDKs.
const LOAD_LIMIT: Duration = Duration::from_secs(60);
