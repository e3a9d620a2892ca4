//! What waits for the store, and what waits for it: between the task that reads, the worker and the reader of messages.

use std::{
    collections::VecDeque,
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use agentwire_codec::Line;
use agentwire_sessions::{RawEntry, SessionKey};
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

use super::{
    MirrorOptions,
    known::{Known, ids},
    told::Told,
};

/// What waits for the store, and what waits for it.
pub(super) struct Queue {
    pub(super) options: MirrorOptions,
    state: Mutex<State>,
    /// Entries were stored or lost, for those who wait in [`settled`](Self::settled).
    pub(super) changed: Notify,
    /// There is something for the worker to do.
    work: Notify,
    /// A deadline has changed.
    deadlines: Notify,
}

#[derive(Default)]
pub(super) struct State {
    /// Frames that the worker has not taken yet.
    frames: VecDeque<Line>,
    /// The bytes of all frames that are not done.
    bytes: usize,
    /// How many frames came; how many of them are stored or given up; up to which one a flush was asked for.
    pub(super) received: u64,
    pub(super) done: u64,
    wanted: u64,
    /// How many wait for entries to be stored: each frame is appended at once then.
    pub(super) pressing: usize,
    /// Which entries are stored and which are lost.
    pub(super) known: Known,
    /// The first loss of entries, in words.
    pub(super) lost: Option<String>,
    /// What there was no room for, and was not told yet.
    overflow: Vec<(Option<SessionKey>, usize)>,
    /// What the reader of messages is to be told.
    told: VecDeque<Told>,
    /// Until when the reader waits, and for what.
    held: Option<(Instant, Hold)>,
    /// Up to which frame the reader has waited for long enough, even where it has not looked yet.
    released: u64,
    /// Whether the store did not take in time what it was waited for with: nobody waits again until it takes something.
    late: bool,
    /// Whether no more frames will come.
    closed: bool,
    /// When the worker gives up, where nobody reads any more.
    ends: Option<Instant>,
    /// Who reads, while it waits.
    reader: Option<Waker>,
}

/// What the worker does next.
#[derive(Debug)]
pub(super) enum Job {
    Frame(Line),
    Flush,
    /// The last flush.
    End,
}

/// What the reader waits for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hold {
    /// The frame that is to be done.
    upto: u64,
    at_end: bool,
}

impl Queue {
    pub(super) fn new(options: MirrorOptions, known: Known) -> Self {
        let state = Mutex::new(State { known, ..State::default() });
        let (changed, work, deadlines) = (Notify::new(), Notify::new(), Notify::new());
        Self { options, state, changed, work, deadlines }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a frame, or gives it back where there is no room; one alone always has some.
    pub(super) fn push(&self, line: Line) -> Result<(), Line> {
        let mut state = self.state();
        if state.done == u64::MAX {
            return Err(line);
        }
        if state.bytes > 0 && state.bytes + line.len() > self.options.most_pending {
            // What waits for more to come is stored now, so that there is room for the next one.
            state.wanted = state.received;
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

    /// There was no room for so many entries: it is told with the next result, or when the store goes on.
    pub(super) fn overflow(&self, key: Option<SessionKey>, entries: usize) {
        let mut state = self.state();
        let most = self.options.most_pending;
        state.lost.get_or_insert_with(|| is_behind(most));
        let overflow = &mut state.overflow;
        let known = overflow.iter().position(|(known, _)| *known == key);
        // Past so many keys they are counted together.
        match known.or_else(|| (overflow.len() >= MOST_TOLD).then_some(MOST_TOLD - 1)) {
            Some(at) => {
                overflow[at].1 += entries;
                if known.is_none() {
                    overflow[at].0 = None;
                }
            }
            None => overflow.push((key, entries)),
        }
    }

    /// What came so far is to be stored now.
    pub(super) fn want(&self) {
        let mut state = self.state();
        state.wanted = state.received;
        drop(state);
        self.work.notify_one();
    }

    /// No more frames will come.
    pub(super) fn close(&self) {
        self.state().closed = true;
        self.work.notify_one();
    }

    /// Nobody will read any more: the worker has as long as a flush may take.
    pub(super) fn leave(&self) {
        let mut state = self.state();
        state.ends = Some(Instant::now() + self.options.flush_limit);
        state.reader = None;
        drop(state);
        self.deadlines.notify_one();
    }

    /// The reader has read a result, or the end: it waits until the store has what came before.
    pub(super) fn hold(&self, at_end: bool) -> Hold {
        let mut state = self.state();
        state.tell_overflow(self.options.most_pending);
        state.wanted = state.received;
        state.closed |= at_end;
        let hold = Hold { upto: state.received, at_end };
        state.held = Some((Instant::now() + self.options.flush_limit, hold));
        drop(state);
        self.work.notify_one();
        self.deadlines.notify_one();
        hold
    }

    /// The reader waits no longer for what it holds, unless that is the end.
    pub(super) fn release(&self, hold: Hold) {
        let mut state = self.state();
        if !hold.at_end {
            state.released = state.released.max(hold.upto);
            state.held = None;
        }
    }

    /// What the reader is to be told; `None` once it waits no longer.
    pub(super) fn poll(&self, hold: Option<Hold>, context: &Context<'_>) -> Poll<Option<Told>> {
        let mut state = self.state();
        if let Some(told) = state.told.pop_front() {
            return Poll::Ready(Some(told));
        }
        if let Some(Hold { upto, at_end }) = hold
            && (state.done >= upto || !at_end && (state.late || state.released >= upto))
        {
            state.held = None;
            return Poll::Ready(None);
        }
        match &mut state.reader {
            Some(reader) => reader.clone_from(context.waker()),
            None => state.reader = Some(context.waker().clone()),
        }
        Poll::Pending
    }

    /// Waits for something to do.
    pub(super) async fn next_job(&self) -> Job {
        loop {
            if let Some(job) = self.state().next_job() {
                return job;
            }
            self.work.notified().await;
        }
    }

    /// The store has taken these entries: it is waited for again.
    pub(super) fn stored(&self, entries: &[RawEntry]) {
        let ids: Vec<_> = entries.iter().flat_map(ids).collect();
        let mut state = self.state();
        state.late = false;
        state.known.add(ids, None);
    }

    /// These entries are lost; the reader is told by [`tell`](Self::tell).
    pub(super) fn lost(&self, entries: &[RawEntry], why: &str) {
        let ids: Vec<_> = entries.iter().flat_map(ids).collect();
        self.state().known.add(ids, Some(why.into()));
    }

    /// So many frames of so many bytes are stored, or were given up and told.
    pub(super) fn finish(&self, frames: u64, bytes: usize) {
        let mut state = self.state();
        state.done += frames;
        state.bytes -= bytes.min(state.bytes);
        state.tell_overflow(self.options.most_pending);
        wake(state);
        self.changed.notify_waiters();
    }

    /// Tells the reader of entries that are lost.
    pub(super) fn tell(&self, told: Told) {
        let mut state = self.state();
        state.lost.get_or_insert_with(|| told.text());
        state.tell(told);
        wake(state);
    }

    /// The worker ends: what it has not taken.
    pub(super) fn left(&self) -> VecDeque<Line> {
        std::mem::take(&mut self.state().frames)
    }

    /// The worker has ended, and has told what it did not get done: nobody waits for it any longer.
    pub(super) fn worked(&self) {
        let mut state = self.state();
        state.tell_overflow(self.options.most_pending);
        state.done = u64::MAX;
        wake(state);
        self.changed.notify_waiters();
    }

    /// Ends when the worker is to give up; tells the reader meanwhile when it has waited for long enough.
    pub(super) async fn keep_time(&self) {
        loop {
            let next = {
                let state = self.state();
                state.held.map(|(until, _)| until).into_iter().chain(state.ends).min()
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

    /// Takes note of the time, and says whether it is up for the worker.
    fn expire(&self) -> bool {
        let (now, limit) = (Instant::now(), self.options.flush_limit);
        let mut state = self.state();
        if state.ends.is_some_and(|ends| ends <= now) {
            return true;
        }
        match state.held {
            Some((until, Hold { upto, at_end })) if until <= now => {
                state.held = None;
                if at_end || state.done >= upto {
                    return at_end;
                }
                state.late = true;
                // The store may take something before the reader looks, which must not make it wait again.
                state.released = upto;
                let why =
                    format!("the store did not take within {limit:?} what came before a result; it goes on");
                state.tell(Told { key: None, entries: 0, why });
                wake(state);
                false
            }
            _ => false,
        }
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
        (self.wanted > self.done).then_some(Job::Flush)
    }

    /// Tells something; where much is untold, together with what is told of the same key.
    fn tell(&mut self, told: Told) {
        tracing::warn!(key = ?told.key, entries = told.entries, "session store: {}", told.why);
        if self.told.len() >= MOST_TOLD
            && let Some(at) = self.told.iter().position(|known| known.key == told.key).or(Some(MOST_TOLD - 1))
            && let Some(known) = self.told.get_mut(at)
        {
            if known.key != told.key {
                known.key = None;
            }
            known.entries += told.entries;
            known.why = told.why;
        } else {
            self.told.push_back(told);
        }
    }

    fn tell_overflow(&mut self, most: usize) {
        for (key, entries) in std::mem::take(&mut self.overflow) {
            self.tell(Told { key, entries, why: is_behind(most) });
        }
    }
}

fn is_behind(most: usize) -> String {
    format!("the store is behind, and no more than {most} bytes wait for it")
}

/// Unlocks, and wakes the reader.
fn wake(mut state: MutexGuard<'_, State>) {
    let reader = state.reader.take();
    drop(state);
    if let Some(reader) = reader {
        reader.wake();
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").field("options", &self.options).finish_non_exhaustive()
    }
}

/// As much as is told one by one while nobody reads.
const MOST_TOLD: usize = 32;
