//! The folders that the operating system watches, and those that it cannot.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use notify::{Error, ErrorKind, RecursiveMode};

use super::shared::Shared;
use super::{Native, Settings};

/// The folders that the operating system watches, each by its path without links: two paths of one folder would hide one
/// another.
pub(super) struct Folders {
    settings: Settings,
    shared: Arc<Shared>,
    native: Option<Native>,
    watched: BTreeSet<PathBuf>,
    /// Those in which files are to be looked at too, and why.
    polled: BTreeMap<PathBuf, String>,
}

impl Folders {
    pub(super) fn new(settings: Settings, shared: Arc<Shared>) -> Self {
        Self { settings, shared, native: None, watched: BTreeSet::new(), polled: BTreeMap::new() }
    }

    /// Watches these and no others; gives those for which that is new, or that are gone already.
    pub(super) fn set(&mut self, needed: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
        let gone: Vec<_> = self.watched.difference(needed).cloned().collect();
        gone.iter().for_each(|folder| self.unwatch(folder));
        self.polled.retain(|folder, _| needed.contains(folder));
        let new: Vec<_> = needed.difference(&self.watched).cloned().collect();
        new.into_iter().filter(|folder| self.watch(folder)).collect()
    }

    /// A folder is another one now, or none; so are those inside it, of which nothing is heard any more.
    pub(super) fn lose(&mut self, folder: &Path) {
        let lost: Vec<_> =
            self.watched.iter().filter(|watched| watched.starts_with(folder)).cloned().collect();
        lost.iter().for_each(|folder| self.unwatch(folder));
    }

    pub(super) fn lose_all(&mut self) {
        let lost: Vec<_> = self.watched.iter().cloned().collect();
        lost.iter().for_each(|folder| self.unwatch(folder));
    }

    /// Whether files in one of them are to be looked at.
    pub(super) fn polls(&self, folders: &BTreeSet<PathBuf>) -> bool {
        folders.iter().any(|folder| self.polled.contains_key(folder))
    }

    /// Whether there is something to be looked at.
    pub(super) fn is_polling(&self) -> bool {
        !self.polled.is_empty()
    }

    /// Why there is something to be looked at.
    pub(super) fn why_polled(&self) -> Option<String> {
        let (folder, why) = self.polled.first_key_value()?;
        let poll = self.settings.poll;
        Some(format!(
            "what is in {} is looked at every {poll:?} instead of being watched: {why}",
            folder.display()
        ))
    }

    /// Whether it is new that this folder is watched, or it is not there.
    fn watch(&mut self, folder: &Path) -> bool {
        match self.try_watch(folder) {
            Ok(()) => {
                self.watched.insert(folder.to_owned());
                match (self.settings.remote)(folder) {
                    Some(kind) => self.polled.insert(folder.to_owned(), format!("the file system is {kind}")),
                    None => self.polled.remove(folder),
                };
                true
            }
            Err(error) if is_gone(&error) => true,
            Err(error) => {
                self.polled.insert(folder.to_owned(), why(&error));
                false
            }
        }
    }

    fn try_watch(&mut self, folder: &Path) -> notify::Result<()> {
        let native = match &mut self.native {
            Some(native) => native,
            none => {
                let shared = Arc::clone(&self.shared);
                none.insert((self.settings.native)(Box::new(move |event| shared.handle(event)))?)
            }
        };
        native.watch(folder, RecursiveMode::NonRecursive)
    }

    fn unwatch(&mut self, folder: &Path) {
        if let Some(native) = &mut self.native {
            // It fails where the folder is gone already, and its watch with it.
            _ = native.unwatch(folder);
        }
        self.watched.remove(folder);
    }
}

fn is_gone(error: &Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound => true,
        ErrorKind::Io(error) => {
            matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        }
        _ => false,
    }
}

fn why(error: &Error) -> String {
    match &error.kind {
        ErrorKind::MaxFilesWatch => "there are no more watches to be had from the operating system".into(),
        ErrorKind::Io(error) => error.to_string(),
        _ => error.to_string(),
    }
}
