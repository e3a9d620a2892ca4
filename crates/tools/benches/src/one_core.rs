//! Runs programs on one core, so that no wake-up crosses cores.

use std::{
    io,
    process::{Child, Command},
};

/// Starts a program on a single core with all its children; on any core if the system can't restrict it.
pub(crate) fn spawn(command: &mut Command) -> io::Result<Child> {
    // A child inherits the cores of the thread that starts it.
    #[cfg(target_os = "linux")]
    {
        use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

        let all = sched_getaffinity(None)?;
        let mut last = CpuSet::new();
        if let Some(core) = (0..CpuSet::MAX_CPU).rev().find(|core| all.is_set(*core)) {
            last.set(core);
            sched_setaffinity(None, &last)?;
        }
        let child = command.spawn();
        sched_setaffinity(None, &all)?;
        child
    }
    #[cfg(not(target_os = "linux"))]
    command.spawn()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::{
        process::{Command, Stdio},
        thread::available_parallelism,
    };

    #[test]
    fn a_program_has_one_core_and_we_keep_ours() {
        let before = available_parallelism().unwrap();
        let child = super::spawn(Command::new("nproc").stdout(Stdio::piped())).unwrap();
        assert_eq!(child.wait_with_output().unwrap().stdout, b"1\n");
        assert_eq!(available_parallelism().unwrap(), before);
    }
}
