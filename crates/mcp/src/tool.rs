//! A tool of the short builder: a name, a schema, and a handler.

mod context;
mod described;

use std::{fmt, future::Future, pin::Pin, sync::Arc};

use agentwire_protocol::{DecodeError, RawJson};
use rmcp::model::{JsonObject, Tool as Listed};

use crate::{IntoToolOutput, ToolOutput};
pub use context::ToolContext;

/// A tool of a [`Server`](crate::Server).
#[derive(Clone)]
pub struct Tool {
    pub(crate) listed: Listed,
    pub(crate) run: Run,
}

/// Runs a tool on its arguments.
pub(crate) type Run = Arc<dyn Fn(JsonObject, ToolContext) -> Running + Send + Sync>;

type Running = Pin<Box<dyn Future<Output = ToolOutput> + Send>>;

impl Tool {
    /// A tool whose input is a type of the caller's: its schema comes from the type.
    ///
    /// The type must be an object on the wire: a struct with named fields, or a tagged enum.
    /// Doc comments of the fields become the descriptions that the model reads.
    /// A handler that gives [`Json`](crate::Json) declares the schema of its output too.
    #[cfg(feature = "schemars")]
    pub fn new<I, F, Fut>(name: impl Into<String>, description: impl Into<String>, handler: F) -> Self
    where
        I: serde::de::DeserializeOwned + schemars::JsonSchema + Send + 'static,
        F: Fn(I, ToolContext) -> Fut + Send + Sync + 'static,
        Fut: Future + Send,
        Fut::Output: IntoToolOutput,
    {
        let handler = Arc::new(handler);
        let run: Run = Arc::new(move |arguments, context| {
            let handler = Arc::clone(&handler);
            Box::pin(async move {
                match serde_json::from_value(serde_json::Value::Object(arguments)) {
                    Ok(input) => (*handler)(input, context).await.into_tool_output(),
                    Err(error) => {
                        Err::<(), _>(format!("the input does not fit the tool: {error}")).into_tool_output()
                    }
                }
            })
        });
        let listed = Listed::new(name.into(), description.into(), crate::schema::of_input::<I>());
        Self { listed, run }.declaring(Fut::Output::output_schema())
    }

    /// A tool whose input is raw JSON, with a JSON schema written by the caller.
    ///
    /// # Errors
    ///
    /// When `schema` is not an object; whether it is a JSON schema shows at the first call.
    pub fn with_schema<F, Fut>(
        name: impl Into<String>,
        description: impl Into<String>,
        schema: &RawJson,
        handler: F,
    ) -> Result<Self, DecodeError>
    where
        F: Fn(RawJson, ToolContext) -> Fut + Send + Sync + 'static,
        Fut: Future + Send,
        Fut::Output: IntoToolOutput,
    {
        let handler = Arc::new(handler);
        let run: Run = Arc::new(move |arguments, context| {
            let handler = Arc::clone(&handler);
            Box::pin(async move {
                match RawJson::encode(&arguments) {
                    Ok(input) => (*handler)(input, context).await.into_tool_output(),
                    Err(error) => Err::<(), _>(error).into_tool_output(),
                }
            })
        });
        let schema: JsonObject = schema.decode()?;
        let listed = Listed::new(name.into(), description.into(), schema);
        Ok(Self { listed, run }.declaring(Fut::Output::output_schema()))
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.listed.name
    }

    fn declaring(mut self, output: Option<RawJson>) -> Self {
        // What has a type has a schema that is an object.
        self.listed.output_schema = output.and_then(|schema| schema.decode().ok()).map(Arc::new);
        self
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool").field("listed", &self.listed).finish_non_exhaustive()
    }
}
