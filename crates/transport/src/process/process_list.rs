//! The living processes of the machine by process group, read from Linux' `/proc`.

use std::{
    collections::HashMap,
    fs::{self, File},
    io::{self, Read},
    time::Instant,
};

use rustix::io::Errno;

use crate::lock::Lock;

/// Returns whether the group has living members that match; `true` if that is unknown.
///
/// Concurrent calls share a list: otherwise the simultaneous ends of many groups would read it as many times.
pub(super) fn has_members(group: i32, matches: impl Fn(i32) -> bool) -> bool {
    let called = Instant::now();
    let mut last = LAST.lock();
    let list = match last.take() {
        Some(list) if list.began >= called => list,
        _ => ProcessList::read("/proc"),
    };
    let list = last.insert(list);
    !list.is_complete || list.groups.get(&group).is_some_and(|members| members.iter().copied().any(matches))
}

/// The last list that was read.
static LAST: Lock<Option<ProcessList>> = Lock::new(None);

struct ProcessList {
    began: Instant,
    groups: HashMap<i32, Vec<i32>>,
    is_complete: bool,
}

impl ProcessList {
    fn read(proc: &str) -> Self {
        // It may be empty, or that of another PID namespace.
        let own = fs::read_link(format!("{proc}/self"));
        let is_complete = own.is_ok_and(|own| own.as_os_str() == &*std::process::id().to_string());
        let mut list = Self { began: Instant::now(), groups: HashMap::new(), is_complete };
        let Ok(processes) = fs::read_dir(proc) else { return Self { is_complete: false, ..list } };
        let ids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        for process in ids {
            match living_group(process) {
                Ok(Some(group)) => list.groups.entry(group).or_default().push(process),
                // An exhausted resource says nothing about the process. Any other error means that it is gone or
                // hidden.
                Err(error) if EXHAUSTED.map(Some).contains(&Errno::from_io_error(&error)) => {
                    list.is_complete = false;
                }
                Ok(None) | Err(_) => {}
            }
        }
        list
    }
}

/// Returns the group of a process; `None` if the process has ended.
///
/// Reads `/proc/PROCESS/stat`: `pid (name) state parent group …`, where the name may contain any characters.
fn living_group(process: i32) -> io::Result<Option<i32>> {
    // One short read, since this runs for every process of the machine: the fields needed are at the start.
    let mut stat = [0; 512];
    let length = File::open(format!("/proc/{process}/stat"))?.read(&mut stat)?;
    let stat = String::from_utf8_lossy(&stat[..length]);
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let mut fields = fields.split_ascii_whitespace();
    let is_alive = !matches!(fields.next(), Some("Z" | "X") | None);
    Ok(fields.nth(1).and_then(|group| group.parse().ok()).filter(|_| is_alive))
}

/// Errors that say nothing about the process that was read.
const EXHAUSTED: [Errno; 3] = [Errno::MFILE, Errno::NFILE, Errno::NOMEM];

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn list_from_a_foreign_or_empty_proc_is_incomplete() {
        let proc = tempfile::tempdir().unwrap();
        let is_complete = |proc: &str| ProcessList::read(proc).is_complete;
        assert!(is_complete("/proc"));
        assert!(!is_complete(proc.path().to_str().unwrap()));
        std::os::unix::fs::symlink("1", proc.path().join("self")).unwrap();
        assert!(!is_complete(proc.path().to_str().unwrap()));
    }

    #[test]
    fn a_list_serves_only_calls_before_it() {
        // No process group has this id.
        let (later, earlier) = (Instant::now() + Duration::from_secs(3600), Instant::now());
        for (began, expected) in [(later, true), (earlier, false)] {
            let groups = HashMap::from([(i32::MAX, vec![1])]);
            *LAST.lock() = Some(ProcessList { began, groups, is_complete: true });
            assert_eq!(has_members(i32::MAX, |process| process == 1), expected);
        }
    }
}
