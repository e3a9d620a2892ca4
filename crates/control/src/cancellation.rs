//! How a callback learns that its answer is no longer waited for: a flag, and a token where somebody asks for one.

use std::{
    fmt,
    ops::Deref,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio_util::sync::CancellationToken;

/// Fires when an answer is no longer waited for, and stays so. A clone is the same.
///
/// It dereferences to a [`CancellationToken`], for whoever takes one.
/// Most callbacks answer at once and never ask, so that token is made when it is first wanted.
#[derive(Clone)]
pub struct Cancellation(Arc<Inner>);

struct Inner {
    fired: AtomicBool,
    token: OnceLock<CancellationToken>,
    /// What fires this too.
    parent: Option<Cancellation>,
}

impl Cancellation {
    /// One that has not fired, and fires by [`cancel`](Self::cancel) alone.
    pub(crate) fn new() -> Self {
        Self::below(None)
    }

    /// One that fires with this one, and may fire before it without firing it.
    #[must_use]
    pub fn child(&self) -> Self {
        Self::below(Some(self.clone()))
    }

    fn below(parent: Option<Self>) -> Self {
        Self(Arc::new(Inner { fired: AtomicBool::new(false), token: OnceLock::new(), parent }))
    }

    /// Fires it, and what is below it.
    pub fn cancel(&self) {
        self.0.fired.store(true, Ordering::SeqCst);
        // Whoever makes a token after this looks at the flag afterwards: one of the two fires it.
        if let Some(token) = self.0.token.get() {
            token.cancel();
        }
    }

    /// Whether it has fired.
    pub fn is_cancelled(&self) -> bool {
        self.0.fired.load(Ordering::SeqCst) || self.0.parent.as_ref().is_some_and(Self::is_cancelled)
    }

    /// Waits until it has fired.
    ///
    /// # Cancellation
    ///
    /// Cancel-safe.
    pub async fn cancelled(&self) {
        (**self).cancelled().await;
    }
}

/// The token behind it, for who takes one; whoever cancels that fires it for its holders alone.
impl Deref for Cancellation {
    type Target = CancellationToken;

    fn deref(&self) -> &CancellationToken {
        let token = self.0.token.get_or_init(|| match &self.0.parent {
            Some(parent) => (**parent).child_token(),
            None => CancellationToken::new(),
        });
        if self.0.fired.load(Ordering::SeqCst) {
            token.cancel();
        }
        token
    }
}

impl fmt::Debug for Cancellation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cancellation").field("is_cancelled", &self.is_cancelled()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::Cancellation;

    #[test]
    fn a_token_tells_the_same_whenever_it_is_made() {
        for early in [true, false] {
            let cancellation = Cancellation::new();
            let child = cancellation.child();
            if early {
                assert!(!(*cancellation).is_cancelled() && !(*child).is_cancelled());
            }
            cancellation.cancel();
            assert!(cancellation.is_cancelled() && child.is_cancelled());
            assert!((*cancellation).is_cancelled() && (*child).is_cancelled());
        }
    }

    #[test]
    fn a_child_fires_alone() {
        let cancellation = Cancellation::new();
        let child = cancellation.child();
        let waiting = (*child).clone();
        child.cancel();
        assert!(child.is_cancelled() && waiting.is_cancelled());
        assert!(!cancellation.is_cancelled() && !(*cancellation).is_cancelled());
    }

    #[tokio::test]
    async fn who_waits_hears_of_it() {
        let cancellation = Cancellation::new();
        let child = cancellation.child();
        let (heard, ()) = tokio::join!(
            async {
                child.cancelled().await;
                true
            },
            async { cancellation.cancel() }
        );
        assert!(heard);
        child.cancelled().await;
    }
}
