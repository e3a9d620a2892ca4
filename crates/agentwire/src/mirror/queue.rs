//! The queue between the task that reads, the worker that appends and the reader of messages.

use std::{
    collections::VecDeque,
    sync::MutexGuard,
    task::{Context, Poll, Waker},
};

use agentwire_codec::Line;
use agentwire_sessions::SessionKey;
use agentwire_transport::Lock;
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

use super::{
    MirrorOptions,
    batch::Part,
    known::{Known, ids},
    mirror_error::MirrorError,
};

/// The entries that wait for the store, and the events that wait for the entries.
pub(super) struct Queue {
    pub(super) options: MirrorOptions,
    pub(super) state: Lock<State>,
    /// Notified when entries were stored, refused or lost; used by [`settled`](Self::settled).
    pub(super) changed: Notify,
    /// Notified when the worker has something to do.
    work: Notify,
    /// Notified when a deadline has changed.
    deadlines: Notify,
}

#[derive(Default)]
pub(super) struct State {
    /// Frames that the worker has not taken yet.
    frames: VecDeque<Line>,
    /// The bytes of all frames that are not done, and of refused entries.
    bytes: usize,
    /// The number of frames received so far.
    pub(super) received: u64,
    /// The number of them that were flushed, or [`ENDED`].
    pub(super) done: u64,
    /// The number of them that are to be flushed now.
    wanted: u64,
    /// Whether a flush was requested for refused entries, even without new frames.
    retries: bool,
    /// The number of flushes so far.
    pub(super) flushes: u64,
    /// The number of callers that wait for entries; while it is not zero, frames are appended as if `eager`.
    pub(super) waiters: usize,
    /// The entries that are stored, refused or lost.
    pub(super) known: Known,
    /// The first loss of entries, as a message.
    pub(super) lost: Option<String>,
    /// The first failure since all entries were stored, for entries that will be appended again, as a message.
    pub(super) refused: Option<String>,
    /// The number of entries that are reported as refused or lost, and not stored since.
    pub(super) missing: usize,
    /// Entries dropped for lack of room and not reported yet.
    overflow: Vec<(Option<SessionKey>, usize)>,
    /// Failures to report to the reader of messages.
    errors: VecDeque<MirrorError>,
    /// The barrier at which the reader waits.
    barrier: Option<FlushBarrier>,
    /// Whether a flush timed out: results do not wait again until the store accepts something.
    late: bool,
    /// Whether no more frames will arrive.
    closed: bool,
    /// The deadline of the worker after the reader was dropped.
    ends: Option<Instant>,
    /// The waker of the waiting reader.
    reader: Option<Waker>,
}

/// The next job of the worker.
#[derive(Debug)]
pub(super) enum Job {
    Frame(Line),
    Flush,
    /// The last flush.
    End,
}

/// The point in the queue that the reader waits for.
#[derive(Clone, Copy)]
struct FlushBarrier {
    /// The number of frames that must be done, or [`ENDED`].
    upto: u64,
    /// Whether it is the end of the session, which always waits.
    at_end: bool,
    /// The end of the wait; `None` once it has expired or the reader was released, even if the reader has not polled
    /// since.
    deadline: Option<Instant>,
}

impl Queue {
    pub(super) fn new(options: MirrorOptions, known: Known) -> Self {
        let state = Lock::new(State { known, ..State::default() });
        let (changed, work, deadlines) = (Notify::new(), Notify::new(), Notify::new());
        Self { options, state, changed, work, deadlines }
    }

    /// Adds a frame, or returns it if there is no room; a single frame always fits.
    pub(super) fn push(&self, line: Line) -> Result<(), Line> {
        let mut state = self.state.lock();
        if state.done == ENDED {
            return Err(line);
        }
        if state.bytes > 0 && state.bytes + line.len() > self.options.max_pending {
            // Store the pending batch now, to make room for the next frame.
            state.wanted = state.received;
            state.retries = true;
            drop(state);
            self.work.notify_one();
            return Err(line);
        }
        state.bytes += line.len();
        state.received += 1;
        state.frames.push_back(line);
        drop(state);
        self.work.notify_one();
        Ok(())
    }

    /// Records entries dropped for lack of room. They are reported at the next result, or when the store continues.
    pub(super) fn overflow(&self, key: Option<SessionKey>, entries: usize) {
        let mut state = self.state.lock();
        let most = self.options.max_pending;
        state.lost.get_or_insert_with(|| is_behind(most));
        let overflow = &mut state.overflow;
        let known = overflow.iter().position(|(known, _)| *known == key);
        // Beyond this number of keys, further ones are counted together.
        match known.or_else(|| (overflow.len() >= MAX_REPORTS).then_some(MAX_REPORTS - 1)) {
            Some(at) => {
                overflow[at].1 += entries;
                if known.is_none() {
                    overflow[at].0 = None;
                }
            }
            None => overflow.push((key, entries)),
        }
        self.wake(state);
    }

    /// Lets the next [`want`](Self::want) flush refused entries too; returns the numbers of frames and flushes so far.
    pub(super) fn retry(&self) -> (u64, u64) {
        let mut state = self.state.lock();
        state.retries = true;
        (state.received, state.flushes)
    }

    /// Requests a flush of all frames received so far.
    pub(super) fn want(&self) {
        let mut state = self.state.lock();
        state.wanted = state.received;
        drop(state);
        self.work.notify_one();
    }

    /// Marks the stream of frames as complete.
    pub(super) fn close(&self) {
        self.state.lock().closed = true;
        self.work.notify_one();
    }

    /// Detaches the reader: from now on the worker has one flush timeout left.
    pub(super) fn detach(&self) {
        let mut state = self.state.lock();
        state.ends = Some(Instant::now() + self.options.flush_limit);
        state.reader = None;
        drop(state);
        self.deadlines.notify_one();
    }

    /// Sets a barrier at a result or the end: the reader waits until all earlier entries are stored.
    pub(super) fn set_barrier(&self, at_end: bool) {
        let mut state = self.state.lock();
        state.report_overflow(self.options.max_pending);
        state.wanted = state.received;
        state.closed |= at_end;
        let deadline = Some(Instant::now() + self.options.flush_limit);
        // The worker ends after its last flush, which includes refused entries.
        let upto = if at_end { ENDED } else { state.received };
        state.barrier = Some(FlushBarrier { upto, at_end, deadline });
        drop(state);
        self.work.notify_one();
        self.deadlines.notify_one();
    }

    /// Releases the reader from its barrier, unless that is the end of the session.
    pub(super) fn release(&self) {
        if let Some(FlushBarrier { at_end: false, deadline, .. }) = &mut self.state.lock().barrier {
            *deadline = None;
        }
    }

    /// Returns the next failure to report; `None` once the barrier is passed.
    pub(super) fn poll(&self, context: &Context<'_>) -> Poll<Option<MirrorError>> {
        let mut state = self.state.lock();
        if let Some(error) = state.errors.pop_front() {
            return Poll::Ready(Some(error));
        }
        if let Some(FlushBarrier { upto, at_end, deadline }) = state.barrier
            && (state.done >= upto || !at_end && (state.late || deadline.is_none()))
        {
            state.barrier = None;
            return Poll::Ready(None);
        }
        state.reader = Some(context.waker().clone());
        Poll::Pending
    }

    /// Returns whether to append before a flush is requested. Frames that arrived during an append share the next one:
    /// with an append for each, a store that is slower than the CLI would fall behind.
    pub(super) fn appends_now(&self) -> bool {
        let state = self.state.lock();
        state.frames.is_empty() && (self.options.eager || state.waiters > 0)
    }

    /// Waits for the next job.
    pub(super) async fn next_job(&self) -> Job {
        loop {
            if let Some(job) = self.state.lock().next_job() {
                return job;
            }
            self.work.notified().await;
        }
    }

    /// Records stored entries; results wait for the store again.
    pub(super) fn stored(&self, part: &Part) {
        let ids: Vec<_> = part.entries.iter().flat_map(ids).collect();
        let mut state = self.state.lock();
        state.late = false;
        state.missing -= part.reported;
        state.known.add(ids, Ok(()));
        self.wake(state);
    }

    /// Records entries that are not stored, and reports each of them once.
    pub(super) fn failed(&self, part: &mut Part, why: String, is_retried: bool) {
        let entries = &part.entries[part.reported..];
        part.reported = part.entries.len();
        let ids: Vec<_> = entries.iter().flat_map(ids).collect();
        let error = MirrorError { key: Some(part.key.clone()), entries: entries.len(), why };
        let mut state = self.state.lock();
        state.known.add(ids, Err(error.why.as_str().into()));
        let failure = if is_retried { &mut state.refused } else { &mut state.lost };
        failure.get_or_insert_with(|| error.text());
        if error.entries > 0 {
            state.report(error);
        }
        self.wake(state);
    }

    /// Records flushed frames.
    pub(super) fn finish(&self, frames: u64, bytes: usize, none_refused: bool) {
        let mut state = self.state.lock();
        state.flushes += 1;
        state.done += frames;
        state.bytes -= bytes.min(state.bytes);
        if none_refused {
            state.refused = None;
        }
        state.report_overflow(self.options.max_pending);
        self.wake(state);
    }

    /// Reports lost entries to the reader.
    pub(super) fn report(&self, error: MirrorError) {
        let mut state = self.state.lock();
        state.lost.get_or_insert_with(|| error.text());
        state.report(error);
        self.wake(state);
    }

    /// Returns the frames that the worker has not taken when it ends.
    pub(super) fn take_frames(&self) -> VecDeque<Line> {
        std::mem::take(&mut self.state.lock().frames)
    }

    /// Marks the worker as ended, after it has reported the rest: nothing waits for it any more.
    pub(super) fn worker_ended(&self) {
        let mut state = self.state.lock();
        state.report_overflow(self.options.max_pending);
        state.done = ENDED;
        self.wake(state);
    }

    /// Returns when the worker's time is over; releases the reader when its deadline has passed.
    pub(super) async fn enforce_deadlines(&self) {
        loop {
            let next = {
                let state = self.state.lock();
                let deadline = state.barrier.and_then(|barrier| barrier.deadline);
                deadline.into_iter().chain(state.ends).min()
            };
            let changed = self.deadlines.notified();
            match next {
                None => changed.await,
                Some(next) => tokio::select! {
                    () = sleep_until(next) => if self.expire() { return },
                    () = changed => {}
                },
            }
        }
    }

    /// Handles expired deadlines; returns whether the worker's time is over.
    fn expire(&self) -> bool {
        let (now, limit) = (Instant::now(), self.options.flush_limit);
        let mut state = self.state.lock();
        if state.ends.is_some_and(|ends| ends <= now) {
            return true;
        }
        let State { barrier: Some(FlushBarrier { upto, at_end, deadline }), done, .. } = &mut *state else {
            return false;
        };
        if deadline.take_if(|deadline| *deadline <= now).is_none() {
            return false;
        }
        if *at_end || *done >= *upto {
            return *at_end;
        }
        state.late = true;
        state.report(MirrorError::late(limit));
        self.wake(state);
        false
    }

    /// Unlocks the state, and wakes the reader and the waiters of handles.
    fn wake(&self, mut state: MutexGuard<'_, State>) {
        let reader = state.reader.take();
        drop(state);
        if let Some(reader) = reader {
            reader.wake();
        }
        self.changed.notify_waiters();
    }
}

impl State {
    fn next_job(&mut self) -> Option<Job> {
        if let Some(line) = self.frames.pop_front() {
            return Some(Job::Frame(line));
        }
        if self.closed {
            return Some(Job::End);
        }
        let retries = std::mem::take(&mut self.retries);
        (retries || self.wanted > self.done).then_some(Job::Flush)
    }

    /// Queues a report; when many are queued, it is merged with one of the same key.
    fn report(&mut self, error: MirrorError) {
        tracing::warn!(key = ?error.key, entries = error.entries, "session store: {}", error.why);
        self.missing += error.entries;
        if self.errors.len() >= MAX_REPORTS
            && let Some(at) =
                self.errors.iter().position(|known| known.key == error.key).or(Some(MAX_REPORTS - 1))
            && let Some(known) = self.errors.get_mut(at)
        {
            if known.key != error.key {
                known.key = None;
            }
            known.entries += error.entries;
            known.why = error.why;
        } else {
            self.errors.push_back(error);
        }
    }

    fn report_overflow(&mut self, most: usize) {
        for (key, entries) in std::mem::take(&mut self.overflow) {
            self.report(MirrorError { key, entries, why: is_behind(most) });
        }
    }
}

fn is_behind(most: usize) -> String {
    format!("the store is too slow: more than {most} bytes would be pending")
}

/// Stands for the end of the worker, instead of a number of frames.
pub(super) const ENDED: u64 = u64::MAX;
/// The limit of separate reports while nothing reads.
const MAX_REPORTS: usize = 32;
