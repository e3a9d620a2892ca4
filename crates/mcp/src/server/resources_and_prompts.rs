//! The resources and prompts of a [`Server`](super::Server).

use std::{error::Error, future::Future, pin::Pin, sync::Arc};

use agentwire_control::panics::error_chain;
use serde_json::{Map, Value};

use super::template::fits;
use crate::{Prompt, PromptMessages, Resource, ResourceBody, ResourceTemplate};

/// A resource, or all resources that match a template, and the handler that reads them.
#[derive(Clone)]
pub(super) enum ReadableResource {
    One(Resource, Handler<String, ResourceBody>),
    Template(ResourceTemplate, Handler<String, ResourceBody>),
}

/// A prompt, and the handler that makes its messages.
#[derive(Clone)]
pub(super) struct OfferedPrompt {
    pub(super) listed: Prompt,
    pub(super) get: Handler<Map<String, Value>, PromptMessages>,
}

/// A handler of either; an error is its text and the texts of its sources.
pub(super) type Handler<I, O> =
    Arc<dyn Fn(I) -> Pin<Box<dyn Future<Output = Result<O, String>> + Send>> + Send + Sync>;

impl ReadableResource {
    /// Returns the handler if this URI is the resource's or matches the template.
    pub(super) fn reads(&self, uri: &str) -> Option<&Handler<String, ResourceBody>> {
        let is =
            |listed: &Map<String, Value>, key| listed.get(key).and_then(Value::as_str).map(str::to_owned);
        match self {
            Self::One(resource, read) => (is(&resource.0, "uri")? == uri).then_some(read),
            Self::Template(template, read) => fits(&is(&template.0, "uriTemplate")?, uri).then_some(read),
        }
    }
}

/// Erases the type of a handler.
pub(super) fn handler<I, O, F, Fut, E>(handler: F) -> Handler<I, O>
where
    I: Send + 'static,
    F: Fn(I) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<O, E>> + Send,
    E: Into<Box<dyn Error + Send + Sync>>,
{
    let handler = Arc::new(handler);
    Arc::new(move |input| {
        let handler = Arc::clone(&handler);
        Box::pin(async move { (*handler)(input).await.map_err(|error| error_chain(&*error.into())) })
    })
}
