//! Waits for several futures of a store at once, without a runtime.

use std::future::poll_fn;
use std::task::Poll;

use super::{StoreError, StoreFuture};

/// What each of the futures gives, in their order.
///
/// Each is polled whenever one of them can go on, so they should be few.
pub(super) async fn at_once<T>(mut futures: Vec<StoreFuture<'_, T>>) -> Vec<Result<T, StoreError>> {
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
