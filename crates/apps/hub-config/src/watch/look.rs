//! The state of the file or folder at a path, and the folders to watch for its changes.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsStr;
use std::fs::{self, DirEntry, Metadata};
use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use crate::edit::is_temporary;

/// A path at one moment.
#[derive(Debug, Default)]
pub(super) struct Look {
    /// The folders to watch, by their canonical paths: the parent of the path or its nearest existing ancestor, the
    /// same for the targets of links, and all folders inside.
    pub(super) folders: BTreeSet<PathBuf>,
    /// The number of folders inside, itself included, if it is a folder.
    pub(super) inside: usize,
    /// Whether some folders or files in the folder were left out.
    pub(super) is_cut: bool,
    /// A hash of the metadata of the file, or of everything in the folder; `None` if nothing is there.
    pub(super) stamp: Option<u64>,
}

impl Look {
    /// Looks at an absolute path, with at most `most` folders inside if it is a folder.
    pub(super) fn at(path: &Path, most: usize) -> Self {
        let mut look = Self::default();
        let mut places = vec![path.to_owned()];
        for _ in 0..MAX_LINKS {
            let Some(place) = places.pop() else { break };
            look.folders.extend(nearest_folder(&place));
            // A folder above may be a link too, and may get another target. Links in the root folder belong to the
            // system. The target of a link may be missing and appear later.
            let is_folder = |link: &Path| fs::metadata(link).map_or(true, |found| found.is_dir());
            let is_watched = |link: &Path| link == place || link.components().count() > 2 && is_folder(link);
            for link in place.ancestors().filter(|link| is_watched(link)) {
                if let (Ok(target), Some(folder)) = (fs::read_link(link), link.parent()) {
                    look.folders.extend(nearest_folder(link));
                    places.push(folder.join(target));
                }
            }
        }
        if let Ok(end) = fs::canonicalize(path)
            && let Ok(found) = fs::metadata(&end)
        {
            let mut hasher = DefaultHasher::new();
            hash(&found, &mut hasher);
            if found.is_dir() {
                look.enter(end, most, &mut hasher);
            }
            look.stamp = Some(hasher.finish());
        }
        look
    }

    /// Walks a folder, shallow folders first so that these are watched if there are too many. Follows no links.
    fn enter(&mut self, folder: PathBuf, most: usize, hasher: &mut DefaultHasher) {
        self.inside = 1;
        self.folders.insert(folder.clone());
        let mut queue = VecDeque::from([folder]);
        let mut left = MAX_ENTRIES;
        while let Some(folder) = queue.pop_front() {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            let entries = entries.filter(|entry| !is_skipped(&entry.file_name()));
            let mut entries: Vec<_> = entries.take(left).collect();
            left -= entries.len();
            // The same order each time, for the hash and for the choice of folders.
            entries.sort_by_key(DirEntry::file_name);
            for entry in entries {
                entry.path().hash(hasher);
                if let Ok(found) = entry.metadata() {
                    hash(&found, hasher);
                }
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    if self.inside < most {
                        self.inside += 1;
                        self.folders.insert(entry.path());
                        queue.push_back(entry.path());
                    } else {
                        self.is_cut = true;
                    }
                }
            }
            if left == 0 {
                self.is_cut = true;
                return;
            }
        }
    }
}

/// Returns the canonical path of the nearest existing folder above a path.
fn nearest_folder(path: &Path) -> Option<PathBuf> {
    let folders = path.ancestors().skip(1).filter(|folder| folder.is_dir());
    folders.filter_map(|folder| fs::canonicalize(folder).ok()).next()
}

/// Hashes the metadata that changes when a file is replaced or written.
fn hash(found: &Metadata, hasher: &mut DefaultHasher) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        (found.dev(), found.ino()).hash(hasher);
        if !found.is_dir() {
            (found.ctime(), found.ctime_nsec()).hash(hasher);
        }
    }
    // The times of a folder also change with entries that are skipped.
    if !found.is_dir() {
        (found.len(), found.modified().ok()).hash(hasher);
    }
}

/// Returns whether an entry of a watched folder is ignored: folders that programs maintain, and configuration files,
/// which restart only the servers that they change.
fn is_skipped(name: &OsStr) -> bool {
    SKIPPED.iter().any(|skipped| name == *skipped) || name.to_str().is_some_and(is_temporary)
}

/// How many folders all watched folders may have together. Some systems allow 8,192 watches for all programs of a user;
/// outside Linux each watch costs more.
pub(super) const MAX_FOLDERS: usize = if cfg!(target_os = "linux") { 1024 } else { 128 };
/// How many entries of one folder and the folders in it are looked at.
const MAX_ENTRIES: usize = 10_000;
const SKIPPED: [&str; 5] = [".git", ".mcp.json", "__pycache__", "mcp.json", "node_modules"];
/// The maximum number of links that are followed, as on Linux.
const MAX_LINKS: usize = 40;

#[cfg(all(test, unix))]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::Look;

    #[test]
    fn parents_of_links_and_the_nearest_existing_folders_are_watched() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("..1")).unwrap();
        fs::write(root.join("..1/mcp.json"), "").unwrap();
        symlink("..1", root.join("..data")).unwrap();
        symlink("..data/../..data/mcp.json", root.join("mcp.json")).unwrap();
        let at = |path: &str| Look::at(&root.join(path), 9);
        let both = BTreeSet::from([root.clone(), root.join("..1")]);
        let look = at("./mcp.json");
        assert_eq!((look.folders, look.inside), (both.clone(), 0));
        assert!(look.stamp.is_some());
        let missing = at("a/b/mcp.json");
        assert_eq!((missing.folders, missing.stamp), (BTreeSet::from([root.clone()]), None));
        fs::create_dir_all(root.join("..1/x")).unwrap();
        let inside = at("..data");
        assert_eq!(inside.folders, [&root, &root.join("..1"), &root.join("..1/x")].map(Clone::clone).into());
        assert_eq!(inside.inside, 2);
        let under_a_file = at("mcp.json/x");
        assert_eq!((under_a_file.folders, under_a_file.stamp), (BTreeSet::from([root.clone()]), None));
        symlink("round", root.join("round")).unwrap();
        assert_eq!(at("round").folders, BTreeSet::from([root.clone()]));
        fs::remove_file(root.join("..1/mcp.json")).unwrap();
        assert_eq!(at("mcp.json").folders, both, "the target of a dangling link is watched");
    }

    #[test]
    fn parents_of_links_above_the_path_are_watched() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("releases/1")).unwrap();
        fs::create_dir_all(root.join("app/links")).unwrap();
        symlink("../../releases/1", root.join("app/links/last")).unwrap();
        symlink("links/last", root.join("app/current")).unwrap();
        let look = Look::at(&root.join("app/current/mcp.json"), 9);
        for folder in ["app", "app/links", "releases/1"] {
            assert!(look.folders.contains(&root.join(folder)), "{folder} of {:?}", look.folders);
        }
        fs::remove_dir(root.join("releases/1")).unwrap();
        let folders = Look::at(&root.join("app/current/mcp.json"), 9).folders;
        assert!(folders.contains(&root.join("releases")), "a missing target is watched: {folders:?}");
    }

    #[test]
    fn shallow_folders_come_before_deep_ones() {
        let folder = tempfile::tempdir().unwrap();
        let above = folder.path().canonicalize().unwrap();
        let root = above.join("root");
        for inside in ["b/x", "a/y/z", ".git/objects", "a/node_modules/m", "c/__pycache__"] {
            fs::create_dir_all(root.join(inside)).unwrap();
        }
        fs::write(root.join("file"), "").unwrap();
        symlink("..", root.join("a/link")).unwrap();
        let all = ["", "a", "b", "c", "a/y", "b/x", "a/y/z"].map(|name| root.join(name));
        for most in 0..9 {
            let look = Look::at(&root, most);
            let inside = &all[..most.clamp(1, all.len())];
            let expected: BTreeSet<_> = inside.iter().chain([&above]).cloned().collect();
            assert_eq!((look.folders, look.inside), (expected, inside.len()), "{most}");
            assert_eq!(look.is_cut, most < all.len(), "{most}");
        }
        let missing = Look::at(&root.join("none"), 3);
        assert_eq!((missing.stamp, missing.is_cut), (None, false));
    }
}
