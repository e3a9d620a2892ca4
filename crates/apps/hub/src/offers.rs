//! A snapshot of the tools, resources and prompts of all connected servers, under unique names.

use std::{fmt, sync::Arc};

use agentwire_hub_names::Uris;
use rmcp::model::{Prompt, Resource, ResourceTemplate};

use crate::{Catalog, Named, NamedTool, Names, Naming, ServerName, ServerSnapshot, llm::DescribedServer};

/// A snapshot of the tools, resources and prompts of all connected servers, under unique names. Clones are cheap.
///
/// It includes servers that are being reconnected, with their last known lists.
/// It excludes disabled tools. Their names stay reserved, as do the names of tools of disconnected servers: while a
/// server lists a tool, its name refers to no other tool. The same applies to the URIs of resources.
#[derive(Clone)]
pub struct Offers {
    inner: Arc<Inner>,
}

struct Inner {
    naming: Naming,
    /// All servers, connected or not.
    servers: Vec<Offering>,
    tools: Vec<NamedTool>,
    tool_names: Names,
    prompts: Vec<Prompt>,
    prompt_names: Names,
    resources: Vec<Resource>,
    templates: Vec<ResourceTemplate>,
    uris: Uris,
}

/// A server and its last known lists. Equal values result in equal offers.
#[derive(Clone)]
pub(crate) struct Offering {
    pub(crate) snapshot: ServerSnapshot,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) is_connected: bool,
}

impl PartialEq for Offering {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.catalog, &other.catalog)
            && self.is_connected == other.is_connected
            && self.snapshot.configured == other.snapshot.configured
    }
}

impl Offers {
    /// Returns the tools, in the order of the servers and of each server's list.
    pub fn tools(&self) -> &[NamedTool] {
        &self.inner.tools
    }

    /// Returns the unique names of the tools, including tools that can't be called now.
    pub fn names(&self) -> &Names {
        &self.inner.tool_names
    }

    /// Returns the servers for a [section](crate::llm::section) of a prompt.
    pub fn described(&self) -> Vec<DescribedServer> {
        connected(&self.inner.servers)
            .map(|server| {
                let catalog = &server.catalog;
                let mut described = DescribedServer::new(server.name().clone());
                described.instructions = catalog.instructions().map(str::to_owned);
                let own = self.inner.tools.iter().filter(|tool| tool.server == *server.name());
                described.tools = own.cloned().collect();
                described.resources = catalog.resources().to_vec();
                described.templates = catalog.templates().to_vec();
                described
            })
            .collect()
    }

    /// Returns the prompts, under their unique names.
    pub(crate) fn prompts(&self) -> &[Prompt] {
        &self.inner.prompts
    }

    /// Returns the unique names of the prompts.
    pub(crate) fn prompt_names(&self) -> &Names {
        &self.inner.prompt_names
    }

    /// Returns the resources, under their unique URIs.
    pub(crate) fn resources(&self) -> &[Resource] {
        &self.inner.resources
    }

    /// Returns the templates, under their unique URIs.
    pub(crate) fn templates(&self) -> &[ResourceTemplate] {
        &self.inner.templates
    }

    /// Returns the unique URIs.
    pub(crate) fn uris(&self) -> &Uris {
        &self.inner.uris
    }

    /// Returns the instructions of each server that has some.
    pub(crate) fn instructions(&self) -> impl Iterator<Item = (&ServerName, &str)> {
        let servers = connected(&self.inner.servers);
        servers.filter_map(|server| Some((server.name(), server.catalog.instructions()?)))
    }

    /// Returns the offers of these servers; a clone of this value if they are unchanged.
    pub(crate) fn renewed(&self, servers: Vec<Offering>) -> Self {
        if servers == self.inner.servers { self.clone() } else { Self::new(self.inner.naming, servers) }
    }

    pub(crate) fn new(naming: Naming, servers: Vec<Offering>) -> Self {
        let names = |items: fn(&Catalog) -> Vec<&str>| {
            let pairs = servers.iter().flat_map(|server| {
                items(&server.catalog).into_iter().map(|item| (server.name().clone(), item))
            });
            Names::new(naming, pairs)
        };
        let named = |server: &Named| servers.iter().find(|one| *one.name() == server.server);
        let tool_names = names(|catalog| catalog.tools().iter().map(|tool| &*tool.name).collect())
            .hiding(|tool| !named(tool).is_some_and(|server| server.offers(&tool.item)));
        let prompt_names = names(|catalog| catalog.prompts().iter().map(|prompt| &*prompt.name).collect())
            .hiding(|prompt| !named(prompt).is_some_and(|server| server.is_connected));
        let uris = uris(&servers);
        let (mut tools, mut prompts) = (Vec::new(), Vec::new());
        let (mut resources, mut templates) = (Vec::new(), Vec::new());
        for offering in connected(&servers) {
            let (server, catalog) = (offering.name(), &offering.catalog);
            for tool in catalog.tools().iter().filter(|tool| offering.offers(&tool.name)) {
                if let Some(name) = tool_names.unique(server.as_str(), &tool.name) {
                    tools.push(NamedTool::new(name, server.clone(), tool.clone()));
                }
            }
            for prompt in catalog.prompts() {
                if let Some(name) = prompt_names.unique(server.as_str(), &prompt.name) {
                    let mut prompt = prompt.clone();
                    prompt.name = name.to_owned();
                    prompts.push(prompt);
                }
            }
            for resource in catalog.resources() {
                let mut resource = resource.clone();
                resource.uri = uris.unique(server, &resource.uri).into_owned();
                resources.push(resource);
            }
            for template in catalog.templates() {
                let mut template = template.clone();
                template.uri_template = uris.unique(server, &template.uri_template).into_owned();
                templates.push(template);
            }
        }
        let inner =
            Inner { naming, servers, tools, tool_names, prompts, prompt_names, resources, templates, uris };
        Self { inner: Arc::new(inner) }
    }
}

impl Offering {
    fn name(&self) -> &ServerName {
        &self.snapshot.configured.name
    }

    /// Returns whether a tool can be called now.
    fn offers(&self, tool: &str) -> bool {
        self.is_connected && self.snapshot.configured.config.enables(tool)
    }
}

fn connected(servers: &[Offering]) -> impl Iterator<Item = &Offering> {
    servers.iter().filter(|server| server.is_connected)
}

/// Returns the URIs of all servers. Those of a disconnected server stay reserved: they must not lead to another server.
fn uris(servers: &[Offering]) -> Uris {
    let mut uris = Uris::default();
    for server in servers {
        uris.add(server.name());
        for resource in server.catalog.resources() {
            uris.add_resource(server.name(), &resource.uri);
        }
        for template in server.catalog.templates() {
            uris.add_template(server.name(), &template.uri_template);
        }
    }
    uris
}

impl fmt::Debug for Offers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.inner.tools.iter().map(|tool| &*tool.name).collect();
        f.debug_struct("Offers").field("tools", &names).finish_non_exhaustive()
    }
}
