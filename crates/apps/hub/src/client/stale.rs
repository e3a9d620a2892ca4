//! The changed lists of a server. Several notifications for one list are merged.

use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering},
};

use tokio::sync::Notify;

/// A list that must be read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stale {
    Tools = 1,
    /// Resources, and the templates of resources.
    Resources = 2,
    Prompts = 4,
}

/// Creates a channel that stores each kind of list at most once.
pub(crate) fn stale() -> (StaleSender, StaleReceiver) {
    let shared = Arc::new(Shared::default());
    (StaleSender(Arc::clone(&shared)), StaleReceiver(shared))
}

#[derive(Clone, Debug)]
pub(crate) struct StaleSender(Arc<Shared>);

impl StaleSender {
    pub(crate) fn send(&self, list: Stale) {
        self.0.kinds.fetch_or(list as u8, Ordering::AcqRel);
        self.0.notify.notify_one();
    }
}

#[derive(Debug)]
pub(crate) struct StaleReceiver(Arc<Shared>);

impl StaleReceiver {
    /// Waits for a changed list. Cancel-safe.
    pub(crate) async fn recv(&mut self) -> Stale {
        loop {
            let kinds = self.0.kinds.load(Ordering::Acquire);
            for list in [Stale::Tools, Stale::Resources, Stale::Prompts] {
                if kinds & list as u8 != 0 {
                    self.0.kinds.fetch_and(!(list as u8), Ordering::AcqRel);
                    return list;
                }
            }
            self.0.notify.notified().await;
        }
    }
}

#[derive(Debug, Default)]
struct Shared {
    kinds: AtomicU8,
    notify: Notify,
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::{Stale, stale};

    #[tokio::test]
    async fn repeated_changes_are_merged_and_none_is_lost() {
        let (sender, mut receiver) = stale();
        assert!(receiver.recv().now_or_never().is_none());
        for _ in 0..100 {
            sender.send(Stale::Prompts);
            sender.send(Stale::Tools);
        }
        assert_eq!(receiver.recv().await, Stale::Tools);
        sender.send(Stale::Tools);
        assert_eq!(receiver.recv().await, Stale::Tools);
        assert_eq!(receiver.recv().await, Stale::Prompts);
        assert!(receiver.recv().now_or_never().is_none());
        let waiting = tokio::spawn(async move { receiver.recv().await });
        tokio::task::yield_now().await;
        sender.send(Stale::Resources);
        assert_eq!(waiting.await.unwrap(), Stale::Resources);
    }
}
