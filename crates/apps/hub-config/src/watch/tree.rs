//! The folders in a folder that is watched with all that is in it: as many as may be watched.

use std::ffi::OsStr;
use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

use crate::edit::is_temporary;

/// A folder with those in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tree {
    /// Itself in front, and those that lie less deep before the others.
    pub(super) folders: Vec<PathBuf>,
    /// Whether there are more than these.
    pub(super) is_cut: bool,
}

impl Tree {
    /// That of a folder, with so many at most, itself always. Links are not followed.
    pub(super) fn of(root: &Path, most: usize) -> Self {
        let mut tree = Self { folders: vec![root.to_owned()], is_cut: false };
        let (mut next, mut left) = (0, MAX_ENTRIES);
        while let Some(folder) = tree.folders.get(next) {
            next += 1;
            // The same ones each time, where not all have room.
            let mut inside: Vec<_> = entries(folder, &mut left).filter(is_folder).collect();
            inside.sort_by_key(DirEntry::file_name);
            let room = most.saturating_sub(tree.folders.len());
            tree.is_cut |= inside.len() > room || left == 0;
            tree.folders.extend(inside.iter().take(room).map(DirEntry::path));
        }
        tree
    }
}

/// What is directly in a folder, but for what nobody means; counts down how much more is looked at.
pub(super) fn entries(folder: &Path, left: &mut usize) -> impl Iterator<Item = DirEntry> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| !is_skipped(&entry.file_name())).take_while(|_| {
        let is_looked_at = *left > 0;
        *left = left.saturating_sub(1);
        is_looked_at
    })
}

/// Whether a name in a folder that is watched is passed over: what programs keep there for themselves, as no part of what
/// somebody works on, and change whenever they run; and the configuration, of which only what it says of a server counts.
pub(super) fn is_skipped(name: &OsStr) -> bool {
    SKIPPED.iter().any(|skipped| name == *skipped) || name.to_str().is_some_and(is_temporary)
}

fn is_folder(entry: &DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_dir())
}

/// How many folders all that is watched with what is in it may have together: systems have as few as 8,192 watches for all
/// programs of a user, and where it is not Linux each costs more.
pub(super) const MAX_FOLDERS: usize = if cfg!(target_os = "linux") { 1024 } else { 128 };
/// More in one folder, with those in it, are not looked at.
pub(super) const MAX_ENTRIES: usize = 10_000;
const SKIPPED: [&str; 5] = [".git", ".mcp.json", "__pycache__", "mcp.json", "node_modules"];

#[cfg(test)]
mod tests {
    use std::fs;

    use super::Tree;

    #[test]
    fn those_that_lie_less_deep_are_in_front_and_the_rest_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for inside in ["b/x", "a/y/z", ".git/objects", "a/node_modules/m", "c/__pycache__"] {
            fs::create_dir_all(root.join(inside)).unwrap();
        }
        fs::write(root.join("file"), "").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("..", root.join("a/link")).unwrap();
        let all = ["", "a", "b", "c", "a/y", "b/x", "a/y/z"].map(|name| root.join(name));
        for most in 0..9 {
            let tree = Tree::of(root, most);
            assert_eq!(tree.folders, all[..most.clamp(1, all.len())], "{most}");
            assert_eq!(tree.is_cut, most < all.len(), "{most}");
        }
        let missing = Tree::of(&root.join("none"), 3);
        assert_eq!((missing.folders.len(), missing.is_cut), (1, false));
    }
}
