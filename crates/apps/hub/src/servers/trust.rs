//! Which servers of a project's files count.

use std::{collections::HashSet, path::Path};

use crate::config::{Configuration, Configured, Edit, Origin};

/// The definitions that are trusted.
#[derive(Debug, Default)]
pub(crate) struct Trust {
    /// Whether all are.
    pub(crate) everything: bool,
    pub(crate) fingerprints: HashSet<String>,
}

impl Trust {
    pub(crate) fn covers(&self, server: &Configured) -> bool {
        !matches!(server.origin, Origin::Project(_))
            || self.everything
            || self.fingerprints.contains(&server.fingerprint())
    }

    /// The effective servers: an untrusted one is replaced by the server of the user that has the same name.
    pub(crate) fn choose(&self, configuration: &Configuration) -> Vec<Configured> {
        let chosen = configuration.servers.iter().map(|server| {
            let replaced = configuration.replaced.iter().find(|replaced| replaced.name == server.name);
            let counts = replaced.filter(|_| !self.covers(server)).unwrap_or(server);
            let mut counts = counts.clone();
            counts.is_trusted = self.covers(&counts);
            counts
        });
        chosen.collect()
    }
}

/// An edit by the program, which needs no new trust.
#[derive(Debug)]
pub(crate) struct Edited<'a> {
    pub(crate) edit: &'a Edit,
    /// The file, where it is not that of the server.
    pub(crate) file: Option<&'a Path>,
    /// The server that counted before.
    pub(crate) before: Option<&'a Configured>,
}

impl Edited<'_> {
    /// Whether a definition is what this edit made, and nothing else.
    pub(crate) fn made(&self, after: &Configured) -> bool {
        match self.edit {
            Edit::Add(config) => {
                **config == after.config && after.origin.file().map(|file| file.as_path()) == self.file
            }
            Edit::AlwaysAllow { tool, .. } | Edit::ToolEnabled { tool, .. } => {
                self.before.is_some_and(|before| {
                    before.is_trusted && before.fingerprint_without(tool) == after.fingerprint_without(tool)
                })
            }
            _ => false,
        }
    }
}
