//! A complete custom transport: the CLI is behind a TCP connection.

use std::io;

use agentwire::transport::{ByteSink, ByteSource, Connected, NoProcess, Transport, TransportError};
use bytes::Bytes;
use tokio::net::{
    TcpStream,
    tcp::{OwnedReadHalf, OwnedWriteHalf},
};

/// The address of a listening CLI, as `HOST:PORT`.
#[derive(Debug)]
pub(crate) struct Tcp(pub(crate) String);

/// The CLI's output.
#[derive(Debug)]
pub(crate) struct TcpSource(Option<OwnedReadHalf>);

/// The CLI's input. Dropping it ends the input.
#[derive(Debug)]
pub(crate) struct TcpSink(Option<OwnedWriteHalf>);

/// Does not implement `hold_input`, since nothing at the other end could end the CLI before its input ends: if the
/// connection is lost, hooks block nothing.
impl Transport for Tcp {
    type Source = TcpSource;
    type Sink = TcpSink;
    /// There is no process to watch or signal: the CLI ends with its connection.
    type Handle = NoProcess;

    async fn open(self) -> Result<Connected<TcpSource, TcpSink, NoProcess>, TransportError> {
        let stream = TcpStream::connect(&self.0).await.map_err(failed("connecting to the CLI"))?;
        // Send each line immediately (`TCP_NODELAY`), because it is a complete message.
        stream.set_nodelay(true).map_err(failed("preparing the connection"))?;
        let (source, sink) = split(stream);
        Ok(Connected { source, sink, handle: NoProcess::default() })
    }
}

/// Splits a connection into its two independent directions.
pub(crate) fn split(stream: TcpStream) -> (TcpSource, TcpSink) {
    let (read, write) = stream.into_split();
    (TcpSource(Some(read)), TcpSink(Some(write)))
}

impl ByteSource for TcpSource {
    async fn read(&mut self) -> Result<Option<Bytes>, TransportError> {
        // After the end of the output, clean or not, every read returns `None`.
        let Some(half) = &self.0 else { return Ok(None) };
        match read_some(half).await {
            Ok(chunk) if !chunk.is_empty() => Ok(Some(chunk)),
            end => {
                self.0 = None;
                end.map(|_| None).map_err(failed("reading from the CLI"))
            }
        }
    }
}

impl ByteSink for TcpSink {
    async fn write(&mut self, chunk: Bytes) -> Result<(), TransportError> {
        let Some(half) = &self.0 else { return Err(TransportError::Closed) };
        let written = write_all(half, &chunk).await;
        if written.is_err() {
            self.0 = None;
        }
        written.map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => TransportError::Closed,
            _ => failed("writing to the CLI")(error),
        })
    }

    async fn finish(&mut self) -> Result<(), TransportError> {
        // Dropping this half ends this direction after all written data; the other half continues.
        self.0 = None;
        Ok(())
    }
}

/// Reads some bytes; empty at the end.
async fn read_some(half: &OwnedReadHalf) -> io::Result<Bytes> {
    loop {
        half.readable().await?;
        // Allocate after waiting, so that an idle session holds no buffer.
        let mut buffer = vec![0; CHUNK];
        match half.try_read(&mut buffer) {
            Ok(length) => {
                buffer.truncate(length);
                buffer.shrink_to_fit();
                return Ok(buffer.into());
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
}

async fn write_all(half: &OwnedWriteHalf, mut rest: &[u8]) -> io::Result<()> {
    while !rest.is_empty() {
        half.writable().await?;
        match half.try_write(rest) {
            Ok(length) => rest = &rest[length..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn failed(action: &'static str) -> impl FnOnce(io::Error) -> TransportError {
    move |source| TransportError::Io { action, source }
}

const CHUNK: usize = 16 * 1024;
