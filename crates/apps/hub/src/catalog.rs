//! The lists of one server: tools, resources, templates and prompts.

mod list;
mod schema;

use std::{fmt, sync::Arc, time::Duration};

use agentwire_net::head;
use rmcp::{
    Peer, RoleClient,
    model::{Prompt, Resource, ResourceTemplate, Tool},
};

use crate::client::Stale;
use list::{Listed, Reply};
use schema::{Schema, Threads};

/// The lists of one server: tools, resources, resource templates and prompts. Clones are cheap.
///
/// Only lists that the server's capabilities include are requested.
/// A list that can't be read is empty or keeps its last content, and [`problems`](Self::problems) returns the reason.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    tools: Arc<Tools>,
    resources: Arc<Listed<Resource>>,
    templates: Arc<Listed<ResourceTemplate>>,
    prompts: Arc<Listed<Prompt>>,
    instructions: Option<Arc<str>>,
    /// Shared by all listings of the server.
    threads: Threads,
}

impl Catalog {
    /// Returns the tools in the server's order. Of several tools with one name, it contains the first.
    pub fn tools(&self) -> &[Tool] {
        &self.tools.listed.items
    }

    /// Returns the resources.
    pub fn resources(&self) -> &[Resource] {
        &self.resources.items
    }

    /// Returns the resource templates.
    pub fn templates(&self) -> &[ResourceTemplate] {
        &self.templates.items
    }

    /// Returns the prompts. Of several prompts with one name, it contains the first.
    pub fn prompts(&self) -> &[Prompt] {
        &self.prompts.items
    }

    /// Returns the server's instructions for a model, cut to 64 KiB.
    pub fn instructions(&self) -> Option<&str> {
        self.instructions.as_deref()
    }

    /// Returns the lists that could not be read, or only in part.
    pub fn problems(&self) -> impl Iterator<Item = ListProblem> {
        let problem = |list, why: &Option<Arc<str>>| Some(ListProblem { list, why: why.clone()? });
        [
            problem("tools", &self.tools.listed.problem),
            problem("resources", &self.resources.problem),
            problem("resource templates", &self.templates.problem),
            problem("prompts", &self.prompts.problem),
        ]
        .into_iter()
        .flatten()
    }

    /// Returns the schemas of a tool.
    pub(crate) fn schemas(&self, tool: &str) -> Option<&Schemas> {
        let index = self.tools().iter().position(|listed| listed.name == tool)?;
        self.tools.schemas.get(index)
    }

    /// Reads all lists, each within the limit. A list that can't be read in time keeps its content.
    ///
    /// Dropping the future cancels the requests.
    pub(crate) async fn list(&self, peer: &Peer<RoleClient>, limit: Duration) -> Self {
        let prompts = async { self.prompts.or_newer(list::prompts(peer, limit).await) };
        let (tools, (resources, templates), prompts) =
            tokio::join!(self.newer_tools(peer, limit), self.newer_resources(peer, limit), prompts);
        let instructions = peer.peer_info().and_then(|info| {
            info.instructions.as_deref().map(|text| Arc::from(head(text, MAX_INSTRUCTIONS)))
        });
        Self { tools, resources, templates, prompts, instructions, threads: self.threads.clone() }
    }

    /// Reads one kind of list again, as [`list`](Self::list) does.
    pub(crate) async fn refreshed(&self, peer: &Peer<RoleClient>, stale: Stale, limit: Duration) -> Self {
        let mut newer = self.clone();
        match stale {
            Stale::Tools => newer.tools = self.newer_tools(peer, limit).await,
            Stale::Resources => (newer.resources, newer.templates) = self.newer_resources(peer, limit).await,
            Stale::Prompts => newer.prompts = self.prompts.or_newer(list::prompts(peer, limit).await),
        }
        newer
    }

    /// Returns these lists with one kind of list of another catalog.
    pub(crate) fn with(mut self, kind: Stale, from: Self) -> Self {
        match kind {
            Stale::Tools => self.tools = from.tools,
            Stale::Resources => (self.resources, self.templates) = (from.resources, from.templates),
            Stale::Prompts => self.prompts = from.prompts,
        }
        self
    }

    /// Returns whether these are the same lists, and not only equal ones.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.tools, &other.tools)
            && Arc::ptr_eq(&self.resources, &other.resources)
            && Arc::ptr_eq(&self.templates, &other.templates)
            && Arc::ptr_eq(&self.prompts, &other.prompts)
    }

    /// Returns whether lists were requested and none arrived in time.
    pub(crate) fn is_late(&self) -> bool {
        let replies =
            [self.tools.listed.reply, self.resources.reply, self.templates.reply, self.prompts.reply];
        replies.contains(&Reply::Late) && !replies.contains(&Reply::Received)
    }

    async fn newer_tools(&self, peer: &Peer<RoleClient>, limit: Duration) -> Arc<Tools> {
        let listed = self.tools.listed.or_newer(list::tools(peer, limit).await);
        if Arc::ptr_eq(&listed, &self.tools.listed) {
            // The schemas are compiled already.
            return Arc::clone(&self.tools);
        }
        let schemas = listed.items.iter().map(|tool| Schemas::of(tool, &self.threads)).collect();
        Arc::new(Tools { listed, schemas })
    }

    async fn newer_resources(
        &self,
        peer: &Peer<RoleClient>,
        limit: Duration,
    ) -> (Arc<Listed<Resource>>, Arc<Listed<ResourceTemplate>>) {
        let (resources, templates) = tokio::join!(list::resources(peer, limit), list::templates(peer, limit));
        (self.resources.or_newer(resources), self.templates.or_newer(templates))
    }
}

const MAX_INSTRUCTIONS: usize = 64 << 10;

/// Tools, and their schemas in the same order.
#[derive(Debug, Default)]
struct Tools {
    listed: Arc<Listed<Tool>>,
    schemas: Vec<Schemas>,
}

/// The schemas of a tool, for its arguments and its structured content.
#[derive(Debug)]
pub(crate) struct Schemas {
    pub(crate) input: Schema,
    pub(crate) output: Option<Schema>,
}

impl Schemas {
    fn of(tool: &Tool, threads: &Threads) -> Self {
        let of = |text| Schema::new(text, threads);
        Self { input: of(&tool.input_schema), output: tool.output_schema.as_ref().map(of) }
    }
}

/// A list that could not be read, or only in part.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListProblem {
    /// The list: `tools`, `resources`, `resource templates` or `prompts`.
    pub list: &'static str,
    /// The reason.
    pub why: Arc<str>,
}

impl fmt::Display for ListProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the list of {}: {}", self.list, self.why)
    }
}
