//! The folders that the operating system watches, and the folders that are polled.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use notify::{Error, ErrorKind, RecursiveMode};

use super::inbox::Inbox;
use super::{Native, Settings};
use crate::reading;

/// The watched folders, each by its canonical path: two paths of one folder would replace each other's watch.
pub(super) struct Folders {
    settings: Settings,
    inbox: Arc<Inbox>,
    native: Option<Native>,
    /// The folders, and the kind of a file system that other machines can change without an event.
    watched: BTreeMap<PathBuf, Option<String>>,
    /// The first folder that can't be watched, and the reason.
    refused: Option<(PathBuf, String)>,
}

impl Folders {
    pub(super) fn new(settings: Settings, inbox: Arc<Inbox>) -> Self {
        Self { settings, inbox, native: None, watched: BTreeMap::new(), refused: None }
    }

    /// Watches these folders and no others. Returns whether all of them were watched before, or can't be.
    pub(super) fn set(&mut self, needed: &BTreeSet<PathBuf>) -> bool {
        self.unwatch(self.watched.keys().filter(|folder| !needed.contains(*folder)).cloned().collect());
        self.refused = None;
        let mut was_watched = true;
        for folder in needed {
            if self.watched.contains_key(folder) {
                continue;
            }
            match self.watch(folder) {
                Ok(()) => {
                    let remote = (self.settings.remote)(folder);
                    self.watched
                        .insert(folder.clone(), remote.map(|kind| format!("the file system is {kind}")));
                    was_watched = false;
                }
                Err(error) if is_missing(&error) => was_watched = false,
                Err(error) => _ = self.refused.get_or_insert_with(|| (folder.clone(), reason(&error))),
            }
        }
        was_watched
    }

    /// Removes the watches of a folder and of all folders in it.
    ///
    /// `notify` drops them without an event if the folder is moved, and the path may be another folder now.
    pub(super) fn lose(&mut self, folder: &Path) {
        // Paths sort by component, so those in the folder follow it.
        let inside = self.watched.range(folder.to_owned()..).take_while(|(path, _)| path.starts_with(folder));
        self.unwatch(inside.map(|(path, _)| path.clone()).collect());
    }

    /// Removes all watches.
    pub(super) fn clear(&mut self) {
        self.unwatch(self.watched.keys().cloned().collect());
    }

    /// Returns a folder with files that must be polled, and the reason.
    pub(super) fn polled(&self) -> Option<(&Path, &str)> {
        let mut watched = self.watched.iter();
        let remote = || watched.find_map(|(folder, why)| Some((folder.as_path(), why.as_deref()?)));
        self.refused.as_ref().map(|(folder, why)| (folder.as_path(), why.as_str())).or_else(remote)
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

    fn watch(&mut self, folder: &Path) -> notify::Result<()> {
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
        ErrorKind::Io(error) => reading::is_missing(error),
        _ => false,
    }
}

fn reason(error: &Error) -> String {
    match &error.kind {
        ErrorKind::MaxFilesWatch => "the operating system has no more watches".into(),
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
    let point = mount.split(' ').nth(4)?;
    // A backslash is last: the text after it may look like an escape.
    let escapes = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")];
    let point = escapes.iter().fold(point.to_owned(), |point, (escape, char)| point.replace(escape, char));
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

    #[test]
    fn escapes_in_mount_points_are_decoded() {
        let mounts = "40 22 0:35 / /a\\011b\\012c\\134040d rw - nfs4 server:/me rw\n";
        assert_eq!(remote_in(mounts, Path::new("/a\tb\nc\\040d/x")), Some("nfs4".into()));
    }
}
