//! Records the panic of a handler, so that the callback can report it: the JSON-RPC response only shows an error.

use std::sync::{Arc, OnceLock};

use agentwire_control::{CallbackError, FailureKind, Reply, panics::catch_call};

/// Reports that the handler of the request that runs in this task panicked.
///
/// Does nothing outside [`FailureSlot::report`]. The first failure of a request counts, since it causes the others.
pub(crate) fn note_panic(reason: &str) {
    if let Ok(slot) = CURRENT.try_with(Clone::clone) {
        slot.0.get_or_init(|| reason.to_owned());
    }
}

/// The panic of one request's handler; a handler that runs in a task of its own takes the slot there.
#[derive(Clone, Debug, Default)]
pub(crate) struct FailureSlot(Arc<OnceLock<String>>);

impl FailureSlot {
    /// Returns the slot of the request that runs in this task, or an unused one.
    #[cfg(feature = "rmcp")]
    pub(crate) fn current() -> Self {
        CURRENT.try_with(Clone::clone).unwrap_or_default()
    }

    /// Runs `handler` with this slot.
    #[cfg(feature = "rmcp")]
    pub(crate) async fn watch<F: Future>(self, handler: F) -> F::Output {
        CURRENT.scope(self, handler).await
    }

    /// Starts and runs a reply with a slot of its own; a panic in it is the callback's error, with the same answer.
    ///
    /// A panic of `start` is such an error too, since a caller without a driver does not catch it.
    pub(crate) fn report(start: impl FnOnce() -> Reply) -> Reply {
        let slot = Self::default();
        let reply = catch_call(|| CURRENT.sync_scope(slot.clone(), start)).unwrap_or_else(|panic| {
            let error = CallbackError::new(FailureKind::Panic, format!("the MCP server panicked: {panic}"));
            Box::pin(async { Err(error) })
        });
        Box::pin(async move {
            let reply = CURRENT.scope(slot.clone(), reply).await;
            match slot.0.get() {
                Some(reason) => {
                    let answer = reply.or_else(|error| error.answer);
                    Err(CallbackError::new(FailureKind::Panic, reason).with_answer(answer))
                }
                None => reply,
            }
        })
    }
}

tokio::task_local! {
    static CURRENT: FailureSlot;
}
