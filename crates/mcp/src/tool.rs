//! A tool of the short builder: a name, a schema, and a handler.

mod context;
mod described;

use std::{fmt, future::Future, pin::Pin, sync::Arc};

use agentwire_protocol::{DecodeError, RawJson};
use rmcp::model::{JsonObject, Tool as Listed};
use serde_json::Value;

use crate::{IntoToolOutput, ToolOutput, check::Schema};
pub use context::ToolContext;

/// A tool of a [`Server`](crate::Server).
#[derive(Clone)]
pub struct Tool {
    pub(crate) listed: Listed,
    pub(crate) run: Run,
    /// The listed schemas, compiled once for all sessions.
    pub(crate) input: Arc<Schema>,
    pub(crate) output: Option<Arc<Schema>>,
}

/// Runs a tool on its input: an object.
pub(crate) type Run = Arc<dyn Fn(Input<'_>, ToolContext) -> Running + Send + Sync>;

/// A tool's input, as it came, and as what it is where it was read for its check.
pub(crate) struct Input<'a> {
    pub(crate) text: &'a str,
    #[cfg_attr(not(feature = "schemars"), expect(dead_code, reason = "raw input is text"))]
    pub(crate) object: Option<Value>,
}

#[cfg(feature = "schemars")]
impl Input<'_> {
    fn decode<I: serde::de::DeserializeOwned>(self) -> serde_json::Result<I> {
        if self.object.is_none()
            && let Ok(input) = serde_json::from_str(self.text)
        {
            return Ok(input);
        }
        // An error then has no place in a text that whoever reads it does not see.
        let object = self.object.map_or_else(|| serde_json::from_str(self.text), Ok)?;
        serde_json::from_value(object)
    }
}

pub(crate) type Running = Pin<Box<dyn Future<Output = ToolOutput> + Send>>;

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
        let run: Run = Arc::new(move |input, context| {
            let handler = Arc::clone(&handler);
            let input = input.decode();
            Box::pin(async move {
                match input {
                    Ok(input) => (*handler)(input, context).await.into_tool_output(),
                    Err(error) => {
                        Err::<(), _>(format!("the input does not fit the tool: {error}")).into_tool_output()
                    }
                }
            })
        });
        let listed = Listed::new(name.into(), description.into(), crate::schema::of_input::<I>());
        Self::of(listed, run, Fut::Output::output_schema())
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
        let run: Run = Arc::new(move |input, context| {
            let handler = Arc::clone(&handler);
            let input = RawJson::parse(input.text);
            Box::pin(async move {
                match input {
                    Ok(input) => (*handler)(input, context).await.into_tool_output(),
                    Err(error) => Err::<(), _>(error).into_tool_output(),
                }
            })
        });
        let schema: JsonObject = schema.decode()?;
        let listed = Listed::new(name.into(), description.into(), schema);
        Ok(Self::of(listed, run, Fut::Output::output_schema()))
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.listed.name
    }

    fn of(listed: Listed, run: Run, output: Option<RawJson>) -> Self {
        let input = Arc::new(Schema::new(Value::Object((*listed.input_schema).clone())));
        let tool = Self { listed, run, input, output: None };
        // What has a type has a schema that is an object.
        match output.and_then(|schema| schema.decode().ok()) {
            Some(schema) => tool.declaring(schema),
            None => tool,
        }
    }

    fn declaring(mut self, output: JsonObject) -> Self {
        self.output = Some(Arc::new(Schema::new(Value::Object(output.clone()))));
        self.listed.output_schema = Some(Arc::new(output));
        self
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool").field("listed", &self.listed).finish_non_exhaustive()
    }
}
