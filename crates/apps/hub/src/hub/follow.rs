//! The handle to the task that follows the configuration.

use std::{path::PathBuf, sync::Arc};

use tokio::sync::{Notify, mpsc, oneshot};
use tokio_util::task::AbortOnDropHandle;

use super::reload::Reload;
use crate::{
    ServerName,
    config::{Edit, EditError},
};

/// A handle to the task that follows the configuration. Dropping it aborts the task.
#[derive(Debug)]
pub(super) struct Follow {
    requests: mpsc::Sender<Request>,
    applied: Arc<Notify>,
    task: AbortOnDropHandle<()>,
}

/// A request to the task.
#[derive(Debug)]
pub(super) enum Request {
    Edit {
        /// The file to edit; `None` for the file of the server.
        file: Option<PathBuf>,
        server: ServerName,
        edit: Edit,
        done: oneshot::Sender<Result<(), EditError>>,
    },
    Reload(oneshot::Sender<()>),
}

impl Follow {
    pub(super) fn start(reload: Reload) -> Self {
        let (requests, received) = mpsc::channel(REQUESTS);
        let applied = Arc::<Notify>::default();
        let task = AbortOnDropHandle::new(tokio::spawn(reload.run(received, Arc::clone(&applied))));
        Self { requests, applied, task }
    }

    pub(super) async fn edit(
        &self,
        file: Option<PathBuf>,
        server: ServerName,
        edit: Edit,
    ) -> Result<(), EditError> {
        let request = |done| Request::Edit { file, server, edit, done };
        self.ask(request).await.unwrap_or(Err(EditError::Closed))
    }

    pub(super) async fn reload(&self) {
        _ = self.ask(Request::Reload).await;
    }

    /// Sends a request and returns the answer, or `None` if the hub is closed.
    async fn ask<T>(&self, request: impl FnOnce(oneshot::Sender<T>) -> Request) -> Option<T> {
        let (done, answer) = oneshot::channel();
        _ = self.requests.send(request(done)).await;
        tokio::select! {
            biased;
            answer = answer => answer.ok(),
            // A request that is sent while the task ends may stay in the channel without an answer.
            () = self.requests.closed() => None,
        }
    }

    /// Reports that another configuration was applied: its servers may have other files to watch.
    pub(super) fn applied(&self) {
        self.applied.notify_one();
    }

    /// Aborts the task.
    pub(super) fn stop(&self) {
        self.task.abort();
    }
}

/// How many requests are queued; further callers wait.
const REQUESTS: usize = 16;

#[cfg(test)]
mod tests {
    use std::{fs, time::Duration};

    use agentwire_testkit::eventually;
    use tokio::{task::JoinSet, time::timeout};

    use crate::{
        Hub,
        config::{EditError, Sources, hold},
    };

    const LIMIT: Duration = Duration::from_secs(30);

    #[tokio::test]
    #[expect(clippy::await_holding_lock, reason = "only the thread that writes the file waits for it")]
    async fn changes_end_when_the_hub_is_closed_and_a_started_change_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(".mcp.json");
        let text = |disabled| {
            format!("{{\"servers\": {{\"a\": {{\"command\": \"x\", \"disabled\": {disabled}}}}}}}\n")
        };
        fs::write(&file, text(true)).unwrap();
        let hub = Hub::builder().sources(Sources::new().project(folder.path())).enabled(false).build();
        let held = hold();
        let mut changes = JoinSet::new();
        let first = hub.clone();
        changes.spawn(async move { first.set_disabled("a", false).await });
        let requests = hub.inner.follow.requests.clone();
        let taken = async {
            // The task takes the request out of the channel when it starts the change.
            while requests.capacity() == requests.max_capacity() {
                tokio::task::yield_now().await;
            }
            while requests.capacity() < requests.max_capacity() {
                tokio::task::yield_now().await;
            }
        };
        timeout(LIMIT, taken).await.unwrap();
        // More requests than the channel has room for.
        for seconds in 1..=32 {
            let hub = hub.clone();
            changes.spawn(async move { hub.set_timeout("a", Duration::from_secs(seconds)).await });
        }
        eventually(|| requests.capacity() == 0).await;
        timeout(LIMIT, hub.close()).await.unwrap();
        while let Some(change) = timeout(LIMIT, changes.join_next()).await.unwrap() {
            assert!(matches!(change.unwrap(), Err(EditError::Closed)));
        }
        timeout(LIMIT, hub.reload()).await.unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), text(true));
        drop(held);
        eventually(|| fs::read_to_string(&file).unwrap() != text(true)).await;
        assert_eq!(fs::read_to_string(&file).unwrap(), text(false));
    }
}
