//! Which servers of a project's files count.

use std::{collections::HashSet, path::Path};

use super::Hub;
use crate::config::{Configuration, Configured, Edit, Origin};

/// Trust in servers of a project's files.
///
/// A server that is configured in a file of the project is not started, and none of its variables gets a value, before the
/// user or the program has trusted its definition, by its [fingerprint](Configured::fingerprint).
/// Until then it is [`Disabled(Untrusted)`](crate::DisabledBy::Untrusted), or the user's own server of that name counts.
/// A definition that changes is another one: the server ends, and is to be trusted again.
impl Hub {
    /// Trusts the definition with this fingerprint, for as long as the hub is there, and starts its server.
    ///
    /// Returns whether there is a server with this definition now; one that comes later is trusted, too.
    pub fn trust(&self, fingerprint: impl Into<String>) -> bool {
        let is_there = self.inner.servers.trust(fingerprint.into());
        self.inner.follow.applied();
        is_there
    }

    /// The servers of the project's files that are not trusted as they are defined now, switched off or not.
    pub fn untrusted(&self) -> Vec<Configured> {
        self.inner.servers.untrusted()
    }
}

/// The definitions that are trusted.
#[derive(Debug, Default)]
pub(super) struct Trust {
    /// Whether all are.
    pub(super) everything: bool,
    pub(super) fingerprints: HashSet<String>,
}

impl Trust {
    pub(super) fn covers(&self, server: &Configured) -> bool {
        !matches!(server.origin, Origin::Project(_))
            || self.everything
            || self.fingerprints.contains(&server.fingerprint())
    }

    /// The effective servers: an untrusted one is replaced by the server of the user that has the same name.
    pub(super) fn choose(&self, configuration: &Configuration) -> Vec<Configured> {
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
pub(super) struct Edited<'a> {
    pub(super) edit: &'a Edit,
    /// The file, where it is not that of the server.
    pub(super) file: Option<&'a Path>,
    /// The server that counted before.
    pub(super) before: Option<&'a Configured>,
}

impl Edited<'_> {
    /// Whether a definition is what this edit made, and nothing else.
    pub(super) fn made(&self, after: &Configured) -> bool {
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
