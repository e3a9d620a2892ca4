//! Replaces the URIs in results by the gateway's URIs.

use rmcp::model::{ContentBlock, ResourceContents};

use agentwire_hub_names::Uris;

use crate::ServerName;

/// Replaces the URIs in results of one server.
pub(super) struct Rewrite<'a> {
    pub(super) uris: &'a Uris,
    pub(super) server: &'a ServerName,
    /// The server's URI of the resource that was read, and the URI in the client's request.
    pub(super) requested: Option<(&'a str, &'a str)>,
}

impl Rewrite<'_> {
    pub(super) fn block(&self, block: &mut ContentBlock) {
        match block {
            ContentBlock::ResourceLink(link) => self.uri(&mut link.uri),
            ContentBlock::Resource(embedded) => self.contents(&mut embedded.resource),
            _ => {}
        }
    }

    pub(super) fn contents(&self, contents: &mut ResourceContents) {
        match contents {
            ResourceContents::TextResourceContents { uri, .. }
            | ResourceContents::BlobResourceContents { uri, .. } => self.uri(uri),
            _ => {}
        }
    }

    fn uri(&self, uri: &mut String) {
        *uri = match self.requested {
            Some((inner, requested)) if inner == *uri => requested.to_owned(),
            _ => self.uris.linked(self.server, uri).into_owned(),
        };
    }
}
