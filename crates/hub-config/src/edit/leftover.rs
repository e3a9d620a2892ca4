//! What writes that were interrupted have left behind.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// The name under which the text of a file is written before it takes the file's place.
pub(super) fn name(target: &str, process: u32, number: u64) -> String {
    format!(".{target}.{process}-{number}{SUFFIX}")
}

/// Deletes what writes of this file have left behind: the process was killed, or the machine, between writing and renaming.
///
/// Only plain files are deleted that have a name of [`name`]'s and were not written to for an hour, which no write of ours
/// takes. What can't be deleted stays: there is nobody to tell.
pub(super) fn sweep(target: &Path) {
    let (Some(folder), Some(name)) = (target.parent(), target.file_name().and_then(OsStr::to_str)) else {
        return;
    };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.take(MOST).flatten() {
        if entry.file_name().to_str().and_then(target_of) == Some(name) && is_old(&entry.path()) {
            _ = fs::remove_file(entry.path());
        }
    }
}

/// The name of the file whose place the file of this name was to take, if it is a name of [`name`]'s.
pub(crate) fn target_of(name: &str) -> Option<&str> {
    let (target, numbers) = name.strip_prefix('.')?.strip_suffix(SUFFIX)?.rsplit_once('.')?;
    let (process, number) = numbers.split_once('-')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(process) && is_number(number)).then_some(target)
}

fn is_old(path: &Path) -> bool {
    // Of a link it is the link's own: what it leads to is somebody else's.
    let found = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file);
    let age = found.and_then(|found| found.modified().ok()?.elapsed().ok());
    age.is_some_and(|age| age > OLD)
}

const SUFFIX: &str = ".tmp";
const OLD: Duration = Duration::from_secs(3600);
/// More entries of a folder are not looked at.
const MOST: usize = 10_000;

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    use super::{name, sweep};
    use crate::edit::Edit;

    const FILE: &str = "{\"mcpServers\": {\"a\": {\"command\": \"x\"}}}";

    fn write(path: &Path, age: Duration) {
        fs::write(path, "").unwrap();
        File::options().write(true).open(path).unwrap().set_modified(SystemTime::now() - age).unwrap();
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn the_next_write_deletes_what_one_before_left_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mcp.json");
        fs::write(&file, FILE).unwrap();
        let (old, new) = (Duration::from_secs(3700), Duration::from_secs(60));
        let kept = [
            ".mcp.json.1-.tmp",
            ".mcp.json.1-2.tmp.txt",
            ".mcp.json.1.tmp",
            ".mcp.json.a-2.tmp",
            ".mcp.json.tmp",
            ".other.json.1-2.tmp",
            "mcp.json.1-2.tmp",
        ];
        for name in kept {
            write(&folder.path().join(name), old);
        }
        write(&folder.path().join(name("mcp.json", 1, 2)), old);
        write(&folder.path().join(name("mcp.json", u32::MAX, u64::MAX)), old);
        write(&folder.path().join(name("mcp.json", 7, 3)), new);
        fs::create_dir(folder.path().join(name("mcp.json", 7, 4))).unwrap();
        Edit::Disabled(true).write("a", &file).unwrap();
        let mut expected: Vec<_> = kept.map(str::to_owned).into();
        expected.extend([name("mcp.json", 7, 3), name("mcp.json", 7, 4), "mcp.json".into()]);
        expected.sort();
        assert_eq!(names(folder.path()), expected);
        // Where nothing is, nothing happens.
        sweep(&folder.path().join("none/mcp.json"));
        sweep(Path::new("/"));
    }
}
