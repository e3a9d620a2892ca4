//! A tool of the short builder: a name, a schema, and a handler.

use std::{fmt, future::Future, pin::Pin, sync::Arc};

use agentwire_control::Control;
use agentwire_protocol::{RawJson, ToolUseId};
use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use tokio_util::sync::CancellationToken;

use crate::{IntoToolOutput, ToolOutput};

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
        Self { listed: Listed::new(name.into(), description.into(), crate::schema::of::<I>()), run }
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
    ) -> Result<Self, agentwire_protocol::DecodeError>
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
        Ok(Self { listed: Listed::new(name.into(), description.into(), schema), run })
    }

    /// The same, marked as changing nothing (`readOnlyHint`): the CLI then makes several calls at once.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.listed.annotations.get_or_insert_with(ToolAnnotations::default).read_only_hint = Some(true);
        self
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.listed.name
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool").field("listed", &self.listed).finish_non_exhaustive()
    }
}

/// What a tool's handler may know beside its input.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolContext {
    /// Fires when the CLI gives the call up, and when the session ends; the handler is dropped a grace later.
    pub cancelled: CancellationToken,
    /// The tool use, where the CLI tells it (`_meta`, `claudecode/toolUseId`).
    pub tool_use_id: Option<ToolUseId>,
    /// The session: calls from inside a tool work.
    pub control: Control,
}
