//! The task that moves a session, owned by it.

use std::{future::Future, sync::Arc, time::Duration};

use agentwire_control::{Control, Driver};
use agentwire_transport::{Lifeline, Terminate};
use tokio::{sync::Notify, task::JoinHandle, time::sleep};

/// The task that moves a session; dropping it ends the session.
#[derive(Debug)]
pub(super) struct Task {
    control: Control,
    closing: Arc<Notify>,
    join: JoinHandle<()>,
}

/// How long the CLI may take at each step of its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grace {
    pub(super) after_input: Duration,
    pub(super) after_terminate: Duration,
}

impl Task {
    /// Spawns the driver.
    pub(super) fn spawn<F, L>(control: Control, driver: Driver<F>, lifeline: Arc<L>, grace: Grace) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
        L: Lifeline + 'static,
    {
        let closing = Arc::new(Notify::new());
        let asked = Arc::clone(&closing);
        let join = tokio::spawn(async move {
            tokio::select! {
                () = driver.run() => {}
                () = end(&*lifeline, &asked, grace) => {}
            }
        });
        Self { control, closing, join }
    }

    /// Ends the CLI's input, and from then on bounds its life.
    pub(super) fn close(&self) {
        self.control.end_input();
        self.closing.notify_one();
    }

    /// Waits until the task has ended.
    pub(super) async fn ended(&mut self) {
        // A task that was aborted or panicked has ended too.
        if let Err(error) = (&mut self.join).await
            && error.is_panic()
        {
            std::panic::resume_unwind(error.into_panic());
        }
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.join.abort();
    }
}

/// Sees to it that the peer ends, once that is asked for: it is given time, then asked, then made to.
///
/// Returns only when the peer should have been gone for long: the session is given up then.
async fn end(lifeline: &impl Lifeline, asked: &Notify, grace: Grace) {
    asked.notified().await;
    sleep(grace.after_input).await;
    for how in [Terminate::Gently, Terminate::ByForce] {
        if lifeline.terminate(how).is_err() {
            // It can't be told, so it is given up: dropping the lifeline is the transport's last resort.
            return;
        }
        sleep(grace.after_terminate).await;
    }
}
