//! The definitions of tools that the configuration always allows: a changed definition needs approval again.

use std::{
    collections::HashMap,
    hash::{BuildHasher as _, RandomState},
    sync::{Arc, Mutex, MutexGuard},
};

use rmcp::model::Tool;

use super::Record;
use crate::{
    config::{Launch, ServerConfig},
    lock::locked,
};

/// The tool definitions of one server that need no approval: as the server first listed them in this run, or as they were
/// first allowed.
#[derive(Clone, Debug)]
pub(crate) struct Allowed(Arc<Mutex<Definitions>>);

#[derive(Debug)]
pub(super) struct Definitions {
    /// How the server is reached. Another server has other tools.
    launch: Launch,
    tools: HashMap<String, Definition>,
    hasher: RandomState,
}

#[derive(Debug)]
pub(crate) struct Definition {
    allowed: u64,
    listed: u64,
}

impl Allowed {
    /// Creates an empty set for a server that is reached in this way.
    pub(crate) fn new(launch: &Launch) -> Self {
        let (tools, hasher) = (HashMap::new(), RandomState::new());
        Self(Arc::new(Mutex::new(Definitions { launch: launch.clone(), tools, hasher })))
    }

    /// Returns whether this definition is allowed.
    pub(crate) fn has(&self, tool: &Tool) -> bool {
        let definitions = self.lock();
        let hash = definitions.hash(tool);
        definitions.tools.get(&*tool.name).is_some_and(|definition| definition.allowed == hash)
    }

    /// Allows this definition of a tool from now on. Returns the definition that was allowed before.
    pub(crate) fn accept(&self, tool: &Tool) -> Option<Definition> {
        let mut definitions = self.lock();
        let hash = definitions.hash(tool);
        definitions.put(tool, Definition { allowed: hash, listed: hash })
    }

    /// Undoes an [`accept`](Self::accept).
    pub(crate) fn restore(&self, tool: &Tool, before: Option<Definition>) {
        let mut definitions = self.lock();
        match before {
            Some(before) => _ = definitions.put(tool, before),
            None => _ = definitions.tools.remove(&*tool.name),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Definitions> {
        locked(&self.0)
    }
}

impl Definitions {
    /// Applies another configuration to the tools that the server has listed.
    pub(super) fn configure(&mut self, config: &ServerConfig, tools: &[Tool], record: &Record) {
        if self.launch == config.launch {
            self.list(config, tools, record);
        } else {
            // The tools belong to another server.
            self.tools.clear();
            self.launch = config.launch.clone();
        }
    }

    /// Notes the listed tools. A change of an allowed tool is added to the record, but no further change.
    pub(super) fn list(&mut self, config: &ServerConfig, tools: &[Tool], record: &Record) {
        for tool in tools.iter().filter(|tool| config.always_allow.matches(&tool.name)) {
            let hash = self.hash(tool);
            match self.tools.get_mut(&*tool.name) {
                Some(definition) => {
                    if definition.allowed != hash && definition.listed == definition.allowed {
                        record.note(&format!(
                            "the tool `{}` has changed its title, description, schemas or annotations: calls of it \
                             are asked about, although the configuration allows them",
                            tool.name
                        ));
                    }
                    definition.listed = hash;
                }
                None => _ = self.put(tool, Definition { allowed: hash, listed: hash }),
            }
        }
    }

    /// Adds a tool, and returns its earlier definition. A tool beyond the limit needs approval.
    fn put(&mut self, tool: &Tool, definition: Definition) -> Option<Definition> {
        let has_room = self.tools.len() < MAX_TOOLS || self.tools.contains_key(&*tool.name);
        has_room.then(|| self.tools.insert(tool.name.clone().into_owned(), definition)).flatten()
    }

    /// Hashes what a model or a user sees of a tool. The key is random, so that no server can construct a collision.
    fn hash(&self, tool: &Tool) -> u64 {
        let Tool { title, description, input_schema, output_schema, annotations, .. } = tool;
        let annotations = serde_json::to_value(annotations).unwrap_or_default();
        self.hasher.hash_one((title, description, input_schema, output_schema, annotations))
    }
}

/// The maximum length of a list of tools.
const MAX_TOOLS: usize = 10_000;
