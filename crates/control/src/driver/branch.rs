//! A part of the driver that is polled when it was woken itself, and not because another part was.

use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

/// A future that is polled only when it was woken itself.
///
/// The driver is one task of several futures.
/// Of those a callback wakes one at a time, and asking the others again costs more than what there is to do.
pub(super) struct Branch<F> {
    future: F,
    bell: Arc<Bell>,
    /// Rings the bell.
    waker: Waker,
}

impl<F: Future + Unpin> Branch<F> {
    pub(super) fn new(future: F) -> Self {
        // The first poll is owed to everyone.
        let bell = Arc::new(Bell { rung: AtomicBool::new(true), task: Mutex::new(Waker::noop().clone()) });
        Self { future, waker: Waker::from(Arc::clone(&bell)), bell }
    }
}

impl<F: Future + Unpin> Future for Branch<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let Self { future, bell, waker } = &mut *self;
        // Before the bell is looked at: whoever rings it later wakes this task.
        bell.task().clone_from(context.waker());
        if !bell.rung.swap(false, Ordering::AcqRel) {
            return Poll::Pending;
        }
        Pin::new(future).poll(&mut Context::from_waker(waker))
    }
}

/// What wakes a branch: it is rung, and so is the task.
struct Bell {
    rung: AtomicBool,
    /// The task that the branch is a part of.
    task: Mutex<Waker>,
}

impl Bell {
    fn task(&self) -> MutexGuard<'_, Waker> {
        self.task.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // Rung before, it has woken the task already, which has not looked yet.
        if !self.rung.swap(true, Ordering::AcqRel) {
            let task = self.task().clone();
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

    use super::Branch;

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
    fn only_who_was_woken_is_polled_and_every_wake_reaches_the_task_of_the_last_poll() {
        let inner: Mutex<Option<Waker>> = Mutex::default();
        let polls = Mutex::new(0);
        let mut branch = Branch::new(Box::pin(poll_fn(|context: &mut Context<'_>| {
            *polls.lock().unwrap() += 1;
            *inner.lock().unwrap() = Some(context.waker().clone());
            if *polls.lock().unwrap() < 3 { Poll::Pending } else { Poll::Ready(()) }
        })));
        let mut poll = |task: &Waker| Pin::new(&mut branch).poll(&mut Context::from_waker(task));
        let (first, first_wakes) = task();
        let (second, second_wakes) = task();
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

    #[test]
    fn who_wakes_itself_is_polled_again() {
        let mut left = 2;
        let mut branch = Branch::new(Box::pin(poll_fn(move |context: &mut Context<'_>| {
            left -= 1;
            context.waker().wake_by_ref();
            if left > 0 { Poll::Pending } else { Poll::Ready(()) }
        })));
        let (task, wakes) = task();
        let context = &mut Context::from_waker(&task);
        assert!(Pin::new(&mut branch).poll(context).is_pending());
        assert_eq!(wakes.try_iter().count(), 1);
        assert!(Pin::new(&mut branch).poll(context).is_ready());
    }
}
