//! Has the servers follow the files that they are configured in, and those that they are made of.

use std::{
    collections::BTreeSet,
    future::pending,
    path::{Path, PathBuf},
    sync::{Arc, Weak},
    time::Duration,
};

use tokio::{
    sync::{Notify, mpsc},
    time::{sleep, timeout},
};
use tokio_util::sync::DropGuard;

use super::follow::Wish;
use crate::{
    ServerName, ServerState,
    config::{
        Configured, Edit, EditError, Files, Origin, Problem, ServerFiles, Variables, Watch, WatchSettings,
    },
    servers::{Edited, Servers},
};

/// What reads, changes and watches the configuration: one task, so that all of that is done one after the other.
#[derive(Debug)]
pub(super) struct Reload {
    files: Files,
    variables: Variables,
    servers: Weak<Servers>,
    settings: WatchSettings,
    /// Dropped once all is watched for the first time, or can't be: the servers may start then.
    unwatched_yet: Option<DropGuard>,
    /// There is none as long as there is nothing to watch.
    watch: Option<Watch>,
    /// The files that servers are made of.
    server_files: ServerFiles,
    /// Why files are not watched as they should be.
    unwatched: Vec<Arc<str>>,
    /// Whether what was to be watched was not yet when we went on.
    is_late: bool,
}

impl Reload {
    pub(super) fn new(
        files: Files,
        variables: Variables,
        settings: WatchSettings,
        servers: &Arc<Servers>,
        unwatched_yet: DropGuard,
    ) -> Self {
        Self {
            files,
            variables,
            servers: Arc::downgrade(servers),
            settings,
            unwatched_yet: Some(unwatched_yet),
            watch: None,
            server_files: ServerFiles::default(),
            unwatched: Vec::new(),
            is_late: false,
        }
    }

    /// Follows until nobody has wishes any more.
    pub(super) async fn run(mut self, mut wishes: mpsc::Receiver<Wish>, applied: Arc<Notify>) {
        self.watch_servers().await;
        // Since the files were read, and before they were watched.
        if !self.unwatched.is_empty() || self.files.are_changed().await {
            self.reload().await;
        }
        self.unwatched_yet = None;
        loop {
            tokio::select! {
                wish = wishes.recv() => match wish {
                    Some(wish) => self.fulfil(wish).await,
                    None => return,
                },
                () = applied.notified() => self.watch_servers().await,
                () = settled(self.watch.as_ref()), if self.is_late => self.catch_up().await,
                paths = changed(self.watch.as_ref()) => self.follow(&paths).await,
                // One file system that does not answer must not hide changes on others.
                () = stalled(self.watch.as_ref(), self.settings.poll) => {
                    if self.files.are_changed().await {
                        self.reload().await;
                    }
                }
            }
        }
    }

    async fn fulfil(&mut self, wish: Wish) {
        // Who asked may have gone.
        match wish {
            Wish::Reload(done) => {
                self.reload().await;
                _ = done.send(());
            }
            Wish::Edit { file, server, edit, done } => {
                let before = self.servers.upgrade().and_then(|servers| servers.find(server.as_str()));
                let before = before.map(|connection| connection.configured());
                let result = self.edit(file.clone(), server.clone(), edit.clone()).await;
                if self.files.are_changed().await {
                    let file = file.map(|file| absolute(&file));
                    let edited = Edited { edit: &edit, file: file.as_deref(), before: before.as_deref() };
                    self.reload_after(result.is_ok().then_some((&server, edited))).await;
                }
                _ = done.send(result);
            }
        }
    }

    /// These files have changed.
    async fn follow(&mut self, paths: &BTreeSet<PathBuf>) {
        let is_configuration = self.files.paths().iter().any(|file| paths.contains(file));
        // That something can't be watched, or can be again, is among the problems.
        if self.is_unwatched_otherwise() || is_configuration && self.files.are_changed().await {
            self.reload().await;
        }
        let servers = self.servers.clone();
        let has_failed = |server: &ServerName| {
            let connection = servers.upgrade().and_then(|servers| servers.find(server.as_str()));
            matches!(connection.map(|connection| connection.state()), Some(ServerState::Failed { .. }))
        };
        self.restart_stale(paths, has_failed).await;
    }

    /// All is watched at last: what has happened until now was not told.
    async fn catch_up(&mut self) {
        self.is_late = false;
        self.reload().await;
        let env_files = self.server_files.env_files();
        self.restart_stale(&env_files, |_| false).await;
    }

    /// Restarts the servers that are made of these files, now that something has happened to them.
    async fn restart_stale(&mut self, paths: &BTreeSet<PathBuf>, has_failed: impl Fn(&ServerName) -> bool) {
        let stale = self.server_files.stale(paths, has_failed).await;
        let Some(servers) = self.servers.upgrade() else { return };
        for server in stale {
            let Some(connection) = servers.find(server.as_str()) else { continue };
            tracing::info!(%server, "is restarted, since a file of it has changed");
            connection.want(|desired| desired.touched += u64::from(desired.disabled().is_none()));
        }
    }

    fn is_unwatched_otherwise(&self) -> bool {
        let warnings = self.watch.as_ref().map(Watch::warnings);
        warnings.is_some_and(|warnings| !self.is_late && *warnings != *self.unwatched)
    }

    async fn reload(&mut self) {
        self.reload_after(None).await;
    }

    async fn reload_after(&mut self, edited: Option<(&ServerName, Edited<'_>)>) {
        let Some(mut configuration) = self.files.read().await else { return };
        let Some(chosen) = self.servers.upgrade().map(|servers| {
            if let Some((server, edited)) = edited {
                servers.trust_edited(&edited, server, &configuration);
            }
            servers.chosen(&configuration)
        }) else {
            return;
        };
        // First watched, then started: what changes afterwards is seen.
        self.watch(&chosen).await;
        configuration.problems.extend(self.unwatched.iter().map(|why| Problem::unwatched(why)));
        if let Some(servers) = self.servers.upgrade() {
            servers.apply(configuration);
        }
    }

    async fn edit(&self, file: Option<PathBuf>, server: ServerName, edit: Edit) -> Result<(), EditError> {
        let all = self.files.paths();
        let files = match (file.map(|file| absolute(&file)), self.origin(&server)) {
            (Some(file), _) if all.contains(&file) => vec![file],
            (Some(file), _) => return Err(EditError::NotRead { file }),
            // One of a configuration that the program applied may stand in a file that nobody would read again.
            (None, Some(Origin::Project(file) | Origin::Global(file))) if !all.contains(&absolute(&file)) => {
                return Err(EditError::NotRead { file: absolute(&file) });
            }
            (None, Some(Origin::Project(file) | Origin::Global(file))) => vec![absolute(&file)],
            (None, Some(_)) => {
                return Err(EditError::NoFile { server: server.to_string() });
            }
            // One that is too broken to be a server stands in one of them all the same.
            (None, None) => all,
        };
        self.files.edit(files, server, edit).await
    }

    fn origin(&self, server: &ServerName) -> Option<Origin> {
        let connection = self.servers.upgrade()?.find(server.as_str())?;
        Some(connection.configured().origin.clone())
    }

    async fn watch_servers(&mut self) {
        let servers = self.servers.upgrade().map(|servers| servers.all()).unwrap_or_default();
        let servers: Vec<_> =
            servers.into_iter().map(|connection| (*connection.configured()).clone()).collect();
        self.watch(&servers).await;
        // Those that the program has applied run already, with what was in these before they were watched.
        let env_files = self.server_files.env_files();
        self.restart_stale(&env_files, |_| false).await;
    }

    /// Watches the configuration, and what these servers are made of.
    async fn watch(&mut self, servers: &[Configured]) {
        let server_files = ServerFiles::of(servers, &self.variables);
        self.server_files = server_files.after(std::mem::take(&mut self.server_files)).await;
        let paths: Vec<_> =
            self.files.paths().into_iter().chain(self.server_files.paths().cloned()).collect();
        if self.watch.is_none() && !paths.is_empty() {
            match Watch::new(self.settings) {
                Ok(watch) => self.watch = Some(watch),
                Err(error) => {
                    self.unwatched =
                        vec![format!("no file is watched, there is no thread for it: {error}").into()];
                }
            }
        }
        if let Some(watch) = &self.watch {
            // A file system that does not answer holds up nothing else, and that only once.
            let patience = if self.is_late { Duration::ZERO } else { self.settings.patience };
            self.is_late = timeout(patience, watch.set(paths)).await.is_err();
            self.unwatched = watch.warnings().to_vec();
            self.unwatched.extend(self.is_late.then(|| LATE.into()));
        }
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

async fn settled(watch: Option<&Watch>) {
    match watch {
        Some(watch) => watch.settled().await,
        None => pending().await,
    }
}

async fn changed(watch: Option<&Watch>) -> BTreeSet<PathBuf> {
    match watch {
        Some(watch) => watch.changed().await,
        None => pending().await,
    }
}

/// Waits until changes are not reported, and then for the time between two looks at files.
async fn stalled(watch: Option<&Watch>, poll: Duration) {
    match watch {
        Some(watch) => watch.stalled().await,
        None => pending().await,
    }
    sleep(poll).await;
}

const LATE: &str =
    "not all files are watched yet: a folder of theirs, or what is in it, can't be looked at in time";

#[cfg(test)]
mod tests;
