//! Our end of the task that follows the configuration.

use std::{path::PathBuf, sync::Arc};

use tokio::{
    sync::{Notify, mpsc, oneshot},
    task::AbortHandle,
};

use super::reload::Reload;
use crate::{
    ServerName,
    config::{Edit, EditError},
};

/// The task that follows the configuration, for as long as this is there.
#[derive(Debug)]
pub(super) struct Follow {
    wishes: mpsc::Sender<Wish>,
    applied: Arc<Notify>,
    task: AbortHandle,
}

/// What is asked of the task.
#[derive(Debug)]
pub(super) enum Wish {
    Edit {
        /// The file, where it is not that of the server.
        file: Option<PathBuf>,
        server: ServerName,
        edit: Edit,
        done: oneshot::Sender<Result<(), EditError>>,
    },
    Reload(oneshot::Sender<()>),
}

impl Follow {
    pub(super) fn start(reload: Reload) -> Self {
        let (wishes, asked) = mpsc::channel(WISHES);
        let applied = Arc::<Notify>::default();
        let task = tokio::spawn(reload.run(asked, Arc::clone(&applied))).abort_handle();
        Self { wishes, applied, task }
    }

    pub(super) async fn edit(
        &self,
        file: Option<PathBuf>,
        server: ServerName,
        edit: Edit,
    ) -> Result<(), EditError> {
        let (done, answer) = oneshot::channel();
        self.ask(Wish::Edit { file, server, edit, done }, answer).await.unwrap_or(Err(EditError::Closed))
    }

    pub(super) async fn reload(&self) {
        let (done, answer) = oneshot::channel();
        _ = self.ask(Wish::Reload(done), answer).await;
    }

    /// What the task answers; `None` where there is no task any more, because the hub is closed.
    async fn ask<T>(&self, wish: Wish, answer: oneshot::Receiver<T>) -> Option<T> {
        _ = self.wishes.send(wish).await;
        tokio::select! {
            biased;
            answer = answer => answer.ok(),
            // A wish that is sent while the task ends may be left in the channel, and its answer with it.
            () = self.wishes.closed() => None,
        }
    }

    /// Another configuration was applied, whose servers may have other files to watch.
    pub(super) fn applied(&self) {
        self.applied.notify_one();
    }

    /// Nothing is watched or read any more.
    pub(super) fn stop(&self) {
        self.task.abort();
    }
}

impl Drop for Follow {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Those who ask more at once wait.
const WISHES: usize = 16;

#[cfg(test)]
mod tests {
    use std::{fs, sync::mpsc, thread, time::Duration};

    use tokio::{task::JoinSet, time::timeout};

    use crate::{
        Hub,
        config::{EditError, Sources, hold},
    };

    const LIMIT: Duration = Duration::from_secs(30);

    #[tokio::test]
    async fn a_change_that_is_made_while_the_hub_is_closed_is_whole_and_nobody_waits_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(".mcp.json");
        let text = |disabled| {
            format!("{{\"servers\": {{\"a\": {{\"command\": \"x\", \"disabled\": {disabled}}}}}}}\n")
        };
        fs::write(&file, text(true)).unwrap();
        let hub = Hub::builder().sources(Sources::new().project(folder.path())).enabled(false).build();
        let (held, is_held) = mpsc::channel();
        let (release, released) = mpsc::channel::<()>();
        let holder = thread::spawn(move || {
            let _held = hold();
            held.send(()).unwrap();
            _ = released.recv();
        });
        is_held.recv().unwrap();
        let mut changes = JoinSet::new();
        let first = hub.clone();
        changes.spawn(async move { first.set_disabled("a", false).await });
        let wishes = hub.inner.follow.wishes.clone();
        let taken = async {
            // It is put into the channel, and taken out of it when it is begun.
            while wishes.capacity() == wishes.max_capacity() {
                tokio::task::yield_now().await;
            }
            while wishes.capacity() < wishes.max_capacity() {
                tokio::task::yield_now().await;
            }
        };
        timeout(LIMIT, taken).await.unwrap();
        // Some of these wait in the channel, and some for room in it.
        for seconds in 1..=32 {
            let hub = hub.clone();
            changes.spawn(async move { hub.set_timeout("a", Duration::from_secs(seconds)).await });
        }
        while wishes.capacity() > 0 {
            tokio::task::yield_now().await;
        }
        timeout(LIMIT, hub.close()).await.unwrap();
        while let Some(change) = timeout(LIMIT, changes.join_next()).await.unwrap() {
            assert!(matches!(change.unwrap(), Err(EditError::Closed)));
        }
        timeout(LIMIT, hub.reload()).await.unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), text(true));
        drop(release);
        holder.join().unwrap();
        let made = async {
            while fs::read_to_string(&file).unwrap() == text(true) {
                tokio::task::yield_now().await;
            }
        };
        timeout(LIMIT, made).await.unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), text(false));
    }
}
