//! The changed lists of a server. Several notifications for one list are merged.

use std::sync::Arc;

use tokio::sync::Notify;

/// A list that must be read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stale {
    Tools,
    /// Resources, and the templates of resources.
    Resources,
    Prompts,
}

/// The lists that changed, each at most once. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct StaleLists(Arc<[Notify; 3]>);

impl StaleLists {
    pub(crate) fn send(&self, list: Stale) {
        self.0[list as usize].notify_one();
    }

    /// Waits for a changed list. Cancel-safe. Only one task may wait, as a change wakes one.
    pub(crate) async fn recv(&self) -> Stale {
        let [tools, resources, prompts] = &*self.0;
        tokio::select! {
            biased;
            () = tools.notified() => Stale::Tools,
            () = resources.notified() => Stale::Resources,
            () = prompts.notified() => Stale::Prompts,
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::{Stale, StaleLists};

    #[tokio::test]
    async fn repeated_changes_are_merged_and_none_is_lost() {
        let lists = StaleLists::default();
        assert!(lists.recv().now_or_never().is_none());
        for _ in 0..100 {
            lists.send(Stale::Prompts);
            lists.send(Stale::Tools);
        }
        assert_eq!(lists.recv().await, Stale::Tools);
        lists.send(Stale::Tools);
        assert_eq!(lists.recv().await, Stale::Tools);
        assert_eq!(lists.recv().await, Stale::Prompts);
        assert!(lists.recv().now_or_never().is_none());
        let receiver = lists.clone();
        let waiting = tokio::spawn(async move { receiver.recv().await });
        tokio::task::yield_now().await;
        lists.send(Stale::Resources);
        assert_eq!(waiting.await.unwrap(), Stale::Resources);
    }
}
