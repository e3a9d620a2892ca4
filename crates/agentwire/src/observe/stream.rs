//! The stream of observations: bounded, and never blocking the session.

use std::{
    collections::VecDeque,
    future::poll_fn,
    pin::Pin,
    sync::{Arc, MutexGuard},
    task::{Context, Poll, Waker},
};

use agentwire_protocol::RawJson;
use agentwire_transport::Lock;
use futures_core::Stream;

use super::Observation;

/// A stream of the activities in a session: see [`Session::observe`](crate::Session::observe).
///
/// It buffers at most 1,024 observations and 16 MiB of contents. Beyond that the oldest are dropped, and
/// [`Observation::Lagged`] contains their number.
/// An unread stream therefore never blocks the session and has a bounded cost.
/// The last observation is the end of the session; then the stream ends.
///
/// Cancel-safe: an observation is removed only when it is returned.
#[derive(Debug)]
pub struct Observations(pub(super) Arc<ObserverQueue>);

impl Observations {
    /// Waits for the next observation; `None` after the end of the session.
    pub async fn next(&mut self) -> Option<Observation> {
        poll_fn(|context| self.poll(context)).await
    }

    fn poll(&self, context: &Context<'_>) -> Poll<Option<Observation>> {
        let mut unread = self.0.0.lock();
        match unread.take() {
            Some(observation) => Poll::Ready(Some(observation)),
            None if unread.closed => Poll::Ready(None),
            None => {
                unread.waker = Some(context.waker().clone());
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

/// The unread observations of one stream.
#[derive(Debug, Default)]
pub(super) struct ObserverQueue(Lock<Unread>);

#[derive(Debug, Default)]
struct Unread {
    observations: VecDeque<Observation>,
    /// The bytes of contents in them.
    bytes: usize,
    /// The number of lost observations before the first one.
    lost: u64,
    closed: bool,
    waker: Option<Waker>,
}

impl ObserverQueue {
    pub(super) fn push(&self, observation: Observation) {
        let mut unread = self.0.lock();
        unread.bytes += bytes(&observation);
        unread.observations.push_back(observation);
        while unread.is_too_much()
            && let Some(oldest) = unread.observations.pop_front()
        {
            unread.bytes -= bytes(&oldest);
            unread.lost += 1;
        }
        wake(unread);
    }

    /// Closes the queue: nothing more will be pushed.
    pub(super) fn close(&self) {
        let mut unread = self.0.lock();
        unread.closed = true;
        wake(unread);
    }
}

impl Unread {
    fn take(&mut self) -> Option<Observation> {
        if self.lost > 0 {
            return Some(Observation::Lagged(std::mem::take(&mut self.lost)));
        }
        let observation = self.observations.pop_front()?;
        self.bytes -= bytes(&observation);
        Some(observation)
    }

    /// Keeps the newest regardless of its size, so that the end of a session is never lost.
    fn is_too_much(&self) -> bool {
        self.observations.len() > MAX_OBSERVATIONS || (self.bytes > MAX_BYTES && self.observations.len() > 1)
    }
}

fn wake(mut unread: MutexGuard<'_, Unread>) {
    let waker = unread.waker.take();
    // Waking may run code of the reader, so unlock first.
    drop(unread);
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

/// Enough for several turns with a hundred tool uses.
const MAX_OBSERVATIONS: usize = 1024;
const MAX_BYTES: usize = 16 << 20;

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::SystemTime};

    use super::{MAX_BYTES, MAX_OBSERVATIONS, Observations, ObserverQueue};
    use crate::{
        RawJson,
        observe::{Activity, Began, Observation},
    };

    fn began(id: u64, input: Option<RawJson>) -> Observation {
        let (activity, at) = (Activity::Session, SystemTime::now());
        Observation::Began(Arc::new(Began { id, parent: None, activity, session_id: None, at, input }))
    }

    async fn rest(queue: &Arc<ObserverQueue>) -> Vec<String> {
        queue.close();
        let mut observations = Observations(Arc::clone(queue));
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
    async fn a_slow_reader_learns_how_many_of_the_oldest_were_lost() {
        let queue = Arc::<ObserverQueue>::default();
        for id in 0..MAX_OBSERVATIONS as u64 + 7 {
            queue.push(began(id, None));
        }
        let rest = rest(&queue).await;
        assert_eq!(rest.len(), MAX_OBSERVATIONS + 1);
        assert_eq!(rest[..2], ["lost 7", "7"]);
        assert_eq!(rest.last().map(String::as_str), Some("1030"));
    }

    #[tokio::test]
    async fn contents_are_bounded_and_the_newest_stays() {
        let queue = Arc::<ObserverQueue>::default();
        let large = RawJson::encode(&"x".repeat(MAX_BYTES / 2 + 1)).unwrap();
        queue.push(began(1, Some(large.clone())));
        queue.push(began(2, None));
        queue.push(began(3, Some(large)));
        queue.push(began(4, Some(RawJson::encode(&"x".repeat(MAX_BYTES)).unwrap())));
        assert_eq!(rest(&queue).await, ["lost 3", "4"]);
    }
}
