//! The client's capabilities.

use rmcp::model::{
    ClientCapabilities, ElicitationCapability, FormElicitationCapability, RootsCapabilities,
    SamplingCapability, UrlElicitationCapability,
};

use super::{Caller, Client};
use crate::handlers::ClientHandlers;

impl Client {
    /// Returns the capabilities for a request of this caller.
    pub(crate) fn capabilities_for(&self, caller: Option<&Caller>) -> ClientCapabilities {
        self.capabilities(|can| self.handlers.asks_callers && caller.is_some_and(can))
    }

    /// Returns the capabilities that handlers provide, and `can` for the others.
    pub(super) fn capabilities(&self, can: impl Fn(fn(&Caller) -> bool) -> bool) -> ClientCapabilities {
        let ClientHandlers { elicitation, takes_urls, sampling, .. } = &*self.handlers;
        let has_handler = elicitation.is_some();
        let has_form = has_handler || can(Caller::fills_in_forms);
        let has_url = if has_handler { *takes_urls } else { can(Caller::opens_pages) };
        let mut kinds = ElicitationCapability::new();
        kinds.form = has_form.then(FormElicitationCapability::new);
        kinds.url = has_url.then(UrlElicitationCapability::new);
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = (has_form || has_url).then_some(kinds);
        let has_sampling = sampling.is_some() || can(Caller::samples);
        // Without `tools` and `context`: servers then use a fallback of their own, which works with more clients.
        capabilities.sampling = has_sampling.then(SamplingCapability::default);
        capabilities.roots = self.has_roots().then(|| {
            let mut roots = RootsCapabilities::default();
            roots.list_changed = Some(true);
            roots
        });
        capabilities
    }
}
