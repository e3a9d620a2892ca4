//! Connects a transport to the standard streams: this program is then the CLI of an SDK.

use std::convert::Infallible;
use std::ffi::OsString;
use std::time::Duration;

use agentwire_transport::{ByteSink, ByteSource, Connected, ExitReport, PeerHandle, Signal, Transport};
use tokio::io::{AsyncReadExt as _, stdin};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::failure::Failure;
use crate::output::{on_thread, write};
use crate::signals::Signals;

/// Opens the transport, and passes bytes and signals on until its peer has ended.
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
pub(crate) fn asks_version(arguments: &[OsString]) -> bool {
    arguments.iter().any(|argument| argument == "-v" || argument == "--version")
}

async fn pass_on(
    link: Connected<impl ByteSource, impl ByteSink, impl PeerHandle>,
) -> Result<ExitReport, Failure> {
    let Connected { source, sink, handle } = link;
    let (signalled, is_signalled) = watch::channel(false);
    let done = tokio::select! {
        done = write_output(source, is_signalled) => done,
        never = read_input(sink) => match never {},
        failed = pass_signals(&handle, &signalled) => failed,
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

/// Writes the peer's output to the standard output, until its end. After a signal, discards the rest if a chunk is not
/// read within a second: an SDK that ends the CLI may not read any more.
async fn write_output(
    mut source: impl ByteSource,
    mut is_signalled: watch::Receiver<bool>,
) -> Result<(), Failure> {
    while let Some(chunk) = source.read().await? {
        let is_unread = async {
            // The sender is dropped later than this receiver.
            let _ = is_signalled.wait_for(|is_signalled| *is_signalled).await;
            sleep(PATIENCE).await;
        };
        tokio::select! {
            written = on_thread(move || write(&chunk)) => written?,
            // Reading lets the peer end, and completes a recording.
            () = is_unread => while source.read().await?.is_some() {},
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
async fn pass_signals(handle: &impl PeerHandle, signalled: &watch::Sender<bool>) -> Result<(), Failure> {
    let mut signals = Signals::new()?;
    signals.next().await;
    handle.signal(Signal::Term)?;
    signalled.send_replace(true);
    signals.next().await;
    handle.signal(Signal::Kill)?;
    std::future::pending().await
}

/// The maximum number of bytes of one read.
const CHUNK: usize = 64 * 1024;
/// The limit of a write after a signal. An SDK kills the program soon after the signal; the one for Python waits 5 s.
const PATIENCE: Duration = Duration::from_secs(1);
/// The limit of the peer's end, after the end of its output.
const LIMIT: Duration = Duration::from_secs(10);
