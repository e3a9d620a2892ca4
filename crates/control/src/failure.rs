//! What a callback's handler failed of, told to whoever watches the callbacks.

use std::{
    future::Future,
    sync::{Arc, OnceLock},
};

/// How a callback's handler has failed, though the callback was answered in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failure {
    /// What went wrong.
    pub kind: FailureKind,
    /// The text of it: the handler's own error or panic, or what can't be read or written.
    ///
    /// It may quote what the handler was given.
    pub reason: String,
}

/// What went wrong in a callback's handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailureKind {
    /// It returned an error.
    Error,
    /// It panicked.
    Panic,
    /// It was not run, since its input can't be read.
    Input,
    /// What it returned can't be written.
    Reply,
    /// It took too long.
    Late,
}

impl FailureKind {
    /// One word for it: `error`, `panic`, `input`, `reply`, `late`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Panic => "panic",
            Self::Input => "input",
            Self::Reply => "reply",
            Self::Late => "late",
        }
    }
}

/// Tells whoever watches the callback that runs here that its handler has failed, and is answered for.
///
/// Does nothing where nobody watches. The first failure of a callback counts.
pub fn note_failure(kind: FailureKind, reason: impl Into<String>) {
    FailureSlot::current().note(kind, reason);
}

/// Where the failure of one callback's handler is noted, for whoever watches it.
///
/// It goes with the task, as a span does: whoever has a handler run in a task of its own takes it there.
#[derive(Clone, Debug, Default)]
pub struct FailureSlot(Option<Arc<OnceLock<Failure>>>);

impl FailureSlot {
    /// An empty one.
    pub fn new() -> Self {
        Self(Some(Arc::default()))
    }

    /// That of the callback that runs here; where nobody watches, one that keeps nothing.
    pub fn current() -> Self {
        CURRENT.try_with(Clone::clone).unwrap_or_default()
    }

    /// Has everything that fails within `callback` noted here.
    pub async fn watch<F: Future>(self, callback: F) -> F::Output {
        match &self.0 {
            Some(_) => CURRENT.scope(self, callback).await,
            None => callback.await,
        }
    }

    /// As [`watch`](Self::watch), for what is done here and now.
    pub fn watch_now<T>(&self, start: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some(_) => CURRENT.sync_scope(self.clone(), start),
            None => start(),
        }
    }

    /// What was noted.
    pub fn noted(&self) -> Option<&Failure> {
        self.0.as_ref()?.get()
    }

    fn note(&self, kind: FailureKind, reason: impl Into<String>) {
        if let Some(slot) = &self.0 {
            // The first is the cause of the others.
            slot.get_or_init(|| Failure { kind, reason: reason.into() });
        }
    }
}

tokio::task_local! {
    static CURRENT: FailureSlot;
}

#[cfg(test)]
mod tests {
    use super::{FailureKind, FailureSlot, note_failure};

    #[tokio::test]
    async fn the_first_failure_of_a_watched_callback_is_kept() {
        note_failure(FailureKind::Error, "nobody watches");
        let slot = FailureSlot::new();
        let callback = async {
            note_failure(FailureKind::Panic, "first");
            FailureSlot::current().watch(async { note_failure(FailureKind::Error, "second") }).await;
        };
        slot.clone().watch(callback).await;
        slot.watch_now(|| note_failure(FailureKind::Reply, "third"));
        let noted = slot.noted().unwrap();
        assert_eq!((noted.kind.as_str(), &*noted.reason), ("panic", "first"));
        assert_eq!(FailureSlot::current().noted(), None);
    }
}
