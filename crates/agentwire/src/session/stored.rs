//! Starting a session with a session store.

use std::{path::PathBuf, sync::Arc};

use agentwire_control::FrameFilter;
use agentwire_protocol::SessionId;
use agentwire_sessions::{SessionKey, SessionStore, composed_path};
use tokio::runtime::Handle;

use super::{
    Session, SessionBuilder,
    launch::{CONFIG_DIR, inherited},
    private_files::PrivateDir,
    resume::{self, Resumed},
    runtime,
};
use crate::{
    Error, Options, Warning,
    mirror::{Known, Mirror, MirrorOptions, Slot, StoreHandle, TranscriptPaths},
    options::{LaunchPlan, NO_STORE, refuse},
};

impl SessionBuilder {
    /// Mirrors the session to this store, in addition to the CLI's own folder, and resumes sessions from it.
    ///
    /// # Mirroring
    ///
    /// The entries that the CLI stores (`--session-mirror`) are appended in the background and in order, under the name
    /// of the CLI's folder for the project or [`sessionStoreProject`](Options::session_store_project). They are
    /// appended in batches (at each result, and at 500 entries or 1 MiB) or at once
    /// ([`sessionStoreFlush`](Options::session_store_flush)), where entries that arrive during an append share the next
    /// one; choose the latter if the program may be killed.
    /// [`store_handle`](Self::store_handle) reports which entries are stored.
    /// `transcript_mirror` messages are then not delivered.
    /// A `result` and the end of the session are delivered after the store has all earlier entries, or after
    /// [`sessionStoreFlushTimeoutMs`](Options::session_store_flush_timeout_ms); hooks, questions and control requests
    /// continue meanwhile.
    /// After such a timeout, results wait again only once an append has succeeded.
    ///
    /// A failing or panicking store is called three times per batch. The entries then wait, and are appended before the
    /// next ones, at the latest at the end of the session.
    /// Entries are discarded after an append that exceeds
    /// [`sessionStoreAppendTimeoutMs`](Options::session_store_append_timeout_ms), and when more than
    /// [`sessionStoreMaxPendingBytes`](Options::session_store_max_pending_bytes) are pending. The CLI's own files still
    /// have them, unless the session was resumed from the store: its files are in a private folder.
    /// Each entry that is not stored in time is reported once: by a message,
    /// [`MirrorError`](agentwire_protocol::message::MirrorError), with the number of entries, and to `tracing`. The
    /// session continues.
    /// A store must not block the thread on which it is polled.
    ///
    /// The last entries arrive after the last result and after the end of input:
    /// [`Session::close`](crate::Session::close), a [`Query`](crate::Query) and any caller that reads to the end wait
    /// until the store has them.
    /// If a session is dropped earlier, entries read before the drop are still appended, within one flush timeout and
    /// while the runtime lives; the loss of the others is only logged to `tracing`.
    /// A `blocking::Session` owns its runtime: dropped during a turn, it loses all entries that were not appended yet,
    /// so close it.
    ///
    /// # Resuming from the store
    ///
    /// With [`resume`](Options::resume) (a session id) or [`continue_last`](Options::continue_last), the session and
    /// its subagents are loaded and written to a private folder, which the CLI uses as its configuration folder
    /// (`CLAUDE_CONFIG_DIR`). It also contains the login without its refresh token, `.claude.json` (and `.config.json`,
    /// its older place), the user's settings without plugins, and the organization's policy as last fetched.
    /// The folder is removed when the CLI has exited; if this program is killed or exits before the CLI, it stays in
    /// the system's folder for temporary files.
    /// `continue_last` takes the newest session with messages of its own that is not archived; if the store has none, a
    /// new session starts.
    /// The store has no other files of the CLI: checkpoints of files, plan files and saved tool outputs of earlier
    /// processes are missing.
    ///
    /// A [`session_id`](Options::session_id) of a new session or of a copy is an error if the store has messages of a
    /// session with this id: readers would no longer find them.
    ///
    /// If a [`transport`](Self::transport) is set, nothing is loaded, and the files that the CLI reports are searched
    /// in `CLAUDE_CONFIG_DIR` of [`env`](Options::env).
    #[must_use]
    pub fn session_store(mut self, store: Arc<dyn SessionStore>) -> Self {
        self.session_mirror = true;
        self.parts.stored.store = Some(store);
        self
    }

    /// Returns a handle that reports which entries of the session are stored, once the session runs.
    ///
    /// It exists before the session, so that hooks can use it.
    pub fn store_handle(&self) -> StoreHandle {
        StoreHandle(self.parts.stored.slot.clone())
    }
}

impl Session {
    /// Returns a handle that reports which entries of the session are stored; `None` for a session without a store.
    pub fn store_handle(&self) -> Option<StoreHandle> {
        self.mirror.as_ref().map(Mirror::handle)
    }
}

/// The store of a session, and the folder of a session resumed from it.
#[derive(Clone, Default)]
pub(super) struct Stored {
    store: Option<Arc<dyn SessionStore>>,
    /// The folder of a resumed session, which must exist while the CLI runs.
    pub(super) folder: Option<Arc<PrivateDir>>,
    /// The id of a resumed session, and the name of its project's folder.
    resumed: Option<(String, String)>,
    /// The length of the copy of a forked session, which the CLI mirrors in one line.
    pub(super) copied: usize,
    /// The ids that the store already had of a resumed session.
    known: Known,
    /// Connects handles to the running session.
    slot: Slot,
}

impl Stored {
    /// Loads the session that the options name from the store, if any, and points the options to it. Rejects a project
    /// name that no store accepts, and the id of a stored session for a new one.
    pub(super) async fn prepare(
        &mut self,
        options: &mut Options,
        over_a_transport: bool,
    ) -> Result<(), Error> {
        let Some(store) = self.store.clone() else { return Ok(()) };
        if options.session_store_project.is_none() && !over_a_transport {
            options.session_store_project = named_project(options);
        }
        if let Some(project) = &options.session_store_project
            && let Err(error) = SessionKey::new(project.as_str(), SessionId::from(ANY_SESSION))
        {
            return refuse("sessionStoreProject", error.to_string());
        }
        if over_a_transport {
            return Ok(());
        }
        runtime::current()?;
        let resumed = resume::resume(&*store, options).await?;
        // The CLI would continue a session of this machine, and the store would get only the rest of it.
        options.continue_last = false;
        if let Some(Resumed { folder, id, project, known, bytes }) = resumed {
            self.known = known;
            // The CLI adds a little to each entry.
            self.copied = if options.fork_session { 2 * bytes } else { 0 };
            options.env.insert(CONFIG_DIR.to_owned(), folder.path().display().to_string());
            // The new folder contains the session in a folder named after the project's path.
            options.env.insert(PROJECT_NAME.to_owned(), String::new());
            self.resumed = Some((id.clone(), project));
            options.resume = Some(id);
            self.folder = Some(Arc::new(folder));
        }
        Ok(())
    }

    /// Removes warnings that only apply without a store.
    pub(super) fn remove_store_warnings(&self, plan: &mut LaunchPlan) {
        if self.store.is_some() {
            plan.warnings.retain(|warning| !matches!(warning, Warning::NoEffect { why: NO_STORE, .. }));
        }
    }

    /// Starts mirroring.
    pub(super) fn mirror(
        &self,
        runtime: &Handle,
        options: &Options,
    ) -> Option<(Mirror, Arc<dyn FrameFilter>)> {
        let store = self.store.clone()?;
        let project = options.session_store_project.as_deref();
        let mut paths = TranscriptPaths::new(&options.config_dir(), project, options.working_dir());
        if let Some((session, folder)) = &self.resumed {
            paths = paths.resumed(session, folder);
        }
        let mut options = MirrorOptions::of(options);
        options.max_pending = options.max_pending.saturating_add(self.copied);
        Some(Mirror::start(runtime, store, options, paths, self.known.clone(), &self.slot))
    }
}

impl Options {
    /// Returns the CLI's configuration folder: `CLAUDE_CONFIG_DIR`, or `.claude` in the home folder. Like the CLI, it
    /// composes the characters of the path (Unicode NFC).
    pub fn config_dir(&self) -> PathBuf {
        let dir = named_config_dir(self).unwrap_or_else(|| home(self).join(".claude"));
        // A relative path is resolved against the CLI's working directory.
        self.working_dir().join(composed_path(dir))
    }
}

/// Returns the configuration folder that the environment names.
pub(super) fn named_config_dir(options: &Options) -> Option<PathBuf> {
    inherited(options, CONFIG_DIR).filter(|dir| !dir.is_empty()).map(PathBuf::from)
}

/// Returns the name that the environment sets for the project's folder.
///
/// Like the CLI, ignores it if `CLAUDE_CONFIG_DIR` is not set, or if the name is too long or has other characters.
fn named_project(options: &Options) -> Option<String> {
    named_config_dir(options)?;
    let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    inherited(options, PROJECT_NAME)
        .filter(|name| (1..=64).contains(&name.len()) && name.bytes().all(is_valid))
}

/// Returns the CLI's home folder.
pub(super) fn home(options: &Options) -> PathBuf {
    let set = inherited(options, "HOME").filter(|home| !home.is_empty());
    set.map(PathBuf::from).or_else(std::env::home_dir).unwrap_or_default()
}

/// A placeholder id for checking only the project.
const ANY_SESSION: &str = "00000000-0000-0000-0000-000000000000";
const PROJECT_NAME: &str = "CLAUDE_CODE_PROJECT_DIR_NAME";
