//! Connects a transport to the standard streams: this program is then the CLI of an SDK.

use std::convert::Infallible;
use std::io;
use std::time::Duration;

use agentwire_transport::{ByteSink, ByteSource, Connected, ExitReport, PeerHandle, Signal, Transport};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, stdin, stdout};
use tokio::time::timeout;

use crate::failure::Failure;
use crate::signals::Signals;

/// Opens the transport, and passes bytes and signals on until its peer has ended.
///
/// # Errors
///
/// If the transport can't be opened or read.
pub(crate) fn relay(transport: impl Transport) -> Result<ExitReport, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(async { pass_on(transport.open().await?).await });
    // A read of the standard input can't be cancelled, and must not keep the program from ending.
    runtime.shutdown_background();
    ended
}

/// Returns success, or a failure with the exit code of the peer, as a shell reports it.
pub(crate) fn exit_as(report: &ExitReport) -> Result<(), Failure> {
    let code = report.code.or(report.signal.map(|signal| 128 + signal)).unwrap_or(0);
    if code == 0 { Ok(()) } else { Err(Failure::exit(u8::try_from(code).unwrap_or(1))) }
}

/// Returns whether an SDK asks the CLI for its version, as it does before a session.
pub(crate) fn asks_version(arguments: &[String]) -> bool {
    arguments.iter().any(|argument| argument == "-v" || argument == "--version")
}

async fn pass_on(
    link: Connected<impl ByteSource, impl ByteSink, impl PeerHandle>,
) -> Result<ExitReport, Failure> {
    let Connected { source, sink, handle } = link;
    let done = tokio::select! {
        done = write_output(source) => done,
        never = read_input(sink) => match never {},
        failed = pass_signals(&handle) => failed,
    };
    if done.is_err() {
        handle.signal(Signal::Term)?;
    }
    if !handle.has_process() {
        // A capture of the output alone does not have the end of the CLI.
        return done.map(|()| ExitReport::default());
    }
    let report = timeout(LIMIT, handle.wait()).await;
    done?;
    report
        .map_err(|_| Failure::new(format!("the CLI still runs {} s after its output ended", LIMIT.as_secs())))
}

/// Writes the peer's output to the standard output, until its end.
async fn write_output(mut source: impl ByteSource) -> Result<(), Failure> {
    let mut stdout = stdout();
    while let Some(chunk) = source.read().await? {
        let written = async {
            stdout.write_all(&chunk).await?;
            stdout.flush().await
        };
        match written.await {
            // The SDK is gone.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Err(Failure::exit(0)),
            done => done?,
        }
    }
    Ok(())
}

/// Sends the standard input to the peer. The peer's output decides when the relay ends.
async fn read_input(mut sink: impl ByteSink) -> Infallible {
    let (mut stdin, mut buffer) = (stdin(), vec![0; CHUNK]);
    // A failed write means that the peer reads no more: its output ends soon.
    while let Ok(count @ 1..) = stdin.read(&mut buffer).await
        && sink.write(buffer.get(..count).unwrap_or_default().to_vec().into()).await.is_ok()
    {}
    // A sink that can't be finished is closed already.
    let _ = sink.finish().await;
    std::future::pending().await
}

/// Sends SIGTERM to the peer for the first signal that ends this program, and SIGKILL for the next one.
async fn pass_signals(handle: &impl PeerHandle) -> Result<(), Failure> {
    let mut signals = Signals::new()?;
    signals.next().await;
    handle.signal(Signal::Term)?;
    signals.next().await;
    handle.signal(Signal::Kill)?;
    std::future::pending().await
}

/// The maximum number of bytes of one read.
const CHUNK: usize = 64 * 1024;
/// The limit of the peer's end, after the end of its output.
const LIMIT: Duration = Duration::from_secs(10);
