//! The files that the configuration is in: what they contained when they were read, and how they are changed.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::task::spawn_blocking;

use crate::{
    ServerName,
    config::{Configuration, Edit, EditError, Fingerprint, Refusal, Sources},
};

/// The files that the configuration is in.
///
/// All of it blocks, but for what is `async`, which has other threads do it.
#[derive(Clone, Debug)]
pub(super) struct Files(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    sources: Sources,
    /// What each contained when they were read last, by absolute paths.
    seen: BTreeMap<PathBuf, Fingerprint>,
}

impl Files {
    pub(super) fn new(sources: Sources) -> Self {
        let seen = sources.files().map(|file| (absolute(file), Fingerprint::default())).collect();
        Self(Arc::new(Mutex::new(State { sources, seen })))
    }

    /// Their absolute paths.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        self.state().seen.keys().cloned().collect()
    }

    pub(super) fn read_now(&self) -> Configuration {
        let state = &mut *self.state();
        // First what they contain, so that what changes meanwhile is a change.
        let found = Fingerprint::all(state.seen.keys());
        state.seen.values_mut().zip(found).for_each(|(seen, found)| *seen = found);
        state.sources.read()
    }

    /// Reads them; `None` only where the runtime is going down.
    pub(super) async fn read(&self) -> Option<Configuration> {
        let this = self.clone();
        spawn_blocking(move || this.read_now()).await.ok()
    }

    /// Whether one of them contains something else than when they were read: by this, and not by the time, our own
    /// changes are known.
    pub(super) async fn are_changed(&self) -> bool {
        let this = self.clone();
        let changed = move || {
            let state = this.state();
            Fingerprint::all(state.seen.keys()).iter().ne(state.seen.values())
        };
        spawn_blocking(changed).await.unwrap_or(false)
    }

    /// Changes the first of these that has the server.
    pub(super) async fn edit(
        &self,
        files: Vec<PathBuf>,
        server: ServerName,
        edit: Edit,
    ) -> Result<(), EditError> {
        let edited = spawn_blocking(move || {
            let mut refused = None;
            for file in files {
                match edit.write(server.as_str(), &file) {
                    Ok(()) => return Ok(()),
                    Err(error) if is_elsewhere(&error) => refused = refused.or(Some(error)),
                    // It may be in this one: that is worth more than that it is in none of the others.
                    Err(error) => return Err(error),
                }
            }
            Err(refused.unwrap_or(EditError::NoFile { server: server.to_string() }))
        });
        edited.await.unwrap_or(Err(EditError::Closed))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn is_elsewhere(error: &EditError) -> bool {
    matches!(error, EditError::Refused { source: Refusal::NoServer { .. }, .. })
}
