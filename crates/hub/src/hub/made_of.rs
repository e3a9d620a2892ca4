//! The files that servers are made of, beside those that they are configured in.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    time::Duration,
};

use tokio::{task::spawn_blocking, time::timeout};

use super::files::absolute;
use crate::{
    ServerName,
    config::{Configured, Fingerprint, Variables, variables_file, watched},
};

/// The files that servers are made of: when they change, their servers are to be started anew.
#[derive(Debug, Default)]
pub(super) struct MadeOf {
    /// `watchPaths` and what was built: each change counts.
    watched: BTreeMap<PathBuf, BTreeSet<ServerName>>,
    /// Files of variables: another content counts.
    env: BTreeMap<PathBuf, EnvFile>,
}

#[derive(Debug, Default)]
struct EnvFile {
    servers: BTreeSet<ServerName>,
    /// What it contained when it was looked at last, and could be read.
    seen: Option<Fingerprint>,
}

impl MadeOf {
    /// Those of the servers that are not switched off, and whose variables may have values.
    pub(super) fn of(servers: &[Configured], variables: &Variables) -> Self {
        let mut made_of = Self::default();
        for server in servers.iter().filter(|server| !server.config.disabled && server.is_trusted) {
            for path in watched(server, variables) {
                made_of.watched.entry(absolute(&path)).or_default().insert(server.name.clone());
            }
            if let Some(path) = variables_file(server, variables) {
                made_of.env.entry(absolute(&path)).or_default().servers.insert(server.name.clone());
            }
        }
        made_of
    }

    /// With what is known of files that were there before; looks at those that are new.
    pub(super) async fn after(mut self, before: Self) -> Self {
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

    pub(super) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.watched.keys().chain(self.env.keys())
    }

    /// Files of variables.
    pub(super) fn env_files(&self) -> BTreeSet<PathBuf> {
        self.env.keys().cloned().collect()
    }

    /// The servers that are to be started anew, now that something has happened to these files.
    ///
    /// A file of variables that is gone, or can't be read, changes nothing: a server that runs could not be started again.
    /// One that is there again has its servers started that failed, though it is what it was.
    pub(super) async fn stale(
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

/// What files contain; nothing of any where that takes too long.
async fn fingerprints(paths: Vec<PathBuf>) -> Vec<(PathBuf, Fingerprint)> {
    if paths.is_empty() {
        return Vec::new();
    }
    let look = spawn_blocking(move || {
        let found = Fingerprint::all(paths.iter());
        paths.into_iter().zip(found).collect()
    });
    timeout(LONGEST, look).await.ok().and_then(Result::ok).unwrap_or_default()
}

/// A file system that does not answer must not hold up everything else.
const LONGEST: Duration = Duration::from_secs(5);
