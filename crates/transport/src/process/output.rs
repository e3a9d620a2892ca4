//! The child's stdout.

use std::{
    future::poll_fn,
    io,
    os::fd::{AsFd, OwnedFd},
    pin::{Pin, pin},
    sync::Arc,
    task::Poll,
};

use bytes::Bytes;
use rustix::{
    buffer::spare_capacity,
    io::{read, retry_on_intr},
};
use tokio::{io::AsyncReadExt, net::unix::pipe::Receiver};

use super::{
    drain::{MAX_PIPE, drain},
    running::{Running, spawn_thread},
    shutdown_fd::ShutdownFd,
};
use crate::{error::TransportError, transport::ByteSource};

/// A child's output. Reads are cancel-safe.
///
/// The output ends with its pipe.
/// If another process holds the pipe open, the output ends at the latest [`Grace::drain`](super::Grace::drain) after
/// the child, once everything that the child wrote has been read.
/// If the source is dropped while the child runs, a thread drains the pipe, so that the child does not block on it.
pub struct ProcessSource {
    running: Arc<Running>,
    /// `None` after the end of the output.
    output: Option<Output>,
}

struct Output {
    pipe: Receiver,
    /// The number of bytes that may still be read after the shutdown.
    left: usize,
}

impl ProcessSource {
    pub(super) fn new(running: Arc<Running>, pipe: Receiver) -> Self {
        Self { running, output: Some(Output { pipe, left: MAX_PIPE }) }
    }
}

impl ByteSource for ProcessSource {
    async fn read(&mut self) -> Result<Option<Bytes>, TransportError> {
        let Some(output) = &mut self.output else { return Ok(None) };
        match output.read(&self.running.shutdown).await {
            Ok(chunk) if !chunk.is_empty() => Ok(Some(chunk)),
            end => {
                self.output = None;
                self.running.output_done.set(());
                end.map(|_| None)
                    .map_err(|source| TransportError::Io { action: "reading from the process", source })
            }
        }
    }
}

impl Drop for ProcessSource {
    fn drop(&mut self) {
        let Some(output) = self.output.take() else { return };
        // A duplicate, because a runtime can fail to give a descriptor back.
        if let Ok(pipe) = output.pipe.as_fd().try_clone_to_owned() {
            drain_on_thread(pipe, Arc::clone(&self.running));
        }
    }
}

debug_by_name!(ProcessSource);

impl Output {
    /// Waits for output. Returns no bytes at the end.
    async fn read(&mut self, shutdown: &ShutdownFd) -> io::Result<Bytes> {
        let mut stopped = shutdown.wait();
        loop {
            if shutdown.is_signalled() {
                return self.read_left();
            }
            poll_fn(|cx| match self.pipe.poll_read_ready(cx) {
                Poll::Pending if Pin::new(&mut stopped).poll(cx).is_ready() => Poll::Ready(Ok(())),
                ready => ready,
            })
            .await?;
            let mut buffer = Vec::with_capacity(MAX_CHUNK);
            // In contrast to `try_io`, this knows after a short read that the pipe is empty, and does not read again.
            let read = poll_fn(|cx| Poll::Ready(pin!(self.pipe.read_buf(&mut buffer)).poll(cx))).await;
            if let Poll::Ready(read) = read {
                return read.map(|_| shrunk(buffer));
            }
        }
    }

    /// Reads what a dead child left in the pipe, without the runtime: its readiness may lag behind.
    fn read_left(&mut self) -> io::Result<Bytes> {
        if self.left == 0 {
            return Ok(Bytes::new());
        }
        let chunk = match read_available(&self.pipe) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Bytes::new(),
            read => read?,
        };
        self.left = self.left.saturating_sub(chunk.len());
        Ok(chunk)
    }
}

/// Reads once, without waiting.
fn read_available(pipe: impl AsFd) -> io::Result<Bytes> {
    let mut buffer = Vec::with_capacity(MAX_CHUNK);
    retry_on_intr(|| read(&pipe, spare_capacity(&mut buffer)))?;
    Ok(shrunk(buffer))
}

/// Returns the bytes in a buffer of their length: idle sources hold no memory, and a chunk no more than its own length.
fn shrunk(mut buffer: Vec<u8>) -> Bytes {
    buffer.shrink_to_fit();
    buffer.into()
}

fn drain_on_thread(pipe: OwnedFd, running: Arc<Running>) {
    // Without a thread the pipe closes and the child gets SIGPIPE when it writes.
    let _ = spawn_thread("aw-drain", move || {
        drain(pipe, &running.shutdown, |_| {});
        running.output_done.set(());
    });
}

/// The default capacity of a pipe.
const MAX_CHUNK: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn chunk_takes_what_the_pipe_contains_and_no_more_memory() {
        let (reader, mut writer) = io::pipe().unwrap();
        rustix::io::ioctl_fionbio(&reader, true).unwrap();
        assert_eq!(read_available(&reader).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        for length in [6, 4096, MAX_CHUNK - 1, MAX_CHUNK] {
            let written = vec![b'x'; length];
            writer.write_all(&written).unwrap();
            let chunk = read_available(&reader).unwrap();
            assert_eq!(chunk, written);
            assert_eq!(Vec::from(chunk).capacity(), length);
        }
        drop(writer);
        assert!(read_available(&reader).unwrap().is_empty());
    }

    #[test]
    fn reading_stops_after_one_pipe_capacity_if_the_writer_never_pauses() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        let _context = runtime.enter();
        let (reader, mut writer) = io::pipe().unwrap();
        let mut output = Output { pipe: Receiver::from_owned_fd(reader.into()).unwrap(), left: MAX_PIPE };
        let mut read = 0;
        loop {
            writer.write_all(&[b'x'; 4096]).unwrap();
            let chunk = output.read_left().unwrap();
            if chunk.is_empty() {
                break;
            }
            read += chunk.len();
            assert!(read <= 2 * MAX_PIPE, "it never ends");
        }
        assert!(read >= MAX_PIPE);
    }
}
