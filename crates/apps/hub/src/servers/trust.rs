//! Trust in the servers of project files.

use std::{collections::HashSet, path::Path};

use crate::{
    ServerName,
    config::{Configuration, Configured, Edit, Origin},
};

/// The trusted definitions.
#[derive(Debug, Default)]
pub(crate) struct Trust {
    /// Whether all definitions are trusted.
    pub(crate) everything: bool,
    pub(crate) fingerprints: HashSet<String>,
}

impl Trust {
    pub(crate) fn covers(&self, server: &Configured) -> bool {
        !matches!(server.origin, Origin::Project(_))
            || self.everything
            || self.fingerprints.contains(&server.fingerprint())
    }

    /// Returns the effective servers. An untrusted server is replaced by the user's server of the same name, if there is one.
    pub(crate) fn choose(&self, configuration: &Configuration) -> Vec<Configured> {
        let chosen = configuration.servers.iter().map(|server| {
            let replaced = configuration.replaced.iter().find(|replaced| replaced.name == server.name);
            let mut chosen = replaced.filter(|_| !self.covers(server)).unwrap_or(server).clone();
            chosen.is_trusted = self.covers(&chosen);
            chosen
        });
        chosen.collect()
    }
}

/// An edit by the program, which needs no new trust.
#[derive(Debug)]
pub(crate) struct Edited<'a> {
    pub(crate) server: &'a ServerName,
    pub(crate) edit: &'a Edit,
    /// The edited file, if the caller named one.
    pub(crate) file: Option<&'a Path>,
    /// The effective server before the edit.
    pub(crate) before: Option<&'a Configured>,
}

impl Edited<'_> {
    /// Returns whether a definition is that of the edited server, and differs only by this edit.
    pub(crate) fn made(&self, after: &Configured) -> bool {
        after.name == *self.server
            && match self.edit {
                Edit::Add(config) => {
                    **config == after.config && after.origin.file().map(|file| file.as_path()) == self.file
                }
                Edit::AlwaysAllow { tool, .. } | Edit::ToolEnabled { tool, .. } => {
                    self.before.is_some_and(|before| {
                        before.is_trusted
                            && before.fingerprint_without(tool) == after.fingerprint_without(tool)
                    })
                }
                _ => false,
            }
    }
}
