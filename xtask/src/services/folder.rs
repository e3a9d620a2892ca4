//! Where the servers of one run keep their data: one folder, which goes with the run.

use std::path::{Path, PathBuf};
use std::{env, fs, process};

use crate::failure::{Failure, While as _};

/// A new folder, which goes when it is dropped.
pub(super) struct Folder(PathBuf);

impl Folder {
    /// Makes it, and removes what runs that were killed have left.
    pub(super) fn new() -> Result<Self, Failure> {
        sweep(&env::temp_dir());
        let path = env::temp_dir().join(format!("{PREFIX}{}", process::id()));
        fs::create_dir(&path).while_doing(|| format!("making {}", path.display()))?;
        Ok(Self(path))
    }

    /// A new folder in it.
    pub(super) fn make(&self, name: &str) -> Result<PathBuf, Failure> {
        let path = self.0.join(name);
        fs::create_dir(&path).while_doing(|| format!("making {}", path.display()))?;
        Ok(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What can't be removed now, the next run tries again.
        drop(fs::remove_dir_all(&self.0));
    }
}

/// Removes the folders of processes that are no more; what belongs to others stays.
fn sweep(parent: &Path) {
    // Only where the kernel can be asked who lives.
    if !Path::new("/proc/self").exists() {
        return;
    }
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.strip_prefix(PREFIX)) else { continue };
        if pid.parse::<u32>().is_ok_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
            drop(fs::remove_dir_all(entry.path()));
        }
    }
}

const PREFIX: &str = "agentwire-services-";

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{PREFIX, sweep};

    #[test]
    fn only_what_the_dead_left_is_swept() {
        let parent = tempfile::tempdir().unwrap();
        let make = |name: String| {
            let path = parent.path().join(name);
            fs::create_dir(&path).unwrap();
            path
        };
        // No process has the highest number that there is.
        let dead = make(format!("{PREFIX}{}", u32::MAX));
        let alive = make(format!("{PREFIX}{}", std::process::id()));
        let foreign = make("something-else-4294967295".to_owned());
        sweep(parent.path());
        assert_eq!((dead.exists(), alive.exists(), foreign.exists()), (false, true, true));
    }
}
