//! Follows a path through its symbolic links, and records the state of the file or folder there.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsStr;
use std::fs::{self, DirEntry, Metadata};
use std::hash::{Hash as _, Hasher as _};
use std::path::{Component, Path, PathBuf};

use crate::edit::is_temporary;

/// A path at one moment: the folders and links on it, and the state of the file or folder there.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Look {
    /// All folders and links on the way and the end, each by its path without links before it.
    pub(super) steps: BTreeSet<PathBuf>,
    /// The folders to watch: the parent of the end or its nearest existing ancestor, the parents of links, and
    /// `inside`.
    pub(super) folders: BTreeSet<PathBuf>,
    /// Where the file is or would be.
    pub(super) end: Option<PathBuf>,
    /// If the end is a folder: that folder and the folders in it.
    pub(super) inside: BTreeSet<PathBuf>,
    /// Whether some folders or files in the folder were left out.
    pub(super) is_cut: bool,
    /// A hash of the metadata of the file, or of everything in the folder; `None` if nothing is there.
    pub(super) stamp: Option<u64>,
}

impl Look {
    /// Looks at an absolute path, with at most `most` folders inside if it is a folder.
    pub(super) fn at(path: &Path, most: usize) -> Self {
        let mut look = Self::default();
        let mut path = path.to_owned();
        'links: for _ in 0..=MAX_LINKS {
            let mut step = PathBuf::new();
            let mut rest = path.components();
            while let Some(component) = rest.next() {
                if component == Component::ParentDir {
                    step.pop();
                    continue;
                }
                let folder = step.clone();
                step.push(component);
                look.steps.insert(step.clone());
                match fs::symlink_metadata(&step) {
                    Ok(found) if found.is_symlink() => {
                        look.folders.insert(folder.clone());
                        let Ok(target) = fs::read_link(&step) else { return look };
                        path = folder.join(target).join(rest.as_path());
                        continue 'links;
                    }
                    found if rest.as_path().as_os_str().is_empty() => {
                        look.folders.insert(folder);
                        if let Ok(found) = found {
                            look.record(&step, &found, most);
                        }
                        look.end = Some(step);
                        return look;
                    }
                    Ok(found) if found.is_dir() => {}
                    _ => {
                        look.folders.insert(folder);
                        return look;
                    }
                }
            }
            break;
        }
        look
    }

    /// Returns whether an event at this path concerns the file, or an entry of the folder.
    pub(super) fn contains(&self, event: &Path) -> bool {
        self.end.as_deref() == Some(event)
            || event.parent().is_some_and(|folder| self.inside.contains(folder))
                && !event.file_name().is_some_and(is_skipped)
    }

    fn record(&mut self, end: &Path, found: &Metadata, most: usize) {
        let mut hasher = DefaultHasher::new();
        hash(found, &mut hasher);
        if found.is_dir() {
            self.inside.insert(end.to_owned());
            self.enter(most, &mut hasher);
            self.folders.extend(self.inside.iter().cloned());
            self.steps.extend(self.inside.iter().cloned());
        }
        self.stamp = Some(hasher.finish());
    }

    /// Walks the folder, shallow folders first so that these are watched if there are too many. Follows no links.
    fn enter(&mut self, most: usize, hasher: &mut DefaultHasher) {
        let mut queue: VecDeque<_> = self.inside.iter().cloned().collect();
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
                    if self.inside.len() < most {
                        self.inside.insert(entry.path());
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

/// Hashes what changes when a file is replaced or written.
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
/// As many as Linux follows.
const MAX_LINKS: usize = 40;

#[cfg(all(test, unix))]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::Look;

    #[test]
    fn links_and_missing_folders_are_steps() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("..1")).unwrap();
        fs::write(root.join("..1/mcp.json"), "").unwrap();
        symlink("..1", root.join("..data")).unwrap();
        symlink("..data/../..data/mcp.json", root.join("mcp.json")).unwrap();
        let at = |path: &Path| Look::at(path, 9);
        let look = at(&root.join("./mcp.json"));
        assert_eq!(look.end, Some(root.join("..1/mcp.json")));
        let folders: Vec<_> = look.folders.iter().filter(|folder| folder.starts_with(&root)).collect();
        assert_eq!(folders, [&root, &root.join("..1")]);
        for step in ["mcp.json", "..data", "..1", "..1/mcp.json"] {
            assert!(look.steps.contains(&root.join(step)), "{step}");
        }
        let missing = at(&root.join("a/b/mcp.json"));
        assert_eq!((missing.end, missing.inside), (None, BTreeSet::new()));
        assert!(missing.folders.contains(&root) && missing.steps.contains(&root.join("a")));
        assert!(!missing.steps.contains(&root.join("a/b")));
        fs::create_dir_all(root.join("..1/x")).unwrap();
        let inside = at(&root.join("..data"));
        assert_eq!(inside.inside, BTreeSet::from([root.join("..1"), root.join("..1/x")]));
        assert!(inside.folders.contains(&root.join("..1/x")) && inside.steps.contains(&root.join("..1/x")));
        let under_a_file = at(&root.join("mcp.json/x"));
        assert_eq!(under_a_file.end, None);
        assert!(under_a_file.folders.contains(&root.join("..1")));
        symlink("round", root.join("round")).unwrap();
        assert!(at(&root.join("round")).folders.contains(&root));
    }

    #[test]
    fn shallow_folders_come_before_deep_ones() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for inside in ["b/x", "a/y/z", ".git/objects", "a/node_modules/m", "c/__pycache__"] {
            fs::create_dir_all(root.join(inside)).unwrap();
        }
        fs::write(root.join("file"), "").unwrap();
        symlink("..", root.join("a/link")).unwrap();
        let all = ["", "a", "b", "c", "a/y", "b/x", "a/y/z"].map(|name| root.join(name));
        for most in 0..9 {
            let look = Look::at(&root, most);
            let expected = BTreeSet::from_iter(all[..most.clamp(1, all.len())].iter().cloned());
            assert_eq!(look.inside, expected, "{most}");
            assert_eq!(look.is_cut, most < all.len(), "{most}");
        }
        let missing = Look::at(&root.join("none"), 3);
        assert_eq!((missing.stamp, missing.is_cut), (None, false));
    }
}
