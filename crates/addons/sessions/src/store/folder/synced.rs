//! Remembers files with synced folders; folders that another writer created may not be on the disk.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Files with synced folders.
#[derive(Debug, Default)]
pub(super) struct Synced(Mutex<HashSet<PathBuf>>);

impl Synced {
    pub(super) fn has(&self, path: &Path) -> bool {
        self.paths().contains(path)
    }

    pub(super) fn add(&self, path: &Path) {
        let mut paths = self.paths();
        if paths.len() >= MAX_FILES {
            // Syncing them again only costs time.
            paths.clear();
        }
        paths.insert(path.to_owned());
    }

    fn paths(&self) -> MutexGuard<'_, HashSet<PathBuf>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The maximum number of files, of some hundred bytes each.
const MAX_FILES: usize = 4096;

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{MAX_FILES, Synced};
    use crate::{FolderStore, RawEntry, SessionKey, SessionStore as _};

    #[test]
    fn remembered_files_are_limited() {
        let synced = Synced::default();
        for number in 0..=MAX_FILES {
            synced.add(&PathBuf::from(number.to_string()));
        }
        assert!(synced.has(Path::new(&MAX_FILES.to_string())) && !synced.has(Path::new("0")));
    }

    #[tokio::test]
    async fn a_file_created_by_an_unsynced_store_is_synced_with_its_folders() {
        let folder = tempfile::tempdir().unwrap();
        let key = SessionKey::new("p", "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11".into()).unwrap();
        let careless = FolderStore::at(folder.path());
        let entry = [RawEntry::parse("{}").unwrap()];
        careless.append(&key, &entry).await.unwrap();
        let careful = careless.synced();
        let (synced, file) = (careful.synced.clone().unwrap(), careful.place.file(&key));
        assert!(!synced.has(&file));
        careful.append(&key, &entry).await.unwrap();
        assert!(synced.has(&file));
    }
}
