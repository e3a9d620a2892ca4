//! Which parts of the driver were woken: each is polled when it was woken itself, and not because another part was.

use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU8, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

/// The bells of the `N` parts of one task, eight at most.
///
/// The driver is one task of several futures.
/// Of those a callback wakes one at a time, and asking the others again costs more than what there is to do.
pub(super) struct Bells<const N: usize> {
    board: Arc<Board>,
    /// They ring, each for its part.
    wakers: [Waker; N],
    /// The task, as the board has it: compared without the board's lock.
    task: Waker,
}

/// What all bells share.
struct Board {
    /// A bit for each part that has rung.
    rung: AtomicU8,
    /// The task that the parts are parts of.
    task: Mutex<Waker>,
}

struct Bell {
    board: Arc<Board>,
    bit: u8,
}

impl<const N: usize> Bells<N> {
    pub(super) fn new() -> Self {
        // The first poll is owed to everyone.
        let board = Board { rung: AtomicU8::new(u8::MAX), task: Mutex::new(Waker::noop().clone()) };
        let board = Arc::new(board);
        let bell = |part: usize| Waker::from(Arc::new(Bell { board: Arc::clone(&board), bit: 1 << part }));
        Self { wakers: std::array::from_fn(bell), task: Waker::noop().clone(), board }
    }

    /// Who has rung since this was last asked; whoever rings from now on wakes `task`.
    pub(super) fn rung(&mut self, task: &Waker) -> Rung<'_> {
        // Before it is looked who has rung: whoever does later wakes this task.
        if !self.task.will_wake(task) {
            self.task.clone_from(task);
            self.board.set_task(task.clone());
        }
        Rung { bits: self.board.rung.swap(0, Ordering::AcqRel), wakers: &self.wakers }
    }
}

/// Who has rung.
pub(super) struct Rung<'a> {
    bits: u8,
    wakers: &'a [Waker],
}

impl Rung<'_> {
    /// Polls this part, if it has rung.
    pub(super) fn poll<F: Future>(&self, part: usize, future: Pin<&mut F>) -> Poll<F::Output> {
        match self.wakers.get(part) {
            Some(waker) if self.bits & (1 << part) != 0 => future.poll(&mut Context::from_waker(waker)),
            _ => Poll::Pending,
        }
    }
}

impl Board {
    fn set_task(&self, task: Waker) {
        *self.task.lock().unwrap_or_else(PoisonError::into_inner) = task;
    }

    fn task(&self) -> Waker {
        self.task.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // Whoever rang before, for any part, has woken the task already, which has not looked yet.
        if self.board.rung.fetch_or(self.bit, Ordering::AcqRel) == 0 {
            self.board.task().wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::{Future, pending, poll_fn},
        pin::{Pin, pin},
        sync::{Arc, Mutex, mpsc},
        task::{Context, Poll, Wake, Waker},
        thread,
    };

    use super::Bells;

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

    /// A part that is never ready; its polls are counted, and its waker is left.
    fn part<'a>(polls: &'a Mutex<usize>, left: &'a Mutex<Option<Waker>>) -> impl Future<Output = ()> + 'a {
        poll_fn(|context: &mut Context<'_>| {
            *polls.lock().unwrap() += 1;
            *left.lock().unwrap() = Some(context.waker().clone());
            Poll::Pending
        })
    }

    #[test]
    fn only_who_was_woken_is_polled_and_every_wake_reaches_the_task_of_the_last_poll() {
        let (polls, left): ([Mutex<usize>; 2], [Mutex<Option<Waker>>; 2]) = Default::default();
        let (mut one, mut other) = (pin!(part(&polls[0], &left[0])), pin!(part(&polls[1], &left[1])));
        let mut bells = Bells::<2>::new();
        let mut poll = |task: &Waker| {
            let rung = bells.rung(task);
            assert!(rung.poll(0, one.as_mut()).is_pending() && rung.poll(1, other.as_mut()).is_pending());
        };
        let polled = || polls.each_ref().map(|polls| *polls.lock().unwrap());
        let waker = |part: usize| left[part].lock().unwrap().clone().unwrap();
        let ((first, first_wakes), (second, second_wakes)) = (task(), task());
        poll(&first);
        poll(&first);
        assert_eq!(polled(), [1, 1], "the first poll is owed to all, and the second one to none");
        waker(0).wake_by_ref();
        waker(0).wake();
        waker(1).wake_by_ref();
        assert_eq!(first_wakes.try_iter().count(), 1, "woken once until it looks");
        poll(&second);
        assert_eq!(polled(), [2, 2]);
        waker(1).wake();
        assert_eq!((first_wakes.try_iter().count(), second_wakes.try_iter().count()), (0, 1));
        poll(&second);
        assert_eq!(polled(), [2, 3]);
    }

    #[test]
    fn who_wakes_itself_is_polled_again() {
        let mut left = 2;
        let mut part = pin!(poll_fn(move |context: &mut Context<'_>| {
            left -= 1;
            context.waker().wake_by_ref();
            if left > 0 { Poll::Pending } else { Poll::Ready(()) }
        }));
        let mut bells = Bells::<1>::new();
        let (task, wakes) = task();
        assert!(bells.rung(&task).poll(0, part.as_mut()).is_pending());
        assert_eq!(wakes.try_iter().count(), 1);
        assert!(bells.rung(&task).poll(0, part.as_mut()).is_ready());
    }

    #[test]
    fn no_wake_is_lost_to_one_that_comes_from_elsewhere_at_the_same_time() {
        // Two parts, each woken by a thread of its own once it has been polled: a wake that got lost would be waited for
        // forever.
        const TIMES: usize = 20_000;
        let (task, wakes) = task();
        let mut bells = Bells::<3>::new();
        let channels = [mpsc::channel::<Waker>(), mpsc::channel()];
        let [(to_one, one), (to_other, other)] = channels;
        let threads = [one, other].map(|wakers| thread::spawn(move || wakers.iter().for_each(Waker::wake)));
        let echo = |to: mpsc::Sender<Waker>| {
            let mut left = TIMES;
            poll_fn(move |context: &mut Context<'_>| {
                if left == 0 {
                    return Poll::Ready(());
                }
                left -= 1;
                to.send(context.waker().clone()).unwrap();
                Poll::Pending
            })
        };
        let mut parts = [Box::pin(echo(to_one)), Box::pin(echo(to_other))];
        let (mut never, mut ended) = (pin!(pending::<()>()), [false; 2]);
        while ended != [true; 2] {
            let rung = bells.rung(&task);
            for (number, part) in parts.iter_mut().enumerate() {
                if !ended[number] {
                    ended[number] = rung.poll(number, Pin::new(part)).is_ready();
                }
            }
            assert!(rung.poll(2, never.as_mut()).is_pending());
            if ended != [true; 2] {
                wakes.recv_timeout(std::time::Duration::from_secs(60)).unwrap();
            }
        }
        drop(parts);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    }
}
