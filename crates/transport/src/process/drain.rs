//! Reads a pipe on a thread, so that the child never blocks on a full pipe or receives SIGPIPE.

use std::os::fd::AsFd;

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};

/// Reads a non-blocking pipe until its end, or until `stop` is readable and the pipe is empty.
///
/// Returns whether the end of the pipe was reached.
/// Without `stop` it would wait for every other process that holds the pipe open.
pub(super) fn drain(pipe: impl AsFd, stop: impl AsFd, mut each: impl FnMut(&[u8])) -> bool {
    let mut buffer = [0; 8 * 1024];
    let mut left = MAX_PIPE;
    while left > 0 {
        // Check before the read, so that everything written before `stop` is read.
        let stopped = is_readable(&stop);
        match rustix::io::read(&pipe, &mut buffer) {
            Ok(0) => return true,
            Ok(length) => {
                each(&buffer[..length]);
                if stopped {
                    left = left.saturating_sub(length);
                }
            }
            Err(Errno::AGAIN) if stopped => return false,
            Err(Errno::AGAIN) => wait(&pipe, &stop),
            Err(Errno::INTR) => {}
            // All other errors of a pipe are permanent.
            Err(_) => return true,
        }
    }
    false
}

fn is_readable(fd: impl AsFd) -> bool {
    poll(&mut [PollFd::new(&fd, PollFlags::IN)], Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
}

/// Blocks until the pipe or `stop` is readable.
fn wait(pipe: &impl AsFd, stop: &impl AsFd) {
    let mut fds = [PollFd::new(pipe, PollFlags::IN), PollFd::new(stop, PollFlags::IN)];
    // After an error (a signal, out of memory) the caller reads again, and then waits again.
    let _ = poll(&mut fds, None);
}

/// The largest capacity of a pipe on Linux: an upper bound for what a dead child left in one.
///
/// Reading stops after this many bytes even if another process keeps writing.
pub(super) const MAX_PIPE: usize = 1024 * 1024;

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::{super::shutdown_fd::ShutdownFd, *};

    #[test]
    fn drain_stops_after_one_pipe_capacity_if_the_writer_never_pauses() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        let shutdown = ShutdownFd::new().unwrap();
        shutdown.signal();
        writer.write_all(&[b'x'; 4096]).unwrap();
        let mut drained = 0;
        drain(reader, &shutdown, |bytes| {
            drained += bytes.len();
            assert!(drained <= 2 * MAX_PIPE, "it never ends");
            // The pipe is never empty.
            writer.write_all(bytes).unwrap();
        });
        assert!(drained >= MAX_PIPE);
    }
}
