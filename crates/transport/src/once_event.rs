//! A value that is set once, and that tasks and threads can wait for.

use std::{
    pin::Pin,
    task::{Context, Poll, Waker},
};
#[cfg(feature = "process")]
use std::{
    sync::{Condvar, PoisonError},
    time::Instant,
};

use crate::lock::Lock;

/// A value that is set once, and that tasks and threads can wait for.
#[derive(Debug)]
pub(crate) struct OnceEvent<T> {
    state: Lock<State<T>>,
    #[cfg(feature = "process")]
    changed: Condvar,
}

#[derive(Debug)]
struct State<T> {
    value: Option<T>,
    waiters: Vec<(u64, Waker)>,
    next_id: u64,
}

impl<T: Clone> OnceEvent<T> {
    pub(crate) fn new() -> Self {
        Self {
            state: Lock::new(State { value: None, waiters: Vec::new(), next_id: 0 }),
            #[cfg(feature = "process")]
            changed: Condvar::new(),
        }
    }

    /// Sets the value and wakes all waiters. Later calls have no effect.
    pub(crate) fn set(&self, value: T) {
        let waiters = {
            let mut state = self.state.lock();
            if state.value.is_some() {
                return;
            }
            state.value = Some(value);
            std::mem::take(&mut state.waiters)
        };
        #[cfg(feature = "process")]
        self.changed.notify_all();
        // Outside the lock: a waker may run code of the caller's runtime.
        waiters.into_iter().for_each(|(_, waker)| waker.wake());
    }

    /// Returns the value if it is set.
    pub(crate) fn get(&self) -> Option<T> {
        self.state.lock().value.clone()
    }

    /// Waits for the value in a task. Any number of tasks may wait; a dropped future removes its waker.
    pub(crate) fn wait(&self) -> Wait<'_, T> {
        Wait { event: self, id: None }
    }

    /// Blocks this thread until the value is set or the deadline passes.
    #[cfg(feature = "process")]
    pub(crate) fn wait_until(&self, deadline: Instant) -> Option<T> {
        let mut state = self.state.lock();
        loop {
            if let Some(value) = &state.value {
                return Some(value.clone());
            }
            let left = deadline.checked_duration_since(Instant::now())?;
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// The future of [`OnceEvent::wait`].
pub(crate) struct Wait<'a, T: Clone> {
    event: &'a OnceEvent<T>,
    id: Option<u64>,
}

impl<T: Clone> Future for Wait<'_, T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let mut state = self.event.state.lock();
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
            self.event.state.lock().waiters.retain(|(waiting, _)| *waiting != id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_wait_removes_its_waker() {
        let event = OnceEvent::<u8>::new();
        let mut cx = Context::from_waker(Waker::noop());
        let mut wait = event.wait();
        assert!(Pin::new(&mut wait).poll(&mut cx).is_pending());
        assert!(Pin::new(&mut wait).poll(&mut cx).is_pending());
        assert_eq!(event.state.lock().waiters.len(), 1);
        drop(wait);
        assert!(event.state.lock().waiters.is_empty());
    }

    #[test]
    fn first_value_stays() {
        let event = OnceEvent::new();
        event.set(1);
        event.set(2);
        let mut cx = Context::from_waker(Waker::noop());
        assert_eq!(Pin::new(&mut event.wait()).poll(&mut cx), Poll::Ready(1));
        assert_eq!(event.get(), Some(1));
    }
}
