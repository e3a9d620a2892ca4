//! The child's stdout: no buffer while idle, exactly sized reads, and an end even when a stranger holds the pipe.

use std::{
    fmt,
    future::poll_fn,
    io,
    os::fd::{AsFd, OwnedFd},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    thread,
};

use bytes::Bytes;
use rustix::io::{Errno, ioctl_fionread, read, retry_on_intr};
use tokio::net::unix::pipe::Receiver;

use super::{
    closing::STACK,
    drain::{PIPE_MAX, drain},
    running::Running,
};
use crate::{error::TransportError, settled::Wait, transport::ByteSource};

/// A child's output. Cancel-safe.
///
/// The output ends with its pipe, and at the latest [`Grace::drain`](super::Grace::drain) after the process, when
/// what the process wrote has been read.
/// Dropping the source while the child lives does not hurt the child: a thread drains the pipe from then on.
pub struct ProcessSource {
    running: Arc<Running>,
    /// `None` after the end.
    receiver: Option<Receiver>,
    /// How much may still be read once the pipe is abandoned.
    left: usize,
}

impl ProcessSource {
    pub(super) fn new(running: Arc<Running>, receiver: Receiver) -> Self {
        Self { running, receiver: Some(receiver), left: PIPE_MAX }
    }
}

impl ByteSource for ProcessSource {
    async fn read(&mut self) -> Result<Option<Bytes>, TransportError> {
        let Some(receiver) = &self.receiver else { return Ok(None) };
        let mut abandoned = self.running.abandoned.wait();
        let left = &mut self.left;
        match poll_fn(|cx| poll_read(receiver, &mut abandoned, left, cx)).await {
            Ok(chunk) if !chunk.is_empty() => Ok(Some(chunk)),
            end => {
                drop(abandoned);
                self.receiver = None;
                self.running.output_done.settle(());
                end.map(|_| None)
                    .map_err(|source| TransportError::Io { action: "reading from the process", source })
            }
        }
    }
}

impl Drop for ProcessSource {
    fn drop(&mut self) {
        let Some(receiver) = self.receiver.take() else { return };
        // A duplicate, because taking the descriptor back out of a runtime can fail.
        if let Ok(pipe) = receiver.as_fd().try_clone_to_owned() {
            drain_on(pipe, Arc::clone(&self.running));
        }
    }
}

impl fmt::Debug for ProcessSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProcessSource").finish_non_exhaustive()
    }
}

/// Empty at the end of the output.
fn poll_read(
    receiver: &Receiver,
    abandoned: &mut Wait<'_, ()>,
    left: &mut usize,
    cx: &mut Context<'_>,
) -> Poll<io::Result<Bytes>> {
    loop {
        if Pin::new(&mut *abandoned).poll(cx).is_ready() {
            return Poll::Ready(read_left(receiver, left));
        }
        ready!(receiver.poll_read_ready(cx))?;
        let mut read = None;
        let attempt = receiver.try_io(|| {
            let chunk = read_available(receiver)?;
            let emptied = chunk.emptied;
            read = Some(chunk.bytes);
            // A pipe that gave less than it was asked for is empty: said now, this spares a read that would say no more.
            // Readiness that has come since stays, and so does the end of the pipe.
            if emptied { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(()) }
        });
        match (read, attempt) {
            (Some(chunk), _) => return Poll::Ready(Ok(chunk)),
            (None, Err(error)) if error.kind() != io::ErrorKind::WouldBlock => {
                return Poll::Ready(Err(error));
            }
            (None, _) => {}
        }
    }
}

/// Reads what the dead child left in the pipe, past the runtime, whose readiness may lag behind.
fn read_left(receiver: &Receiver, left: &mut usize) -> io::Result<Bytes> {
    if *left == 0 {
        return Ok(Bytes::new());
    }
    match read_available(receiver) {
        Ok(Chunk { bytes: chunk, .. }) => {
            *left = left.saturating_sub(chunk.len());
            Ok(chunk)
        }
        Err(Errno::AGAIN) => Ok(Bytes::new()),
        Err(error) => Err(error.into()),
    }
}

/// What one look at the pipe gave.
struct Chunk {
    /// Empty at the end of the output.
    bytes: Bytes,
    /// Whether the pipe held no more.
    emptied: bool,
}

/// Reads what is waiting, up to what a pipe holds: idle sources hold no memory, and no chunk pins more than itself.
///
/// A message is mostly short, so that one read onto the stack takes it; only behind more than that is it worth to ask
/// how much is waiting.
fn read_available(pipe: impl AsFd) -> Result<Chunk, Errno> {
    let mut start = [0; SHORT];
    let length = retry_on_intr(|| read(&pipe, &mut start[..]))?;
    let start = &start[..length];
    if length < SHORT {
        // Nothing at all is the end, which is seen again by the next read.
        return Ok(Chunk { bytes: Bytes::copy_from_slice(start), emptied: !start.is_empty() });
    }
    let waiting = ioctl_fionread(&pipe).map_or(0, |bytes| usize::try_from(bytes).unwrap_or(CHUNK_MAX));
    let mut buffer = Vec::with_capacity(start.len() + waiting.min(CHUNK_MAX - SHORT));
    buffer.extend_from_slice(start);
    if buffer.capacity() > buffer.len() {
        // What can't be read now is told by the next read.
        let _ = retry_on_intr(|| read(&pipe, rustix::buffer::spare_capacity(&mut buffer)));
    }
    Ok(Chunk { bytes: Bytes::from(buffer), emptied: false })
}

fn drain_on(pipe: OwnedFd, running: Arc<Running>) {
    let work = move || {
        drain(pipe, &running.alarm, |_| {});
        running.output_done.settle(());
    };
    // Without a thread the pipe closes, and the child sees a broken one: no worse than having no transport at all.
    let _ = thread::Builder::new().name("aw-drain".into()).stack_size(STACK).spawn(work);
}

/// A pipe holds 64 KiB by default.
const CHUNK_MAX: usize = 64 * 1024;
/// More than most messages take, and little for a stack.
const SHORT: usize = 4 * 1024;

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn one_look_takes_all_that_waits_and_tells_where_it_knows_of_no_more() {
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"short\n").unwrap();
        let chunk = read_available(&reader).unwrap();
        assert_eq!((&chunk.bytes[..], chunk.emptied), (&b"short\n"[..], true));
        for length in [SHORT, SHORT + 1, 3 * SHORT] {
            let long = vec![b'x'; length];
            writer.write_all(&long).unwrap();
            let chunk = read_available(&reader).unwrap();
            assert_eq!((&chunk.bytes[..], chunk.emptied), (&long[..], false));
        }
        drop(writer);
        let end = read_available(&reader).unwrap();
        assert!(end.bytes.is_empty() && !end.emptied, "the end must be seen again");
    }

    #[test]
    fn a_writer_that_never_pauses_is_left_after_what_a_pipe_holds() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        let _context = runtime.enter();
        let (reader, mut writer) = io::pipe().unwrap();
        let receiver = Receiver::from_owned_fd(reader.into()).unwrap();
        let (mut read, mut left) = (0, PIPE_MAX);
        loop {
            writer.write_all(&[b'x'; 4096]).unwrap();
            let chunk = read_left(&receiver, &mut left).unwrap();
            if chunk.is_empty() {
                break;
            }
            read += chunk.len();
            assert!(read <= 2 * PIPE_MAX, "it never ends");
        }
        assert!(read >= PIPE_MAX);
    }
}
