//! Reads a pipe to its end on a thread, so that the child never blocks on it or dies of it.

use std::os::fd::AsFd;

use rustix::{
    event::{PollFd, PollFlags, poll},
    io::Errno,
};

/// What ends the reading of a pipe that others may hold open: readable once it is over, and for ever.
pub(super) trait Over: AsFd {
    fn is_over(&self) -> bool;
}

/// Reads until the end of the pipe, which is true, or until it is over and what the child left in it is read.
///
/// The descriptor must not block.
pub(super) fn drain(pipe: impl AsFd, over: &impl Over, mut each: impl FnMut(&[u8])) -> bool {
    let mut buffer = [0; 8 * 1024];
    let mut left = PIPE_MAX;
    while left > 0 {
        let is_over = over.is_over();
        match rustix::io::read(&pipe, &mut buffer) {
            Ok(0) => return true,
            Ok(length) => {
                each(&buffer[..length]);
                if is_over {
                    left = left.saturating_sub(length);
                }
            }
            Err(Errno::AGAIN) if is_over => return false,
            Err(Errno::AGAIN) => wait(&pipe, over),
            Err(Errno::INTR) => {}
            // No other error of a pipe goes away.
            Err(_) => return true,
        }
    }
    false
}

/// Waits until there is something to read, or it is over.
fn wait(pipe: &impl AsFd, over: &impl AsFd) {
    let mut fds = [PollFd::new(pipe, PollFlags::IN), PollFd::new(over, PollFlags::IN)];
    // After a failure (a signal, or no memory) the caller tries to read again and comes back.
    let _ = poll(&mut fds, None);
}

/// The most that a pipe can hold when its reader has not enlarged it: what a dead child may have left there.
///
/// What others write into it afterwards is not waited for, even if they never pause.
pub(super) const PIPE_MAX: usize = 1024 * 1024;

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::{super::alarm::Alarm, *};

    #[test]
    fn a_writer_that_never_pauses_is_left_after_what_a_pipe_holds() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        let alarm = Alarm::new().unwrap();
        alarm.ring();
        writer.write_all(&[b'x'; 4096]).unwrap();
        let mut drained = 0;
        drain(reader, &alarm, |bytes| {
            drained += bytes.len();
            assert!(drained <= 2 * PIPE_MAX, "it never ends");
            // The pipe is never empty.
            writer.write_all(bytes).unwrap();
        });
        assert!(drained >= PIPE_MAX);
    }
}
