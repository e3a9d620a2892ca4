//! How many processes may run.

use std::{
    collections::HashMap,
    fs,
    iter::{once, successors},
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::sync::watch;

/// The limit of processes: a fixed number, or what fits into memory. Clones share one count.
#[derive(Clone, Debug)]
pub struct Admission {
    state: Arc<State>,
}

#[derive(Debug)]
struct State {
    rule: Rule,
    /// The highest memory of a child with its descendants so far, in bytes.
    high_water: AtomicU64,
    /// When the processes were measured last.
    measured: Mutex<Option<Instant>>,
    running: AtomicUsize,
    freed: watch::Sender<()>,
}

#[derive(Debug)]
enum Rule {
    Slots(usize),
    Memory { limit: u64, reserve: u64 },
}

/// The numbers of an [`Admission`], for metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AdmissionNumbers {
    /// How many processes may run.
    pub slots: usize,
    /// How many run or start.
    pub running: usize,
    /// The highest memory of one process and its children so far, in bytes. It is an assumption until the first
    /// measurement, at the end of a turn whose process keeps running.
    pub high_water: u64,
}

impl Admission {
    /// Allows this many processes.
    pub fn slots(slots: usize) -> Self {
        Self::new(Rule::Slots(slots))
    }

    /// Allows as many processes as fit into `limit - reserve` bytes, and at least one. Each process is assumed to use
    /// the highest memory measured so far, with its descendants, and 400 MB before the first measurement.
    pub fn memory(limit: u64, reserve: u64) -> Self {
        Self::new(Rule::Memory { limit, reserve })
    }

    /// Allows as many processes as fit into the limit of the cgroup or else into the memory of the machine; an eighth of
    /// it is reserved. Where neither is known, 16 processes are allowed.
    pub fn of_machine() -> Self {
        memory_limit().map_or_else(|| Self::slots(16), |limit| Self::memory(limit, limit / 8))
    }

    /// Returns the current numbers.
    pub fn numbers(&self) -> AdmissionNumbers {
        let high_water = self.state.high_water.load(Ordering::Relaxed);
        let slots = match self.state.rule {
            Rule::Slots(slots) => slots,
            Rule::Memory { limit, reserve } => {
                let fitting = limit.saturating_sub(reserve) / high_water.max(1);
                // A worker without a slot would measure no smaller process.
                usize::try_from(fitting).unwrap_or(usize::MAX).max(1)
            }
        };
        AdmissionNumbers { slots, running: self.state.running.load(Ordering::Relaxed), high_water }
    }

    fn new(rule: Rule) -> Self {
        let state = State {
            rule,
            high_water: AtomicU64::new(ASSUMED),
            measured: Mutex::default(),
            running: AtomicUsize::new(0),
            freed: watch::Sender::default(),
        };
        Self { state: Arc::new(state) }
    }

    /// Takes a slot, if one is free.
    pub(crate) fn take(&self) -> Option<Slot> {
        let slots = self.numbers().slots;
        let taken = |running: usize| (running < slots).then_some(running + 1);
        self.state.running.fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken).ok()?;
        Some(Slot(Arc::clone(&self.state)))
    }

    /// Returns a receiver that changes when a slot is freed, one for each worker that shares the count.
    pub(crate) fn freed(&self) -> watch::Receiver<()> {
        self.state.freed.subscribe()
    }

    /// Returns whether the last measurement is a second ago, and begins the next one if so.
    fn is_due(&self, now: Instant) -> bool {
        let mut measured = self.state.measured.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = measured.is_none_or(|last| now.duration_since(last) >= PAUSE);
        if is_due {
            *measured = Some(now);
        }
        is_due
    }

    /// Measures the running processes, at most once a second, because it reads a file for each process of the machine.
    pub(crate) fn observe(&self) {
        if !self.is_due(Instant::now()) {
            return;
        }
        let Some(measured) = largest_child() else { return };
        let first =
            self.state.high_water.compare_exchange(ASSUMED, measured, Ordering::Relaxed, Ordering::Relaxed);
        if first.is_err() {
            self.state.high_water.fetch_max(measured, Ordering::Relaxed);
        }
    }
}

/// The slot of one process. Dropping it frees the slot.
#[derive(Debug)]
pub(crate) struct Slot(Arc<State>);

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::Relaxed);
        self.0.freed.send_replace(());
    }
}

/// The memory of a process before the first measurement.
const ASSUMED: u64 = 400 << 20;

/// How long a measurement is used.
const PAUSE: Duration = Duration::from_secs(1);

fn memory_limit() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
    });
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    group_limit(&groups, Path::new("/sys/fs/cgroup")).into_iter().chain(machine).min()
}

/// Returns the lowest memory limit of the groups in `/proc/self/cgroup` and of the groups that contain them.
fn group_limit(groups: &str, root: &Path) -> Option<u64> {
    let limits = groups.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?.trim_start_matches('/'));
        let (root, file) = match controllers {
            "" => (root.to_owned(), "memory.max"),
            list if list.split(',').any(|controller| controller == "memory") => {
                (root.join("memory"), "memory.limit_in_bytes")
            }
            _ => return None,
        };
        // In a container, the path may be that of the host, while the root is the container's group.
        let number = |group: &Path| fs::read_to_string(root.join(group).join(file)).ok()?.trim().parse().ok();
        Path::new(path).ancestors().filter_map(number).min()
    });
    limits.min()
}

/// Returns the most resident memory that a child of this process, its descendants and its process group have together.
///
/// Only children that lead a group count. The CLI runs each command of a tool in a group of its own.
fn largest_child() -> Option<u64> {
    let (own, page) = (std::process::id(), rustix::param::page_size() as u64);
    let mut processes = HashMap::new();
    for entry in fs::read_dir("/proc").ok()?.flatten() {
        let pid = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok());
        let process = pid.and_then(|_| process(&fs::read_to_string(entry.path().join("stat")).ok()?));
        processes.extend(pid.zip(process));
    }
    let is_child = |pid: &u32| processes.get(pid).is_some_and(|it| it.parent == own && it.group == *pid);
    let mut children = HashMap::<u32, u64>::new();
    for (pid, process) in &processes {
        let ancestors = successors(Some(*pid), |pid| processes.get(pid).map(|process| process.parent));
        // Limited: if ids are reused while they are read, the ancestors may form a cycle.
        let mut candidates = once(process.group).chain(ancestors.take(MAX_ANCESTORS));
        if let Some(child) = candidates.find(is_child) {
            let memory = children.entry(child).or_default();
            *memory = memory.saturating_add(process.pages.saturating_mul(page));
        }
    }
    children.into_values().max()
}

#[derive(Debug, PartialEq)]
struct Process {
    parent: u32,
    group: u32,
    /// Its resident memory.
    pages: u64,
}

/// Reads `/proc/PID/stat`.
fn process(stat: &str) -> Option<Process> {
    // The name of the program is in parentheses and may contain any character.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(1);
    let (parent, group) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some(Process { parent, group, pages: fields.nth(18)?.parse().ok()? })
}

const MAX_ANCESTORS: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_limited_and_freed() {
        let admission = Admission::slots(2);
        let first = admission.take().unwrap();
        let _second = admission.take().unwrap();
        assert!(admission.take().is_none());
        drop(first);
        assert!(admission.take().is_some());
    }

    #[test]
    fn processes_are_measured_at_most_once_a_second() {
        let (admission, start) = (Admission::slots(1), Instant::now());
        let at = |tenths: u32| admission.is_due(start + PAUSE * tenths / 10);
        assert_eq!([0, 9, 10, 19, 20].map(at), [true, false, true, false, true]);
    }

    #[test]
    fn memory_is_divided_by_the_largest_process() {
        let admission = Admission::memory(2000 << 20, 400 << 20);
        assert_eq!(admission.numbers().slots, 4);
        admission.state.high_water.store(800 << 20, Ordering::Relaxed);
        assert_eq!(admission.numbers().slots, 2);
        admission.state.high_water.store(1700 << 20, Ordering::Relaxed);
        assert_eq!(admission.numbers().slots, 1);
    }

    #[test]
    fn limit_of_a_group_is_found_below_the_root() {
        let root = tempfile::tempdir().unwrap();
        let set = |file: &str, limit: &str| {
            let file = root.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, limit).unwrap();
        };
        let limit = |groups| group_limit(groups, root.path());
        set("system.slice/agents.service/memory.max", "max\n");
        assert_eq!(limit("0::/system.slice/agents.service\n"), None);
        set("system.slice/agents.service/memory.max", "2000\n");
        assert_eq!(limit("0::/system.slice/agents.service\n"), Some(2000));
        set("system.slice/memory.max", "1000\n");
        assert_eq!(limit("0::/system.slice/agents.service\n"), Some(1000), "the slice is smaller");
        set("memory/memory.limit_in_bytes", "3000\n");
        let old = "4:cpu,cpuacct:/docker/a\n3:memory:/docker/a\n";
        assert_eq!(limit(old), Some(3000), "the path is the host's");
        assert_eq!(limit(""), None);
    }

    #[test]
    fn stat_line_is_read_despite_a_hostile_program_name() {
        let stat =
            "42 (a) b 7 (c)) S 7 42 42 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 1000 300 18446744073709551615";
        assert_eq!(process(stat), Some(Process { parent: 7, group: 42, pages: 300 }));
    }

    /// The outer shell leads a group, as the CLI does; the inner one leads another, as the command of a tool does.
    #[cfg(target_os = "linux")]
    #[test]
    fn child_is_measured_with_descendants_in_other_groups() {
        use std::{io::Read, os::unix::process::CommandExt, process::Stdio};
        let mut command = std::process::Command::new("sh");
        // The variable of the inner shell has 16 MiB, and a line is written once it is set.
        let inner = "text=$(head -c 16777216 /dev/zero | tr '\\0' x); echo; read line";
        command.args(["-c", "setsid --wait sh -c \"$0\"", inner]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
        let mut child = command.spawn().unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let measured = largest_child();
        drop(child.stdin.take());
        child.wait().unwrap();
        assert!(measured.is_some_and(|bytes| bytes > 16 << 20), "{measured:?}");
    }
}
