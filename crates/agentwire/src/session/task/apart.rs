//! A future that is polled when it was woken itself, and not because its neighbour in the same task was.

use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

/// A future that is polled only when it was woken itself.
pub(super) struct Apart<F> {
    future: F,
    bell: Arc<Bell>,
    /// Rings the bell.
    waker: Waker,
    /// The task, as the bell has it: compared without the bell's lock.
    task: Waker,
}

impl<F: Future + Unpin> Apart<F> {
    pub(super) fn new(future: F) -> Self {
        // The first poll is owed.
        let bell = Arc::new(Bell { rung: AtomicBool::new(true), task: Mutex::new(Waker::noop().clone()) });
        Self { future, waker: Waker::from(Arc::clone(&bell)), bell, task: Waker::noop().clone() }
    }
}

impl<F: Future + Unpin> Future for Apart<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let Self { future, bell, waker, task } = &mut *self;
        // Before the bell is looked at: whoever rings it later wakes this task.
        if !task.will_wake(context.waker()) {
            task.clone_from(context.waker());
            bell.set_task(context.waker().clone());
        }
        if !bell.rung.swap(false, Ordering::AcqRel) {
            return Poll::Pending;
        }
        Pin::new(future).poll(&mut Context::from_waker(waker))
    }
}

/// What wakes the future: it is rung, and the task is woken.
struct Bell {
    rung: AtomicBool,
    task: Mutex<Waker>,
}

impl Bell {
    fn set_task(&self, task: Waker) {
        *self.task.lock().unwrap_or_else(PoisonError::into_inner) = task;
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // Rung before, it has woken the task already, which has not looked yet.
        if !self.rung.swap(true, Ordering::AcqRel) {
            let task = self.task.lock().unwrap_or_else(PoisonError::into_inner).clone();
            task.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::{Future, poll_fn},
        pin::Pin,
        sync::{Arc, Mutex, mpsc},
        task::{Context, Poll, Wake, Waker},
    };

    use super::Apart;

    struct Count(mpsc::Sender<()>);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.send(()).unwrap();
        }
    }

    fn task() -> (Waker, mpsc::Receiver<()>) {
        let (sender, wakes) = mpsc::channel();
        (Waker::from(Arc::new(Count(sender))), wakes)
    }

    #[test]
    fn it_is_polled_when_it_was_woken_and_each_wake_reaches_the_task_of_the_last_poll() {
        let inner: Mutex<Option<Waker>> = Mutex::default();
        let polls = Mutex::new(0);
        let mut apart = Apart::new(Box::pin(poll_fn(|context: &mut Context<'_>| {
            *polls.lock().unwrap() += 1;
            *inner.lock().unwrap() = Some(context.waker().clone());
            if *polls.lock().unwrap() < 3 { Poll::Pending } else { Poll::Ready(()) }
        })));
        let mut poll = |task: &Waker| Pin::new(&mut apart).poll(&mut Context::from_waker(task));
        let ((first, first_wakes), (second, second_wakes)) = (task(), task());
        assert!(poll(&first).is_pending() && poll(&first).is_pending());
        assert_eq!(*polls.lock().unwrap(), 1, "the first poll is owed, and the second one is not");
        let waker = inner.lock().unwrap().clone().unwrap();
        waker.wake_by_ref();
        waker.wake_by_ref();
        assert_eq!(first_wakes.try_iter().count(), 1, "woken once until it looks");
        assert!(poll(&second).is_pending());
        assert_eq!(*polls.lock().unwrap(), 2);
        waker.wake();
        assert_eq!((first_wakes.try_iter().count(), second_wakes.try_iter().count()), (0, 1));
        assert!(poll(&second).is_ready());
    }
}
