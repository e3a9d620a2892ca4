//! The files that servers depend on, besides their configuration.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use tokio::task::spawn_blocking;

use crate::{
    Configured, ServerName, Variables,
    edit::Fingerprint,
    resolve::{variables_file, watched},
    variables::absolute,
};

/// The files that servers depend on: when a file changes, its servers must be restarted.
#[derive(Debug, Default)]
pub struct ServerFiles {
    /// `watchPaths` and built programs: every change counts.
    watched: BTreeMap<PathBuf, BTreeSet<ServerName>>,
    /// Env files: a change of the content counts.
    env: BTreeMap<PathBuf, EnvFile>,
}

#[derive(Debug, Default)]
struct EnvFile {
    servers: BTreeSet<ServerName>,
    /// Its content at the last reading that succeeded.
    seen: Option<Fingerprint>,
}

impl ServerFiles {
    /// Returns the files of these servers, without those of disabled and of untrusted servers.
    pub fn of(servers: &[Configured], variables: &Variables) -> Self {
        let mut files = Self::default();
        for server in servers.iter().filter(|server| !server.config.disabled && server.is_trusted) {
            for path in watched(server, variables) {
                files.watched.entry(absolute(path)).or_default().insert(server.name.clone());
            }
            if let Some(path) = variables_file(server, variables) {
                files.env.entry(absolute(path)).or_default().servers.insert(server.name.clone());
            }
        }
        files
    }

    /// Takes over the contents of env files that `before` knows, and reads the new ones.
    pub async fn after(mut self, before: Self) -> Self {
        for (path, file) in before.env {
            if let Some(known) = self.env.get_mut(&path) {
                known.seen = file.seen;
            }
        }
        let new = self.env.iter().filter(|(_, file)| file.seen.is_none());
        for (path, found) in fingerprints(new.map(|(path, _)| path.clone()).collect()).await {
            if let Some(file) = self.env.get_mut(&path) {
                file.seen = Some(found);
            }
        }
        self
    }

    /// Returns all paths.
    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.watched.keys().chain(self.env.keys())
    }

    /// Returns the paths of the env files.
    pub fn env_files(&self) -> BTreeSet<PathBuf> {
        self.env.keys().cloned().collect()
    }

    /// Returns the servers to restart after changes of these paths.
    ///
    /// An env file that is missing or unreadable restarts nothing, since its servers could not be started again.
    /// When it is readable again, its servers that have failed are restarted even if its content is unchanged.
    pub async fn stale(
        &mut self,
        paths: &BTreeSet<PathBuf>,
        has_failed: impl Fn(&ServerName) -> bool,
    ) -> BTreeSet<ServerName> {
        let mut stale: BTreeSet<_> =
            paths.iter().filter_map(|path| self.watched.get(path)).flatten().cloned().collect();
        let env = paths.iter().filter(|path| self.env.contains_key(*path)).cloned().collect();
        for (path, found) in fingerprints(env).await {
            let Some(file) = self.env.get_mut(&path) else { continue };
            if !matches!(found, Fingerprint::Content(_)) {
                continue;
            }
            let is_another = file.seen.replace(found).is_some_and(|seen| seen != found);
            stale.extend(file.servers.iter().filter(|server| is_another || has_failed(server)).cloned());
        }
        stale
    }
}

/// Returns the fingerprints of files.
async fn fingerprints(paths: Vec<PathBuf>) -> Vec<(PathBuf, Fingerprint)> {
    if paths.is_empty() {
        return Vec::new();
    }
    let read = spawn_blocking(move || {
        let found = Fingerprint::all(paths.iter());
        paths.into_iter().zip(found).collect()
    });
    read.await.unwrap_or_default()
}
