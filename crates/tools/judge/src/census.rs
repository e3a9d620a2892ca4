//! Counts tasks, threads, descriptors and children of this process, before and after, to find leaks.

use std::{
    fmt, fs, io,
    time::{Duration, Instant},
};

use tokio::{runtime::Handle, time::sleep};

/// The number of tasks, threads, descriptors and children of this process at one moment. Linux only: the counts are
/// read from `/proc`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Tasks of the runtime that have not ended.
    pub tasks: usize,
    /// Threads of this program.
    pub threads: usize,
    /// Open descriptors.
    pub descriptors: usize,
    /// Child processes of this program, including zombies.
    pub children: usize,
}

impl Census {
    /// Takes the counts.
    pub fn take(runtime: &Handle) -> io::Result<Self> {
        Ok(Self {
            tasks: runtime.metrics().num_alive_tasks(),
            threads: entries("/proc/self/task")?,
            // One of them is the folder that is being read.
            descriptors: entries("/proc/self/fd")?.saturating_sub(1),
            children: children()?,
        })
    }

    /// Waits until no count is higher than before, up to the limit, and returns the last counts.
    ///
    /// Needs a tokio runtime with its timer.
    /// Tasks that a drop ends still run for a moment, so a count right after it may be too high.
    pub async fn settled(before: Self, runtime: &Handle, limit: Duration) -> io::Result<Self> {
        let start = Instant::now();
        loop {
            let now = Self::take(runtime)?;
            if now.is_within(before) || start.elapsed() > limit {
                return Ok(now);
            }
            sleep(PAUSE).await;
        }
    }

    /// Returns whether no count is higher than in `other`.
    pub fn is_within(self, other: Self) -> bool {
        self.tasks <= other.tasks
            && self.threads <= other.threads
            && self.descriptors <= other.descriptors
            && self.children <= other.children
    }
}

impl fmt::Display for Census {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tasks, threads, descriptors, children } = self;
        write!(f, "{tasks} tasks, {threads} threads, {descriptors} descriptors, {children} children")
    }
}

fn entries(folder: &str) -> io::Result<usize> {
    Ok(fs::read_dir(folder)?.count())
}

fn children() -> io::Result<usize> {
    let own = std::process::id();
    let processes = fs::read_dir("/proc")?.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    Ok(processes.filter(|process| parent_of(*process) == Some(own)).count())
}

/// Reads `pid (name) state parent …`, where the name may contain any character.
fn parent_of(process: u32) -> Option<u32> {
    let stat = fs::read(format!("/proc/{process}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// There is no event to wait for.
const PAUSE: Duration = Duration::from_millis(20);

#[cfg(test)]
mod tests {
    use super::Census;

    #[test]
    fn census_counts_descriptors_and_threads() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let before = Census::take(runtime.handle()).unwrap();
        assert!(before.threads > 0 && before.descriptors > 0);
        let task = runtime.spawn(std::future::pending::<()>());
        let files = [(); 3].map(|()| std::fs::File::open("/dev/null").unwrap());
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let held = Census::take(runtime.handle()).unwrap();
        // Beside the standard streams.
        assert!(held.descriptors >= 3 + files.len(), "{held}");
        // Other tests of this program open files and threads too, but no tasks of this runtime.
        assert_eq!(held.tasks, before.tasks + 1);
        assert!(held.children > 0 && !held.is_within(before), "{held}, before {before}");
        child.kill().unwrap();
        child.wait().unwrap();
        drop((files, task));
    }
}
