//! Where a command is: a path, or a name in the `PATH` that the server gets.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

/// The file of a command.
///
/// A name is looked up in `path`, and anything with a separator counts from the working directory.
/// `None` where there is no such file.
pub(super) fn lookup(command: &str, path: &OsStr, cwd: &Path) -> Option<PathBuf> {
    if Path::new(command).components().count() > 1 || Path::new(command).is_absolute() {
        let file = cwd.join(command);
        return file.exists().then_some(file);
    }
    // An empty entry, or one that is not absolute, would mean whatever lies in the working directory.
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(command)).find(|file| is_executable(file))
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    file.is_file()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn names_are_looked_up_and_paths_count_from_the_working_directory() {
        let path = OsStr::new("/nonexistent:/bin");
        let here = Path::new("/");
        assert_eq!(lookup("sh", path, here), Some("/bin/sh".into()));
        assert_eq!(lookup("bin/sh", OsStr::new(""), here), Some("/bin/sh".into()));
        assert_eq!(lookup("./sh", OsStr::new(""), Path::new("/bin")), Some("/bin/./sh".into()));
        assert_eq!(lookup("/bin/sh", OsStr::new(""), Path::new("/tmp")), Some("/bin/sh".into()));
        assert_eq!(lookup("no-such-program", path, here), None);
        assert_eq!(lookup("sh", OsStr::new("::bin:."), here), None);
        assert_eq!(lookup("sh", OsStr::new(":."), Path::new("/bin")), None);
        assert_eq!(lookup("./no-such-program", path, here), None);
    }
}
