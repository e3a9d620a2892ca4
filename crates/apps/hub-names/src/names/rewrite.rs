//! Replaces the URIs in results and tools by unique URIs.

use rmcp::model::{ContentBlock, MetaObject, ResourceContents};
use serde_json::Value;

use super::Uris;
use crate::ServerName;

/// Replaces the URIs in what one server sends by unique URIs.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "it is a set of references")]
pub struct Rewrite<'a> {
    /// The URIs of all servers.
    pub uris: &'a Uris,
    /// The server.
    pub server: &'a ServerName,
    /// The server's URI of the resource that was read, and the URI in the client's request.
    pub requested: Option<(&'a str, &'a str)>,
}

impl Rewrite<'_> {
    /// Replaces the URI of a link or of an embedded resource.
    pub fn block(&self, block: &mut ContentBlock) {
        match block {
            ContentBlock::ResourceLink(link) => self.uri(&mut link.uri),
            ContentBlock::Resource(embedded) => self.contents(&mut embedded.resource),
            _ => {}
        }
    }

    /// Replaces the URI of the contents of a resource.
    pub fn contents(&self, contents: &mut ResourceContents) {
        match contents {
            ResourceContents::TextResourceContents { uri, .. }
            | ResourceContents::BlobResourceContents { uri, .. } => self.uri(uri),
            _ => {}
        }
    }

    /// Replaces the URI of a tool's view (MCP Apps) in the metadata of the tool.
    pub fn view(&self, meta: &mut MetaObject) {
        for key in ["ui", "ui/resourceUri", "openai/outputTemplate"] {
            let value = meta.get_mut(key);
            let uri = if key == "ui" { value.and_then(|ui| ui.get_mut("resourceUri")) } else { value };
            if let Some(Value::String(uri)) = uri {
                self.uri(uri);
            }
        }
    }

    fn uri(&self, uri: &mut String) {
        *uri = match self.requested {
            Some((inner, requested)) if inner == *uri => requested.to_owned(),
            _ => self.uris.linked(self.server, uri).into_owned(),
        };
    }
}
