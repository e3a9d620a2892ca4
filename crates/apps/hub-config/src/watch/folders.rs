//! The folders that the operating system watches, and the folders that are polled.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use notify::{Error, ErrorKind, RecursiveMode};

use super::inbox::Inbox;
use super::{Native, Settings};

/// The watched folders, each by its path without links: two paths of one folder would replace each other's watch.
pub(super) struct Folders {
    settings: Settings,
    inbox: Arc<Inbox>,
    native: Option<Native>,
    watched: BTreeSet<PathBuf>,
    /// The folders with polled files, and the reason.
    polled: BTreeMap<PathBuf, String>,
}

impl Folders {
    pub(super) fn new(settings: Settings, inbox: Arc<Inbox>) -> Self {
        Self { settings, inbox, native: None, watched: BTreeSet::new(), polled: BTreeMap::new() }
    }

    /// Replaces the set of folders. Returns the newly watched and the missing ones.
    pub(super) fn set(&mut self, needed: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
        self.unwatch(self.watched.difference(needed).cloned().collect());
        self.polled.retain(|folder, _| needed.contains(folder));
        let new: Vec<_> = needed.difference(&self.watched).cloned().collect();
        new.into_iter().filter(|folder| self.watch(folder)).collect()
    }

    /// Removes the watches of a folder and of all folders in it.
    pub(super) fn lose(&mut self, folder: &Path) {
        // Paths sort by component, so those in the folder follow it.
        let inside = self.watched.range(folder.to_owned()..).take_while(|path| path.starts_with(folder));
        let lost: Vec<_> = inside.cloned().collect();
        self.unwatch(lost);
    }

    fn unwatch(&mut self, folders: Vec<PathBuf>) {
        for folder in folders {
            if let Some(native) = &mut self.native {
                // Fails if the folder no longer exists: the system has removed its watch.
                _ = native.unwatch(&folder);
            }
            self.watched.remove(&folder);
        }
    }

    /// Returns whether files in one of these folders are polled.
    pub(super) fn polls(&self, folders: &BTreeSet<PathBuf>) -> bool {
        folders.iter().any(|folder| self.polled.contains_key(folder))
    }

    pub(super) fn is_polling(&self) -> bool {
        !self.polled.is_empty()
    }

    /// Returns the warning that files are polled.
    pub(super) fn warning(&self) -> Option<String> {
        let (folder, why) = self.polled.first_key_value()?;
        let (folder, poll) = (folder.display(), self.settings.poll);
        Some(format!("what is in {folder} is looked at every {poll:?} instead of being watched: {why}"))
    }

    /// Watches a folder. Returns whether the files in it must be looked at again.
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
            Err(error) if is_missing(&error) => true,
            Err(error) => {
                self.polled.insert(folder.to_owned(), reason(&error));
                false
            }
        }
    }

    fn try_watch(&mut self, folder: &Path) -> notify::Result<()> {
        let native = match &mut self.native {
            Some(native) => native,
            none => {
                let inbox = Arc::clone(&self.inbox);
                none.insert((self.settings.native)(Box::new(move |event| inbox.add(event)))?)
            }
        };
        native.watch(folder, RecursiveMode::NonRecursive)
    }
}

fn is_missing(error: &Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound => true,
        ErrorKind::Io(error) => {
            matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        }
        _ => false,
    }
}

fn reason(error: &Error) -> String {
    match &error.kind {
        ErrorKind::MaxFilesWatch => "there are no more watches to be had from the operating system".into(),
        ErrorKind::Io(error) => error.to_string(),
        _ => error.to_string(),
    }
}

/// Returns the kind of a folder's file system if other machines can change it without an event here. Linux only.
pub(super) fn remote(folder: &Path) -> Option<String> {
    remote_in(&std::fs::read_to_string("/proc/self/mountinfo").ok()?, folder)
}

fn remote_in(mounts: &str, folder: &Path) -> Option<String> {
    // Of two mounts at the same point, the later one hides the earlier one.
    let mounts = mounts.lines().filter_map(mount).filter(|(point, _)| folder.starts_with(point));
    let (_, kind) = mounts.max_by_key(|(point, _)| point.components().count())?;
    REMOTE.split(' ').any(|remote| remote == kind).then(|| kind.to_owned())
}

/// Returns the mount point and the kind of the file system.
fn mount(line: &str) -> Option<(PathBuf, &str)> {
    let (mount, kind) = line.split_once(" - ")?;
    let point = mount.split(' ').nth(4)?.replace("\\040", " ");
    Some((point.into(), kind.split(' ').next()?))
}

/// File systems over a network, or of the host of a virtual machine.
const REMOTE: &str = "9p afs ceph cifs drvfs fakeowner fuse.gcsfuse fuse.glusterfs fuse.grpcfuse fuse.rclone fuse.s3fs \
    fuse.sshfs fuse.vmhgfs-fuse gfs2 lustre ncpfs nfs nfs4 ocfs2 prl_fs smb3 smbfs vboxsf virtiofs vmhgfs";

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::remote_in;

    #[test]
    fn the_deepest_mount_counts() {
        let mounts = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n\
                      40 22 0:35 / /home\\040of/me rw - nfs4 server:/me rw\n\
                      41 40 0:36 / /home\\040of/me/tmp rw - tmpfs tmpfs rw\n";
        let remote = |folder: &str| remote_in(mounts, Path::new(folder));
        assert_eq!(remote("/home of/me/project"), Some("nfs4".into()));
        assert_eq!(remote("/home of/me"), Some("nfs4".into()));
        assert_eq!(remote("/home of/me/tmp/x"), None);
        assert_eq!(remote("/home of/mean"), None);
        assert_eq!(remote("/"), None);
        assert_eq!(remote_in("", Path::new("/")), None);
    }
}
