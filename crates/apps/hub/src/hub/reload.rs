//! The task that applies changes of configuration files and of the files that servers depend on.

use std::{
    collections::BTreeSet,
    future::pending,
    path::{Path, PathBuf},
    sync::{Arc, Weak},
    time::Duration,
};

use tokio::{
    sync::{Notify, mpsc},
    time::sleep,
};
use tokio_util::sync::DropGuard;

use super::follow::Request;
use crate::{
    ServerName, ServerState,
    config::{
        Configured, Edit, EditError, Files, Problem, ProblemKind, ServerFiles, Variables, Watch,
        WatchSettings,
    },
    servers::{Edited, Servers},
};

/// The task that reads, edits and watches the configuration, one step at a time.
#[derive(Debug)]
pub(super) struct Reload {
    files: Files,
    variables: Variables,
    servers: Weak<Servers>,
    settings: WatchSettings,
    /// Dropped when all files are watched for the first time, or can't be. The servers start then.
    until_watched: Option<DropGuard>,
    /// `None` while there is nothing to watch.
    watch: Option<Watch>,
    /// The files that servers depend on.
    server_files: ServerFiles,
    /// The reasons why files are not watched properly.
    unwatched: Vec<Arc<str>>,
    /// Whether a file system did not answer at the last reading. Its later answer is not reported as a change.
    is_unread: bool,
}

impl Reload {
    pub(super) fn new(files: Files, settings: WatchSettings, servers: &Arc<Servers>) -> Self {
        let setting = servers.setting();
        Self {
            files,
            variables: setting.variables.clone(),
            servers: Arc::downgrade(servers),
            settings,
            until_watched: Some(setting.files_watched.clone().drop_guard()),
            watch: None,
            server_files: ServerFiles::default(),
            unwatched: Vec::new(),
            is_unread: false,
        }
    }

    /// Runs until the handle is dropped.
    pub(super) async fn run(mut self, mut requests: mpsc::Receiver<Request>, applied: Arc<Notify>) {
        self.is_unread = self.servers.upgrade().is_some_and(|servers| is_unread(&servers.problems()));
        self.watch_servers().await;
        // The files may have changed after they were read and before they were watched.
        if !self.unwatched.is_empty() || self.files.are_changed().await {
            self.reload().await;
        }
        self.until_watched = None;
        loop {
            tokio::select! {
                request = requests.recv() => match request {
                    Some(request) => self.handle(request).await,
                    None => return,
                },
                () = applied.notified() => self.watch_servers().await,
                Some(paths) = async { Some(self.watch.as_ref()?.changed().await) } => self.follow(&paths).await,
                // A file system that hangs must not hide changes on other file systems, nor its own answer.
                () = stalled(self.watch.as_ref(), self.is_unread, self.settings.poll) => {
                    if self.files.are_changed().await {
                        self.reload().await;
                    }
                }
            }
        }
    }

    async fn handle(&mut self, request: Request) {
        // The caller may have dropped its future.
        match request {
            Request::Reload(done) => {
                self.reload().await;
                _ = done.send(());
            }
            Request::Edit { file, server, edit, done } => {
                let before = self.configured(&server);
                let result = self.edit(file.clone(), server.clone(), edit.clone()).await;
                if self.files.are_changed().await {
                    let file = file.map(|file| absolute(&file));
                    let (file, before) = (file.as_deref(), before.as_deref());
                    let edited = Edited { server: &server, edit: &edit, file, before };
                    self.reload_after(result.is_ok().then_some(edited)).await;
                }
                _ = done.send(result);
            }
        }
    }

    /// Handles changes of these files.
    async fn follow(&mut self, paths: &BTreeSet<PathBuf>) {
        let is_configuration = self.files.paths().iter().any(|file| paths.contains(file));
        // The warnings of the watcher are part of the problems.
        let has_other_warnings = self.watch.as_ref().is_some_and(|watch| watch.warnings() != self.unwatched);
        if has_other_warnings || is_configuration && self.files.are_changed().await {
            self.reload().await;
        }
        let servers = self.servers.clone();
        let has_failed = |server: &ServerName| {
            let connection = servers.upgrade().and_then(|servers| servers.find(server.as_str()));
            matches!(connection.map(|connection| connection.state()), Some(ServerState::Failed { .. }))
        };
        self.restart_stale(paths, has_failed).await;
    }

    /// Restarts the servers that depend on these changed files.
    async fn restart_stale(&mut self, paths: &BTreeSet<PathBuf>, has_failed: impl Fn(&ServerName) -> bool) {
        let stale = self.server_files.stale(paths, has_failed).await;
        let Some(servers) = self.servers.upgrade() else { return };
        for server in stale {
            let Some(connection) = servers.find(server.as_str()) else { continue };
            tracing::info!(%server, "is restarted, since a file of it has changed");
            connection.want(|desired| desired.touched += u64::from(desired.disabled().is_none()));
        }
    }

    async fn reload(&mut self) {
        self.reload_after(None).await;
    }

    async fn reload_after(&mut self, edited: Option<Edited<'_>>) {
        let Some(mut configuration) = self.files.read().await else { return };
        let chosen = self.servers.upgrade().map(|servers| servers.choose(&configuration, edited.as_ref()));
        let Some(chosen) = chosen else { return };
        self.is_unread = is_unread(&configuration.problems);
        // The watch comes first, so that no later change is missed.
        self.watch(&chosen).await;
        configuration.problems.extend(self.unwatched.iter().map(|why| Problem::unwatched(why)));
        if let Some(servers) = self.servers.upgrade() {
            servers.apply(configuration);
        }
    }

    async fn edit(&self, file: Option<PathBuf>, server: ServerName, edit: Edit) -> Result<(), EditError> {
        let all = self.files.paths();
        let file = match (file, self.configured(&server)) {
            (Some(file), _) => absolute(&file),
            (None, Some(configured)) => match configured.origin.file() {
                Some(file) => absolute(file),
                None => return Err(EditError::NoFile { server: server.to_string() }),
            },
            // An invalid server is not in the list, but in one of the files.
            (None, None) => return self.files.edit(all, server, edit).await,
        };
        // A server of an applied configuration may be in a file that the hub does not read.
        if !all.contains(&file) {
            return Err(EditError::NotRead { file });
        }
        self.files.edit(vec![file], server, edit).await
    }

    /// Returns the configuration of a server.
    fn configured(&self, server: &ServerName) -> Option<Arc<Configured>> {
        Some(self.servers.upgrade()?.find(server.as_str())?.configured())
    }

    async fn watch_servers(&mut self) {
        let servers = self.servers.upgrade().map(|servers| servers.all()).unwrap_or_default();
        let servers: Vec<_> =
            servers.into_iter().map(|connection| (*connection.configured()).clone()).collect();
        self.watch(&servers).await;
        // Servers of an applied configuration already run, with the content from before the watch.
        let env_files = self.server_files.env_files();
        self.restart_stale(&env_files, |_| false).await;
    }

    /// Watches the configuration files, and the files that these servers depend on.
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
            watch.set(paths).await;
            self.unwatched = watch.warnings();
        }
    }
}

fn is_unread(problems: &[Problem]) -> bool {
    problems.iter().any(|problem| problem.kind == ProblemKind::Unresponsive)
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Waits until changes are not reported, and then for the polling interval.
async fn stalled(watch: Option<&Watch>, is_unread: bool, poll: Duration) {
    match watch {
        _ if is_unread => {}
        Some(watch) => watch.stalled().await,
        None => pending().await,
    }
    sleep(poll).await;
}

#[cfg(test)]
mod tests;
