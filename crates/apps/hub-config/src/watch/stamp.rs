//! By what a file is told from what it was, without being read.

use std::collections::hash_map::DefaultHasher;
use std::fs::{self, Metadata};
use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use super::tree::{self, MAX_ENTRIES};

/// What the file system says of a file, or of all that is in a folder; `None` where nothing is there.
pub(super) type Stamp = Option<u64>;

/// That of a path, links followed; `inside` are the folders that are looked into where it is one.
pub(super) fn of(path: &Path, inside: &[PathBuf]) -> Stamp {
    let mut sum = of_metadata(&fs::metadata(path).ok()?);
    let mut left = MAX_ENTRIES;
    for folder in inside {
        for entry in tree::entries(folder, &mut left) {
            let mut hasher = DefaultHasher::new();
            entry.path().hash(&mut hasher);
            entry.metadata().ok().map(|found| of_metadata(&found)).hash(&mut hasher);
            // They come in any order.
            sum = sum.wrapping_add(hasher.finish());
        }
    }
    Some(sum)
}

fn of_metadata(found: &Metadata) -> u64 {
    let mut hasher = DefaultHasher::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        (found.dev(), found.ino()).hash(&mut hasher);
    }
    // A folder's times tell of what is passed over in it too.
    if found.is_dir() {
        return hasher.finish();
    }
    found.len().hash(&mut hasher);
    found.modified().ok().hash(&mut hasher);
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        (found.ctime(), found.ctime_nsec()).hash(&mut hasher);
    }
    hasher.finish()
}
