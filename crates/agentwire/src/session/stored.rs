//! A session with a store: what it takes to start one.

use std::{fmt, path::PathBuf, sync::Arc};

use agentwire_control::FrameFilter;
use agentwire_protocol::SessionId;
use agentwire_sessions::{SessionKey, SessionStore};
use tokio::runtime::Handle;

use super::{
    Session, SessionBuilder,
    launch::inherited,
    resume::{self, Folder, Resumed},
    runtime,
};
use crate::{
    Error, Options, Warning,
    mirror::{Known, Mirror, MirrorOptions, Places, Slot, StoreHandle},
    options::{LaunchPlan, NO_STORE, refuse},
};

impl SessionBuilder {
    /// Keeps the session in this store too, beside the CLI's own folder, and goes on with sessions from there.
    ///
    /// # Mirroring
    ///
    /// What the CLI stores (`--session-mirror`) is appended in the background, in its order, under the name of the CLI's
    /// folder for the project, or [`sessionStoreProject`](Options::session_store_project): several entries at once, at each
    /// result and past 500 entries or 1 MiB, or each as it comes ([`sessionStoreFlush`](Options::session_store_flush)),
    /// which is the choice for a program that may be killed.
    /// [`store_handle`](Self::store_handle) reports what the store has.
    /// It is no message then.
    /// A `result`, and the end of the session, is given out when the store has what came before it, or has taken longer
    /// than [`sessionStoreFlushTimeoutMs`](Options::session_store_flush_timeout_ms); hooks, questions and control
    /// requests go on meanwhile.
    /// After such a delay no result waits until the store has taken something.
    ///
    /// A store that fails, or panics, is asked three times.
    /// Then, and after an append that takes longer than
    /// [`sessionStoreAppendTimeoutMs`](Options::session_store_append_timeout_ms), those entries are given up, as they are
    /// where more than [`sessionStoreMaxPendingBytes`](Options::session_store_max_pending_bytes) wait; the CLI's own
    /// files have them.
    /// Each such failure is told as a message, [`MirrorError`](agentwire_protocol::message::MirrorError), with
    /// the number of entries, and to `tracing`; the session goes on.
    /// A store must not block the thread it is asked on.
    ///
    /// The last entries come after the last result and after the end of input: [`Session::close`](crate::Session::close), a
    /// [`Query`](crate::Query) and whoever reads to the end has them stored.
    /// Where a session is dropped before, what was read until then is still appended, within the time of a flush and
    /// while the runtime lives, and what is left is told to `tracing` alone.
    /// A `blocking::Session` has a runtime of its own, which goes with it: dropped in mid-turn
    /// it loses for the store whatever was not appended yet, so that it should be closed.
    ///
    /// # Going on from the store
    ///
    /// With [`resume`](Options::resume), a session's id, or [`continue_last`](Options::continue_last) the session is
    /// loaded, subagents included, and written to a private folder, which the CLI has for its configuration
    /// (`CLAUDE_CONFIG_DIR`): with the login, but without its refresh token, `.claude.json` and the user's settings,
    /// without plugins.
    /// The folder is gone when the CLI has ended; where this program is killed, or ends before the CLI does, it stays in
    /// the system's folder for temporary files.
    /// `continue_last` takes the newest session that has messages of its own; where the store has none, it is the CLI's own
    /// affair.
    /// Where a [`transport`](Self::transport) is set nothing is loaded, and the files that the CLI tells of are looked
    /// for in `CLAUDE_CONFIG_DIR` of [`env`](Options::env).
    #[must_use]
    pub fn session_store(mut self, store: Arc<dyn SessionStore>) -> Self {
        self.session_mirror = true;
        self.stored.store = Some(store);
        self
    }

    /// Returns a handle that reports what of the session its store has, once the session runs.
    ///
    /// It is there before the session, so that hooks can use it.
    pub fn store_handle(&self) -> StoreHandle {
        StoreHandle::of(self.stored.slot.clone())
    }
}

impl Session {
    /// Returns a handle that reports what of the session its store has; `None` for a session without a store.
    pub fn store_handle(&self) -> Option<StoreHandle> {
        self.mirror.as_ref().map(Mirror::handle)
    }
}

/// The store of a session, and the folder that a session from there lies in.
#[derive(Clone, Default)]
pub(super) struct Stored {
    store: Option<Arc<dyn SessionStore>>,
    folder: Option<Arc<Folder>>,
    /// What the store had of a resumed session.
    known: Known,
    /// Where handles find the running session.
    slot: Slot,
}

impl Stored {
    /// Takes the session to go on with from the store, where there is one and the options name one: they then say where
    /// it is. What no store can have as a project is refused.
    pub(super) async fn prepare(
        &mut self,
        options: &mut Options,
        over_a_transport: bool,
    ) -> Result<(), Error> {
        let Some(store) = self.store.clone() else { return Ok(()) };
        if let Some(project) = &options.session_store_project
            && let Err(error) = SessionKey::new(project.as_str(), SessionId::from(ANY_SESSION))
        {
            return refuse("sessionStoreProject", error.to_string());
        }
        if over_a_transport || (options.resume.is_none() && !options.continue_last) {
            return Ok(());
        }
        runtime::current()?;
        if let Some(Resumed { folder, id, known }) = resume::resume(&*store, options).await? {
            self.known = known;
            options.env.insert(CONFIG_DIR.to_owned(), folder.path().display().to_string());
            options.resume = Some(id);
            options.continue_last = false;
            self.folder = Some(Arc::new(folder));
        }
        Ok(())
    }

    /// Takes back what the options warn of where there is no store.
    pub(super) fn settle(&self, lowered: &mut LaunchPlan) {
        if self.store.is_some() {
            lowered.warnings.retain(|told| !matches!(told, Warning::NoEffect { why: NO_STORE, .. }));
        }
    }

    /// Starts to mirror.
    pub(super) fn mirror(
        &self,
        runtime: &Handle,
        options: &Options,
    ) -> Option<(Mirror, Arc<dyn FrameFilter>)> {
        let store = self.store.clone()?;
        let places = Places::new(&config_dir(options), options.session_store_project.as_deref());
        let places = places.seen_from(working_dir(options));
        let options = MirrorOptions::of(options);
        Some(Mirror::start(runtime, store, options, places, self.known.clone(), &self.slot))
    }

    /// What must be there as long as the CLI is.
    pub(super) fn folder(&self) -> Option<Arc<Folder>> {
        self.folder.clone()
    }
}

impl fmt::Debug for Stored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stored").field("store", &self.store.is_some()).field("folder", &self.folder).finish()
    }
}

/// The CLI's configuration folder, as it finds it.
pub(super) fn config_dir(options: &Options) -> PathBuf {
    let dir = named_config_dir(options).unwrap_or_else(|| home(options).join(".claude"));
    // A relative one counts from the CLI's working directory.
    working_dir(options).join(dir)
}

/// The CLI's working directory.
fn working_dir(options: &Options) -> PathBuf {
    let dir = options.cwd.clone().unwrap_or_else(|| PathBuf::from("."));
    std::path::absolute(&dir).unwrap_or(dir)
}

/// The one that is set.
pub(super) fn named_config_dir(options: &Options) -> Option<PathBuf> {
    inherited(options, CONFIG_DIR).filter(|dir| !dir.is_empty()).map(PathBuf::from)
}

/// The CLI's home folder.
pub(super) fn home(options: &Options) -> PathBuf {
    let set = inherited(options, if cfg!(windows) { "USERPROFILE" } else { "HOME" })
        .filter(|home| !home.is_empty());
    set.map(PathBuf::from).or_else(std::env::home_dir).unwrap_or_default()
}

/// Stands for the id of a session where only the project is looked at.
const ANY_SESSION: &str = "00000000-0000-0000-0000-000000000000";
const CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";
