//! The child's stdout: no buffer while idle, exactly sized reads, and an end even when a stranger holds the pipe.

use std::{
    fmt,
    future::poll_fn,
    io,
    mem::MaybeUninit,
    os::fd::{AsFd, OwnedFd},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    thread,
};

use bytes::Bytes;
use rustix::{
    buffer::spare_capacity,
    io::{Errno, read, retry_on_intr},
};
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
    /// Whether the last read found much, so that the next one is likely to.
    much: bool,
}

impl ProcessSource {
    pub(super) fn new(running: Arc<Running>, receiver: Receiver) -> Self {
        Self { running, receiver: Some(receiver), left: PIPE_MAX, much: false }
    }
}

impl ByteSource for ProcessSource {
    async fn read(&mut self) -> Result<Option<Bytes>, TransportError> {
        let Some(receiver) = &self.receiver else { return Ok(None) };
        let (running, mut abandoned) = (&*self.running, self.running.abandoned.wait());
        let mut pipe = Pipe { receiver, left: &mut self.left, much: &mut self.much };
        match poll_fn(|cx| pipe.poll_read(running, &mut abandoned, cx)).await {
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

/// The pipe, while it is read.
struct Pipe<'a> {
    receiver: &'a Receiver,
    left: &'a mut usize,
    much: &'a mut bool,
}

impl Pipe<'_> {
    /// Empty at the end of the output.
    fn poll_read(
        &mut self,
        running: &Running,
        abandoned: &mut Wait<'_, ()>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<Bytes>> {
        loop {
            // It rings once the pipe is abandoned; who waits for that takes a lock, and does so only where reading waits.
            if running.alarm.has_rung() {
                return Poll::Ready(self.read_left());
            }
            match self.receiver.poll_read_ready(cx) {
                Poll::Ready(ready) => ready?,
                Poll::Pending if Pin::new(&mut *abandoned).poll(cx).is_ready() => {
                    return Poll::Ready(self.read_left());
                }
                Poll::Pending => return Poll::Pending,
            }
            let mut read = None;
            let attempt = self.receiver.try_io(|| {
                let chunk = self.read_available()?;
                let emptied = chunk.emptied;
                read = Some(chunk.bytes);
                // A pipe that gave less than it was asked for is empty: said now, this spares a read that would say no
                // more. Readiness that has come since stays, and so does the end of the pipe.
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
    fn read_left(&mut self) -> io::Result<Bytes> {
        if *self.left == 0 {
            return Ok(Bytes::new());
        }
        match self.read_available() {
            Ok(Chunk { bytes: chunk, .. }) => {
                *self.left = self.left.saturating_sub(chunk.len());
                Ok(chunk)
            }
            Err(Errno::AGAIN) => Ok(Bytes::new()),
            Err(error) => Err(error.into()),
        }
    }

    fn read_available(&mut self) -> Result<Chunk, Errno> {
        let chunk = read_available(self.receiver, *self.much)?;
        *self.much = chunk.bytes.len() >= SHORT;
        Ok(chunk)
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
/// A message is mostly short, so that one read onto the stack takes it; behind more than that, and where much came
/// before, there is likely to be as much as a pipe holds.
fn read_available(pipe: impl AsFd, much: bool) -> Result<Chunk, Errno> {
    let mut buffer = Vec::new();
    if !much {
        match retry_on_intr(|| read_start(&pipe))? {
            Start::All(chunk) => return Ok(chunk),
            Start::More(start) => buffer = start,
        }
    }
    buffer.reserve_exact(CHUNK_MAX - buffer.len());
    let (before, room) = (buffer.len(), CHUNK_MAX - buffer.len());
    let emptied = match retry_on_intr(|| read(&pipe, spare_capacity(&mut buffer))) {
        // As above; and behind a start, the end is told by the next read.
        Ok(length) => length > 0 && length < room,
        Err(Errno::AGAIN) if before > 0 => true,
        // Any other error too.
        Err(error) if before == 0 => return Err(error),
        Err(_) => false,
    };
    buffer.shrink_to_fit();
    Ok(Chunk { bytes: Bytes::from(buffer), emptied })
}

/// What one read onto the stack gave.
enum Start {
    All(Chunk),
    /// It was full: what it held, with room for what waits behind it.
    More(Vec<u8>),
}

fn read_start(pipe: impl AsFd) -> Result<Start, Errno> {
    // Not filled with anything before: that would cost more than a message does.
    let mut place = [const { MaybeUninit::uninit() }; SHORT];
    let (start, room) = read(&pipe, &mut place)?;
    if !room.is_empty() {
        // Nothing at all is the end, which is seen again by the next read.
        return Ok(Start::All(Chunk { bytes: Bytes::copy_from_slice(start), emptied: !start.is_empty() }));
    }
    let mut buffer = Vec::with_capacity(CHUNK_MAX);
    buffer.extend_from_slice(start);
    Ok(Start::More(buffer))
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
        for much in [false, true] {
            let (reader, mut writer) = io::pipe().unwrap();
            rustix::io::ioctl_fionbio(&reader, true).unwrap();
            assert_eq!(read_available(&reader, much).map(|_| ()).unwrap_err(), Errno::AGAIN);
            for length in [6, SHORT - 1, SHORT, SHORT + 1, 3 * SHORT, CHUNK_MAX - 1] {
                let written = vec![b'x'; length];
                writer.write_all(&written).unwrap();
                let chunk = read_available(&reader, much).unwrap();
                assert_eq!((&chunk.bytes[..], chunk.emptied), (&written[..], true), "{length}");
                let kept = Vec::from(chunk.bytes).capacity();
                assert_eq!(kept, length, "no more than what was read is kept");
            }
            let full = vec![b'x'; CHUNK_MAX];
            writer.write_all(&full).unwrap();
            let chunk = read_available(&reader, much).unwrap();
            assert_eq!((chunk.bytes.len(), chunk.emptied), (CHUNK_MAX, false), "there may be more");
            writer.write_all(&full[..SHORT]).unwrap();
            drop(writer);
            assert_eq!(read_available(&reader, much).unwrap().bytes.len(), SHORT);
            let end = read_available(&reader, much).unwrap();
            assert!(end.bytes.is_empty() && !end.emptied, "the end must be seen again");
        }
    }

    #[test]
    fn a_writer_that_never_pauses_is_left_after_what_a_pipe_holds() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        let _context = runtime.enter();
        let (reader, mut writer) = io::pipe().unwrap();
        let receiver = Receiver::from_owned_fd(reader.into()).unwrap();
        let (mut read, mut left, mut much) = (0, PIPE_MAX, false);
        let mut pipe = Pipe { receiver: &receiver, left: &mut left, much: &mut much };
        loop {
            writer.write_all(&[b'x'; 4096]).unwrap();
            let chunk = pipe.read_left().unwrap();
            if chunk.is_empty() {
                break;
            }
            read += chunk.len();
            assert!(read <= 2 * PIPE_MAX, "it never ends");
        }
        assert!(read >= PIPE_MAX);
    }
}
