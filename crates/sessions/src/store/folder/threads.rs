//! Work that blocks, done on threads of its own, so that no runtime's thread waits for a disk.

use std::collections::BTreeMap;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread;

/// Bounds how many threads work at once.
///
/// A thread ends with its one piece of work; whoever comes when all are busy waits, without a thread.
#[derive(Debug, Default)]
pub(super) struct Threads {
    state: Mutex<State>,
    next: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    busy: usize,
    waiting: BTreeMap<u64, Waker>,
}

impl Threads {
    /// Does the work once the future is polled; dropped after that, the work is done all the same.
    pub(super) fn run<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> Job<T> {
        Job {
            threads: Arc::clone(self),
            id: self.next.fetch_add(1, Ordering::Relaxed),
            work: Some(Box::new(work)),
            slot: Arc::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place, or has the waker called when there may be one.
    fn enter(&self, id: u64, waker: &Waker) -> bool {
        let mut state = self.state();
        if state.busy < MAX_THREADS {
            state.busy += 1;
            state.waiting.remove(&id);
            return true;
        }
        state.waiting.insert(id, waker.clone());
        false
    }

    /// Gives a place back. All are woken, as one that is woken may be dropped instead of using the place.
    fn leave(&self) {
        let mut state = self.state();
        state.busy -= 1;
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        waiting.into_values().for_each(Waker::wake);
    }
}

/// One piece of work.
pub(super) struct Job<T> {
    threads: Arc<Threads>,
    id: u64,
    work: Option<Box<dyn FnOnce() -> io::Result<T> + Send>>,
    slot: Arc<Mutex<Slot<T>>>,
}

/// Where a thread leaves what it has done.
struct Slot<T> {
    done: Option<io::Result<T>>,
    waker: Option<Waker>,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self { done: None, waker: None }
    }
}

impl<T: Send + 'static> Future for Job<T> {
    type Output = io::Result<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if self.work.is_some() {
            if !self.threads.enter(self.id, context.waker()) {
                return Poll::Pending;
            }
            let Some(work) = self.work.take() else { return Poll::Pending };
            let handed = Handed { threads: Arc::clone(&self.threads), slot: Arc::clone(&self.slot) };
            let thread = thread::Builder::new().name("agentwire-store".to_owned());
            thread.spawn(move || {
                let done = work();
                handed.done(done);
            })?;
        }
        let mut slot = lock(&self.slot);
        match slot.done.take() {
            Some(done) => Poll::Ready(done),
            None => {
                slot.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl<T> Drop for Job<T> {
    fn drop(&mut self) {
        self.threads.state().waiting.remove(&self.id);
    }
}

/// What a thread holds while it works; its place is given back however the work ends.
struct Handed<T> {
    threads: Arc<Threads>,
    slot: Arc<Mutex<Slot<T>>>,
}

impl<T> Handed<T> {
    fn done(self, done: io::Result<T>) {
        lock(&self.slot).done = Some(done);
    }
}

impl<T> Drop for Handed<T> {
    fn drop(&mut self) {
        self.threads.leave();
        let mut slot = lock(&self.slot);
        slot.done.get_or_insert_with(|| Err(io::Error::other("the thread ended before its work was done")));
        let waker = slot.waker.take();
        drop(slot);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

fn lock<T>(slot: &Mutex<T>) -> MutexGuard<'_, T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

/// More would not make a disk faster.
const MAX_THREADS: usize = 8;

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, mpsc};

    use super::{MAX_THREADS, Threads};

    #[tokio::test]
    async fn at_most_so_many_threads_work_at_once_and_all_work_is_done() {
        let threads = Arc::new(Threads::default());
        let (busy, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (open, gate) = mpsc::channel::<()>();
        let gate = Arc::new(std::sync::Mutex::new(gate));
        let jobs = (0..5 * MAX_THREADS).map(|number| {
            let (busy, most, gate) = (Arc::clone(&busy), Arc::clone(&most), Arc::clone(&gate));
            let job = threads.run(move || {
                most.fetch_max(busy.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                gate.lock().unwrap().recv().unwrap();
                busy.fetch_sub(1, Ordering::SeqCst);
                Ok(number)
            });
            tokio::spawn(job)
        });
        let jobs: Vec<_> = jobs.collect();
        while busy.load(Ordering::SeqCst) < MAX_THREADS {
            tokio::task::yield_now().await;
        }
        // One that waits is dropped, and keeps nobody else from its place.
        jobs[5 * MAX_THREADS - 1].abort();
        for _ in &jobs {
            open.send(()).unwrap();
        }
        for (number, job) in jobs.into_iter().enumerate().take(5 * MAX_THREADS - 1) {
            assert_eq!(job.await.unwrap().unwrap(), number);
        }
        assert_eq!(most.load(Ordering::SeqCst), MAX_THREADS);
    }

    #[tokio::test]
    async fn work_that_panics_is_an_error_and_gives_its_place_back() {
        let threads = Arc::new(Threads::default());
        for _ in 0..2 * MAX_THREADS {
            let error = threads.run(|| -> io::Result<()> { panic!("as it was told to") }).await.unwrap_err();
            assert_eq!(error.to_string(), "the thread ended before its work was done");
        }
    }
}
