//! A memory transport with one fault: what the suite must find.

use std::{
    future::{pending, poll_fn},
    pin::pin,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

use agentwire_transport::{
    BoxPeerHandle, BoxSink, BoxSource, ByteSink, ByteSource, Connected, ExitReport, MemoryTransport,
    PeerHandle, Signal, Transport, TransportError,
};
use bytes::Bytes;
use tokio::sync::{Mutex, MutexGuard};

/// The fault of a transport.
#[rustfmt::skip] // Several names a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    SwapsChunks, LosesAByte, IsText, EmptyChunks, LocksBothWays, EndsWhereNothingIsThere, LosesDroppedReads,
    TakesEverything, ErrsAfterTheEnd, HangsAfterTheEnd, ErrsForEver, SwallowsErrors, LosesWhatTheDeadWrote,
    NeverFinishes, EndsBothWays, FinishesOnce, WritesAfterTheEnd, WritesToNobody, NamesItOtherwise,
    EndsForOne, ReportsAnotherEnd, NeverGone, GoneTooEarly, NotGentle, NotByForce, SendsKillForTerm, SendsTermForKill,
    RefusesLateSignals, Forgets, EmptyChunksForWaiting, NeverWakesReaders, NeverWakesWaiters, WakesTheLastWaiter,
}

/// Each fault, and the check that it is for.
#[rustfmt::skip] // A fault a line.
pub(super) const FAULTS: &[(Fault, &str)] = &[
    (Fault::SwapsChunks, "bytes keep their order"),
    (Fault::LosesAByte, "bytes keep their order"),
    (Fault::IsText, "bytes are not text"),
    (Fault::EmptyChunks, "no chunk is empty"),
    (Fault::LocksBothWays, "large both ways at once"),
    (Fault::LocksBothWays, "a waiting read holds up no write"),
    (Fault::EndsWhereNothingIsThere, "a waiting read holds up no write"),
    (Fault::LosesDroppedReads, "a dropped read loses nothing"),
    (Fault::TakesEverything, "a peer that does not read makes the host wait"),
    (Fault::ErrsAfterTheEnd, "the end of output comes again"),
    (Fault::HangsAfterTheEnd, "the end of output comes again"),
    (Fault::ErrsForEver, "an abnormal end comes once, after all bytes"),
    (Fault::SwallowsErrors, "an abnormal end comes once, after all bytes"),
    (Fault::LosesWhatTheDeadWrote, "what a peer wrote is read after its end"),
    (Fault::NeverFinishes, "the end of input comes after all bytes, and the output goes on"),
    (Fault::EndsBothWays, "the end of input comes after all bytes, and the output goes on"),
    (Fault::FinishesOnce, "the end of input comes after all bytes, and the output goes on"),
    (Fault::WritesAfterTheEnd, "an ended input is closed"),
    (Fault::WritesToNobody, "the input of a peer that is gone is closed"),
    (Fault::NamesItOtherwise, "the input of a peer that is gone is closed"),
    (Fault::EndsForOne, "the end is reported to everyone, each time the same"),
    (Fault::ReportsAnotherEnd, "the end is reported to everyone, each time the same"),
    (Fault::NeverGone, "`wait_group` returns, and not before the end"),
    (Fault::GoneTooEarly, "`wait_group` returns, and not before the end"),
    (Fault::NotGentle, "SIGTERM ends the peer"),
    (Fault::SendsKillForTerm, "SIGTERM ends the peer"),
    (Fault::NotByForce, "SIGKILL ends the peer"),
    (Fault::SendsTermForKill, "SIGKILL ends the peer"),
    (Fault::RefusesLateSignals, "ending a peer that is gone is not an error"),
    (Fault::EmptyChunksForWaiting, "no chunk is empty"),
    (Fault::EmptyChunksForWaiting, "large both ways at once"),
    (Fault::NeverWakesReaders, "bytes keep their order"),
    (Fault::NeverWakesWaiters, "`wait_group` returns, and not before the end"),
    (Fault::WakesTheLastWaiter, "`wait_group` returns, and not before the end"),
    (Fault::Forgets, "dropping the handle ends the peer"),
    (Fault::Forgets, "dropping the handle ends a peer that heeds no end of input"),
];

pub(super) struct Broken {
    inner: MemoryTransport,
    fault: Option<Fault>,
}

impl Broken {
    pub(super) fn new(inner: MemoryTransport, fault: Option<Fault>) -> Self {
        Self { inner, fault }
    }
}

impl Transport for Broken {
    type Source = Source;
    type Sink = Sink;
    type Handle = Life;

    async fn open(self) -> Result<Connected<Source, Sink, Life>, TransportError> {
        let Connected { source, sink, handle } = self.inner.open().await?.boxed();
        let handle = Arc::new(handle);
        let shared = Shared { fault: self.fault, lock: Arc::default(), finished: Arc::default() };
        Ok(Connected {
            source: Source { source, life: Arc::downgrade(&handle), state: 0, shared: shared.clone() },
            sink: Sink { sink, held: None, shared },
            handle: Life {
                handle: Some(handle),
                waits: AtomicUsize::new(0),
                last: Arc::new(LastWaiter(Waker::noop().clone().into())),
                fault: self.fault,
            },
        })
    }
}

#[derive(Clone)]
struct Shared {
    fault: Option<Fault>,
    lock: Arc<Mutex<()>>,
    finished: Arc<AtomicBool>,
}

impl Shared {
    /// Takes the lock that only one direction at a time can hold, if this is the fault.
    async fn lock(&self) -> Option<MutexGuard<'_, ()>> {
        if self.fault == Some(Fault::LocksBothWays) { Some(self.lock.lock().await) } else { None }
    }

    fn has_finished(&self, fault: Fault) -> bool {
        self.fault == Some(fault) && self.finished.load(Ordering::Relaxed)
    }
}

pub(super) struct Source {
    source: BoxSource,
    life: Weak<BoxPeerHandle>,
    state: usize,
    shared: Shared,
}

impl ByteSource for Source {
    async fn read(&mut self) -> Result<Option<Bytes>, TransportError> {
        let _lock = self.shared.lock().await;
        let has_ended = || self.life.upgrade().is_some_and(|life| once(life.wait()).is_ready());
        self.state += 1;
        match self.shared.fault {
            Some(Fault::EmptyChunks) if self.state % 2 == 1 => return Ok(Some(Bytes::new())),
            Some(Fault::ErrsForEver) if self.state >= BROKEN => return Err(TransportError::Closed),
            Some(Fault::EndsWhereNothingIsThere) => {
                return match once(self.source.read()) {
                    Poll::Ready(read) => read,
                    Poll::Pending => Ok(None),
                };
            }
            Some(Fault::EmptyChunksForWaiting) => {
                return match once(self.source.read()) {
                    Poll::Ready(read) => read,
                    Poll::Pending => Ok(Some(Bytes::new())),
                };
            }
            Some(Fault::NeverWakesReaders) => return deaf(self.source.read()).await,
            Some(Fault::LosesWhatTheDeadWrote) if has_ended() => return Ok(None),
            _ if self.shared.has_finished(Fault::EndsBothWays) => return Ok(None),
            _ => {}
        }
        let read = self.source.read().await;
        match (self.shared.fault, read) {
            (Some(Fault::LosesAByte), Ok(Some(chunk))) if self.state == 7 => Ok(Some(chunk.slice(1..))),
            (Some(Fault::IsText), Ok(Some(chunk))) => {
                Ok(Some(String::from_utf8_lossy(&chunk).into_owned().into()))
            }
            (Some(Fault::LosesDroppedReads), read) => {
                tokio::task::yield_now().await;
                read
            }
            (Some(Fault::ErrsAfterTheEnd), Ok(None)) if self.state >= BROKEN => Err(TransportError::Closed),
            (Some(Fault::HangsAfterTheEnd), Ok(None)) if self.state >= BROKEN => pending().await,
            (Some(Fault::SwallowsErrors), Err(_)) => Ok(None),
            (_, read @ (Err(_) | Ok(None))) => {
                self.state = BROKEN;
                read
            }
            (_, read) => read,
        }
    }
}

pub(super) struct Sink {
    sink: BoxSink,
    held: Option<Bytes>,
    shared: Shared,
}

impl ByteSink for Sink {
    async fn write(&mut self, chunk: Bytes) -> Result<(), TransportError> {
        let _lock = self.shared.lock().await;
        match self.shared.fault {
            Some(Fault::TakesEverything) => return Ok(()),
            Some(Fault::SwapsChunks) => {
                let Some(held) = self.held.take() else {
                    self.held = Some(chunk);
                    return Ok(());
                };
                self.sink.write(chunk).await?;
                return self.sink.write(held).await;
            }
            _ if self.shared.has_finished(Fault::WritesAfterTheEnd) => return Ok(()),
            _ => {}
        }
        match (self.shared.fault, self.sink.write(chunk).await) {
            (Some(Fault::WritesToNobody), Err(_)) => Ok(()),
            (Some(Fault::NamesItOtherwise), Err(error)) => {
                Err(TransportError::Io { action: "writing", source: std::io::Error::other(error) })
            }
            (_, written) => written,
        }
    }

    async fn finish(&mut self) -> Result<(), TransportError> {
        match self.shared.fault {
            Some(Fault::NeverFinishes) => return Ok(()),
            _ if self.shared.has_finished(Fault::FinishesOnce) => return Err(TransportError::Closed),
            _ => {}
        }
        self.shared.finished.store(true, Ordering::Relaxed);
        self.sink.finish().await
    }
}

pub(super) struct Life {
    handle: Option<Arc<BoxPeerHandle>>,
    waits: AtomicUsize,
    last: Arc<LastWaiter>,
    fault: Option<Fault>,
}

/// A waker of the last caller of `wait`.
struct LastWaiter(std::sync::Mutex<Waker>);

impl Wake for LastWaiter {
    fn wake(self: Arc<Self>) {
        self.0.lock().unwrap().wake_by_ref();
    }
}

impl Life {
    fn inner(&self) -> &BoxPeerHandle {
        self.handle.as_ref().unwrap()
    }

    /// Waits, and takes the wake-up of the callers before.
    async fn wait_last(&self) -> ExitReport {
        let mut wait = pin!(self.inner().wait());
        poll_fn(|cx| {
            self.last.0.lock().unwrap().clone_from(cx.waker());
            wait.as_mut().poll(&mut Context::from_waker(&Waker::from(Arc::clone(&self.last))))
        })
        .await
    }
}

impl PeerHandle for Life {
    async fn wait(&self) -> ExitReport {
        let report = match self.fault {
            Some(Fault::NeverWakesWaiters) => deaf(self.inner().wait()).await,
            Some(Fault::WakesTheLastWaiter) => self.wait_last().await,
            _ => self.inner().wait().await,
        };
        let waits = self.waits.fetch_add(1, Ordering::Relaxed);
        match self.fault {
            Some(Fault::EndsForOne) if waits > 0 => pending().await,
            Some(Fault::ReportsAnotherEnd) => report.with_stderr_tail(waits.to_string()),
            _ => report,
        }
    }

    async fn wait_group(&self) {
        match self.fault {
            Some(Fault::NeverGone) => pending().await,
            Some(Fault::GoneTooEarly) => {}
            _ => self.inner().wait_group().await,
        }
    }

    fn signal(&self, signal: Signal) -> Result<(), TransportError> {
        match self.fault {
            Some(Fault::NotGentle) if signal == Signal::Term => Ok(()),
            Some(Fault::NotByForce) if signal == Signal::Kill => Ok(()),
            Some(Fault::SendsKillForTerm) => self.inner().signal(Signal::Kill),
            Some(Fault::SendsTermForKill) => self.inner().signal(Signal::Term),
            Some(Fault::RefusesLateSignals) if once(self.inner().wait()).is_ready() => {
                Err(TransportError::Closed)
            }
            _ => self.inner().signal(signal),
        }
    }

    /// Claims a process, so that all checks are run: the memory peer ends like one.
    fn has_process(&self) -> bool {
        true
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        if self.fault == Some(Fault::Forgets) {
            std::mem::forget(self.handle.take());
        }
    }
}

/// Polls a future with a waker that wakes nobody.
async fn deaf<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    poll_fn(|_| future.as_mut().poll(&mut Context::from_waker(Waker::noop()))).await
}

fn once<T>(future: impl Future<Output = T>) -> Poll<T> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

/// The state of a source after its end or its error.
const BROKEN: usize = usize::MAX / 2;
