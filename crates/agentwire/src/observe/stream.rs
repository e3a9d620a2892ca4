//! The stream of observations: bounded, and never in the way of the session.

use std::{
    collections::VecDeque,
    future::poll_fn,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use agentwire_protocol::RawJson;
use futures_core::Stream;

use super::Observation;

/// What happens in a session, as a stream: see [`Session::observe`](crate::Session::observe).
///
/// It holds at most 1,024 observations and 16 MiB of contents that were not read; what is more takes the place of the
/// oldest, and [`Observation::Lagged`] tells how many were lost there.
/// So it never holds up the session, and a stream that nobody reads costs no more than that.
/// The last observation is the end of the session; then the stream ends.
///
/// Cancel-safe: an observation is taken when it is given, and not before.
#[derive(Debug)]
pub struct Observations(Arc<Queue>);

impl Observations {
    pub(super) fn of(queue: Arc<Queue>) -> Self {
        Self(queue)
    }

    /// Waits for the next observation; `None` when the session has ended and all was given.
    pub async fn next(&mut self) -> Option<Observation> {
        poll_fn(|context| self.poll(context)).await
    }

    fn poll(&self, context: &Context<'_>) -> Poll<Option<Observation>> {
        let mut waiting = self.0.lock();
        match waiting.take() {
            Some(observation) => Poll::Ready(Some(observation)),
            None if waiting.closed => Poll::Ready(None),
            None => {
                waiting.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Stream for Observations {
    type Item = Observation;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Observation>> {
        self.poll(context)
    }
}

/// What one observer has not read.
#[derive(Debug, Default)]
pub(super) struct Queue(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    observations: VecDeque<Observation>,
    /// Bytes of contents in them.
    bytes: usize,
    /// How many were lost before the first of them.
    lost: u64,
    closed: bool,
    waker: Option<Waker>,
}

impl Queue {
    pub(super) fn push(&self, observation: Observation) {
        let mut waiting = self.lock();
        waiting.bytes += bytes(&observation);
        waiting.observations.push_back(observation);
        while waiting.is_too_much()
            && let Some(oldest) = waiting.observations.pop_front()
        {
            waiting.bytes -= bytes(&oldest);
            waiting.lost += 1;
        }
        wake(waiting);
    }

    /// Nothing more will come.
    pub(super) fn close(&self) {
        let mut waiting = self.lock();
        waiting.closed = true;
        wake(waiting);
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn take(&mut self) -> Option<Observation> {
        if self.lost > 0 {
            return Some(Observation::Lagged(std::mem::take(&mut self.lost)));
        }
        let observation = self.observations.pop_front()?;
        self.bytes -= bytes(&observation);
        Some(observation)
    }

    /// The newest is kept whatever its size, so that the end of a session is never lost.
    fn is_too_much(&self) -> bool {
        self.observations.len() > MOST || (self.bytes > MOST_BYTES && self.observations.len() > 1)
    }
}

fn wake(mut waiting: MutexGuard<'_, Waiting>) {
    let waker = waiting.waker.take();
    // It may run code of the reader's.
    drop(waiting);
    if let Some(waker) = waker {
        waker.wake();
    }
}

fn bytes(observation: &Observation) -> usize {
    let contents = match observation {
        Observation::Began(began) => &began.input,
        Observation::Ended(ended) => &ended.output,
        Observation::Lagged(_) => &None,
    };
    contents.as_ref().map_or(0, |contents: &RawJson| contents.as_str().len())
}

/// Several turns with a hundred tool uses.
const MOST: usize = 1024;
const MOST_BYTES: usize = 16 << 20;

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::SystemTime};

    use super::{MOST, MOST_BYTES, Observations, Queue};
    use crate::{
        RawJson,
        observe::{Activity, Began, Observation},
    };

    fn began(id: u64, input: Option<RawJson>) -> Observation {
        let (activity, at) = (Activity::Session, SystemTime::now());
        Observation::Began(Arc::new(Began { id, parent: None, activity, session_id: None, at, input }))
    }

    async fn rest(queue: &Arc<Queue>) -> Vec<String> {
        queue.close();
        let mut observations = Observations::of(Arc::clone(queue));
        let mut rest = Vec::new();
        while let Some(observation) = observations.next().await {
            rest.push(match observation {
                Observation::Began(began) => began.id.to_string(),
                Observation::Lagged(lost) => format!("lost {lost}"),
                Observation::Ended(_) => "end".to_owned(),
            });
        }
        rest
    }

    #[tokio::test]
    async fn a_slow_reader_is_told_how_many_of_the_oldest_were_lost() {
        let queue = Arc::<Queue>::default();
        for id in 0..MOST as u64 + 7 {
            queue.push(began(id, None));
        }
        let rest = rest(&queue).await;
        assert_eq!(rest.len(), MOST + 1);
        assert_eq!(rest[..2], ["lost 7", "7"]);
        assert_eq!(rest.last().map(String::as_str), Some("1030"));
    }

    #[tokio::test]
    async fn contents_are_bounded_and_the_newest_stays() {
        let queue = Arc::<Queue>::default();
        let large = RawJson::encode(&"x".repeat(MOST_BYTES / 2 + 1)).unwrap();
        queue.push(began(1, Some(large.clone())));
        queue.push(began(2, None));
        queue.push(began(3, Some(large)));
        queue.push(began(4, Some(RawJson::encode(&"x".repeat(MOST_BYTES)).unwrap())));
        assert_eq!(rest(&queue).await, ["lost 3", "4"]);
    }
}
