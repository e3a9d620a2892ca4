//! The configuration files, with the content at the last reading.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::task::spawn_blocking;

use crate::{
    Configuration, Edit, EditError, EditRefusal, ProblemKind, ServerName, Sources, edit::Fingerprint,
};

/// The configuration files: reads, compares and edits them. A clone is another handle to the same files.
///
/// Methods that are not `async` block.
#[derive(Clone, Debug)]
pub struct Files(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    sources: Sources,
    /// The content at the last reading, by absolute path.
    seen: BTreeMap<PathBuf, Fingerprint>,
}

impl Files {
    /// Creates the files of these sources. None is read yet.
    pub fn new(sources: Sources) -> Self {
        let seen = sources.files().map(|file| (file.to_path_buf(), Fingerprint::default())).collect();
        Self(Arc::new(Mutex::new(State { sources, seen })))
    }

    /// Returns their absolute paths, in the order of precedence.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.state().sources.by_precedence().map(|(_, file)| file.to_path_buf()).collect()
    }

    /// Reads them on this thread.
    pub fn read_now(&self) -> Configuration {
        let state = &mut *self.state();
        // Fingerprints first: a change during the reading then counts as a change.
        let found = Fingerprint::all(state.seen.keys());
        state.seen.values_mut().zip(found).for_each(|(seen, found)| *seen = found);
        let configuration = state.sources.read();
        let unread =
            configuration.problems.iter().filter(|problem| problem.kind == ProblemKind::Unresponsive);
        for file in unread.filter_map(|problem| problem.file.as_ref()) {
            // Its answer then counts as a change.
            state.seen.insert(file.to_path_buf(), Fingerprint::Unreadable);
        }
        configuration
    }

    /// Reads them. Returns `None` only if the runtime is shutting down.
    pub async fn read(&self) -> Option<Configuration> {
        let this = self.clone();
        spawn_blocking(move || this.read_now()).await.ok()
    }

    /// Returns whether the content of a file differs from the last reading. Comparing content ignores the hub's own
    /// edits.
    pub async fn are_changed(&self) -> bool {
        let this = self.clone();
        let changed = move || {
            let state = this.state();
            Fingerprint::all(state.seen.keys()).iter().ne(state.seen.values())
        };
        spawn_blocking(changed).await.unwrap_or(false)
    }

    /// Applies an edit to the first of these files that has the server.
    ///
    /// # Errors
    ///
    /// If no file has the server, or the file can't be changed.
    pub async fn edit(&self, files: Vec<PathBuf>, server: ServerName, edit: Edit) -> Result<(), EditError> {
        let this = self.clone();
        let edited = spawn_blocking(move || {
            let mut refused = None;
            let of_project = this.state().sources.of_project(&server).map(|file| (**file).clone());
            if let Some(file) = of_project.filter(|_| !matches!(edit, Edit::Add(_))) {
                let source = EditRefusal::OfProject { server: server.to_string() };
                return Err(EditError::Refused { file, source });
            }
            for file in files {
                match edit.write(server.as_str(), &file) {
                    Ok(()) => return Ok(()),
                    Err(error) if is_elsewhere(&error) => refused = refused.or(Some(error)),
                    // This file may have the server, so return its error.
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

fn is_elsewhere(error: &EditError) -> bool {
    matches!(error, EditError::Refused { source: EditRefusal::NoServer { .. }, .. })
}
