//! A value that is settled once, and awaited by tasks and threads alike: how a peer's end reaches everyone who asks.

use std::{
    pin::Pin,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};
#[cfg(all(unix, feature = "process"))]
use std::{sync::Condvar, time::Instant};

#[derive(Debug)]
pub(crate) struct Settled<T> {
    state: Mutex<State<T>>,
    #[cfg(all(unix, feature = "process"))]
    changed: Condvar,
}

#[derive(Debug)]
struct State<T> {
    value: Option<T>,
    waiters: Vec<(u64, Waker)>,
    next_id: u64,
}

impl<T: Clone> Settled<T> {
    pub(crate) fn new() -> Self {
        Self {
            state: Mutex::new(State { value: None, waiters: Vec::new(), next_id: 0 }),
            #[cfg(all(unix, feature = "process"))]
            changed: Condvar::new(),
        }
    }

    /// Settles the value and wakes everyone who waits; the first call decides, later ones change nothing.
    pub(crate) fn settle(&self, value: T) {
        let waiters = {
            let mut state = self.lock();
            if state.value.is_some() {
                return;
            }
            state.value = Some(value);
            std::mem::take(&mut state.waiters)
        };
        #[cfg(all(unix, feature = "process"))]
        self.changed.notify_all();
        // Outside the lock: a waker may run code of the caller's runtime.
        waiters.into_iter().for_each(|(_, waker)| waker.wake());
    }

    /// The value, where it is settled.
    pub(crate) fn value(&self) -> Option<T> {
        self.lock().value.clone()
    }

    /// Waits for the value in a task. Any number of tasks may wait; a dropped future leaves nothing behind.
    pub(crate) fn wait(&self) -> Wait<'_, T> {
        Wait { settled: self, id: None }
    }

    /// Waits for the value on this thread, up to the deadline.
    #[cfg(all(unix, feature = "process"))]
    pub(crate) fn wait_until(&self, deadline: Instant) -> Option<T> {
        let mut state = self.lock();
        loop {
            if let Some(value) = &state.value {
                return Some(value.clone());
            }
            let left = deadline.checked_duration_since(Instant::now())?;
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // No code of a caller runs under this lock, so that a poisoned state is still whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) struct Wait<'a, T: Clone> {
    settled: &'a Settled<T>,
    id: Option<u64>,
}

impl<T: Clone> Future for Wait<'_, T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let mut state = self.settled.lock();
        if let Some(value) = &state.value {
            return Poll::Ready(value.clone());
        }
        let id = self.id.unwrap_or(state.next_id);
        if let Some((_, waker)) = state.waiters.iter_mut().find(|(waiting, _)| *waiting == id) {
            waker.clone_from(cx.waker());
        } else {
            state.next_id += 1;
            state.waiters.push((id, cx.waker().clone()));
        }
        drop(state);
        self.id = Some(id);
        Poll::Pending
    }
}

impl<T: Clone> Drop for Wait<'_, T> {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            self.settled.lock().waiters.retain(|(waiting, _)| *waiting != id);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn a_dropped_wait_leaves_no_waker() {
        let settled = Settled::<u8>::new();
        let mut cx = Context::from_waker(Waker::noop());
        let mut wait = settled.wait();
        assert!(Pin::new(&mut wait).poll(&mut cx).is_pending());
        assert!(Pin::new(&mut wait).poll(&mut cx).is_pending());
        assert_eq!(settled.lock().waiters.len(), 1);
        drop(wait);
        assert!(settled.lock().waiters.is_empty());
    }

    #[test]
    fn the_first_value_stays() {
        let settled = Arc::new(Settled::new());
        settled.settle(1);
        settled.settle(2);
        let mut cx = Context::from_waker(Waker::noop());
        assert_eq!(Pin::new(&mut settled.wait()).poll(&mut cx), Poll::Ready(1));
        assert_eq!(settled.value(), Some(1));
    }
}
