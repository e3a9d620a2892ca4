//! Resources and prompts of the short builder.

use std::{fmt::Display, future::Future, pin::Pin, sync::Arc};

use agentwire_control::{FailureKind, note_failure};
use agentwire_hooks::{catch_panic, excerpt};
use rmcp::{
    ErrorData,
    model::{GetPromptResult, JsonObject, Prompt, Resource, ResourceContents, ResourceTemplate},
};

use super::template::fits;

/// A resource, or all that fit a template.
#[derive(Clone)]
pub(super) struct Readable {
    pub(super) listed: Listed,
    read: Handler<String, ResourceContents>,
}

#[derive(Clone)]
pub(super) enum Listed {
    One(Resource),
    Template(ResourceTemplate),
}

/// A prompt, and who makes it.
#[derive(Clone)]
pub(super) struct OfferedPrompt {
    pub(super) listed: Prompt,
    get: Handler<JsonObject, GetPromptResult>,
}

type Handler<I, O> = Arc<dyn Fn(I) -> Pin<Box<dyn Future<Output = Result<O, String>> + Send>> + Send + Sync>;

impl Readable {
    pub(super) fn one<F, Fut, D>(resource: Resource, read: F) -> Self
    where
        F: Fn(String) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<ResourceContents, D>> + Send,
        D: Display,
    {
        Self { listed: Listed::One(resource), read: handler(read) }
    }

    pub(super) fn template<F, Fut, D>(template: ResourceTemplate, read: F) -> Self
    where
        F: Fn(String) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<ResourceContents, D>> + Send,
        D: Display,
    {
        Self { listed: Listed::Template(template), read: handler(read) }
    }

    /// Whether this URI is the resource's, or one of those that the template stands for.
    pub(super) fn has(&self, uri: &str) -> bool {
        match &self.listed {
            Listed::One(resource) => resource.uri == uri,
            Listed::Template(template) => fits(&template.uri_template, uri),
        }
    }

    pub(super) async fn read(&self, uri: String) -> Result<ResourceContents, ErrorData> {
        guarded((self.read)(uri)).await
    }
}

impl OfferedPrompt {
    pub(super) fn new<F, Fut, D>(listed: Prompt, get: F) -> Self
    where
        F: Fn(JsonObject) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<GetPromptResult, D>> + Send,
        D: Display,
    {
        Self { listed, get: handler(get) }
    }

    pub(super) async fn get(&self, arguments: JsonObject) -> Result<GetPromptResult, ErrorData> {
        let required = self.listed.arguments.iter().flatten();
        let required = required.filter(|argument| argument.required == Some(true));
        let missing: Vec<_> = required
            .filter(|argument| !arguments.contains_key(&argument.name))
            .map(|argument| format!("`{}`", argument.name))
            .collect();
        if !missing.is_empty() {
            let why = format!("the prompt `{}` needs {}", self.listed.name, missing.join(", "));
            return Err(ErrorData::invalid_params(why, None));
        }
        guarded((self.get)(arguments)).await
    }
}

fn handler<I, O, F, Fut, D>(handler: F) -> Handler<I, O>
where
    I: Send + 'static,
    F: Fn(I) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<O, D>> + Send,
    D: Display,
{
    let handler = Arc::new(handler);
    Arc::new(move |input| {
        let handler = Arc::clone(&handler);
        Box::pin(
            async move { (*handler)(input).await.map_err(|error| excerpt(&error.to_string()).into_owned()) },
        )
    })
}

/// The output, or an error of JSON-RPC's: it is no tool, so there is no result that a model could read.
async fn guarded<O>(running: impl Future<Output = Result<O, String>>) -> Result<O, ErrorData> {
    let output = catch_panic(running).await.unwrap_or_else(|panic| {
        note_failure(FailureKind::Panic, &*panic);
        Err(format!("it panicked: {panic}"))
    });
    output.map_err(|why| ErrorData::internal_error(why, None))
}
