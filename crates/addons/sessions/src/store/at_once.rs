//! Runs several futures of a store concurrently, on any runtime.

use std::future::poll_fn;
use std::task::Poll;

use super::{StoreError, StoreFuture};

/// Returns the results of the futures, in their order.
///
/// A wake-up polls all of them, so there should be few.
pub(crate) async fn at_once<T>(mut futures: Vec<StoreFuture<'_, T>>) -> Vec<Result<T, StoreError>> {
    let mut done: Vec<_> = futures.iter().map(|_| None).collect();
    poll_fn(|context| {
        for (future, done) in futures.iter_mut().zip(&mut done) {
            if done.is_none()
                && let Poll::Ready(result) = future.as_mut().poll(context)
            {
                *done = Some(result);
            }
        }
        if done.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    done.into_iter().flatten().collect()
}
