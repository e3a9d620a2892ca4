//! A tool of a [`Server`](crate::Server): a name, a schema, and a handler.

mod context;
mod metadata;

use std::{future::Future, pin::Pin, sync::Arc};

use agentwire_protocol::{DecodeError, RawJson};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{IntoToolOutput, ToolOutput};
pub use context::ToolContext;

/// A tool of a [`Server`](crate::Server).
#[derive(Clone)]
pub struct Tool {
    name: String,
    /// The tool as `tools/list` returns it.
    pub(crate) listed: Map<String, Value>,
    pub(crate) run: Run,
}

/// Runs a tool on its input, which is an object.
pub(crate) type Run = Arc<dyn Fn(RawJson, ToolContext) -> OutputFuture + Send + Sync>;

pub(crate) type OutputFuture = Pin<Box<dyn Future<Output = ToolOutput> + Send>>;

impl Tool {
    /// Creates a tool with a typed input, from which the input schema is generated.
    ///
    /// The type must serialize as an object, or every call is refused: a struct with named fields, or a tagged enum (not
    /// offered by CLI 2.1.197, which leaves out tools whose schema has `oneOf` at its root).
    /// The CLI rounds integers above 2^53, so use strings for such ids.
    /// Doc comments of the fields become the descriptions that the model reads.
    /// A handler that returns [`Json`](crate::Json) declares the schema of its output too.
    #[cfg(feature = "schemars")]
    pub fn new<I, F, Fut>(name: impl Into<String>, description: impl Into<String>, handler: F) -> Self
    where
        I: serde::de::DeserializeOwned + schemars::JsonSchema + Send + 'static,
        F: Fn(I, ToolContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoToolOutput> + Send,
    {
        let handler = Arc::new(handler);
        let typed = move |input: RawJson, context| {
            let handler = Arc::clone(&handler);
            async move {
                let input =
                    decode(&input).map_err(|error| format!("the input does not fit the tool: {error}"))?;
                Ok::<_, String>((*handler)(input, context).await)
            }
        };
        Self::of(name.into(), description.into(), crate::schema::of_input::<I>(), typed)
    }

    /// Creates a tool with raw JSON as its input, and a JSON schema from the caller.
    ///
    /// # Errors
    ///
    /// If `schema` is not an object, or describes anything but objects: the CLI would drop all tools of the server.
    /// With an otherwise invalid schema, each call fails. A schema without a `type` gets the type `object`.
    pub fn with_schema<F, Fut>(
        name: impl Into<String>,
        description: impl Into<String>,
        schema: &RawJson,
        handler: F,
    ) -> Result<Self, DecodeError>
    where
        F: Fn(RawJson, ToolContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoToolOutput> + Send,
    {
        let InputSchema { .. } = schema.decode()?;
        Ok(Self::of(name.into(), description.into(), Some(schema.decode()?), handler))
    }

    /// Returns the tool's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Creates a tool. Without an input schema, or with an output that can't be structured content, it refuses every call.
    fn of<F, Fut>(name: String, description: String, input: Option<Map<String, Value>>, handler: F) -> Self
    where
        F: Fn(RawJson, ToolContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoToolOutput> + Send,
    {
        let output = Fut::Output::output_schema().map(|schema| schema.decode::<Map<_, _>>());
        let handler = Arc::new(handler);
        let run: Run = match &input {
            Some(_) => Arc::new(move |input, context| {
                let handler = Arc::clone(&handler);
                Box::pin(async move { (*handler)(input, context).await.into_tool_output() })
            }),
            None => Arc::new(|_, _| {
                let why = "the tool's input type is not an object: put its values into a struct";
                Box::pin(async move { ToolOutput::error(why) })
            }),
        };
        let listed = Map::from_iter([
            ("name".to_owned(), Value::String(name.clone())),
            ("description".to_owned(), Value::String(description)),
            ("inputSchema".to_owned(), of_object(input.unwrap_or_default())),
        ]);
        let tool = Self { name, listed, run };
        match output {
            Some(Ok(schema)) => tool.set("outputSchema", of_object(schema)),
            // Structured content must be an object, so the handler's output could never be used.
            Some(Err(_)) => {
                Self { run: Arc::new(|_, _| Box::pin(async { ToolOutput::structured(()) })), ..tool }
            }
            None => tool,
        }
    }

    fn set(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.listed.insert(field.to_owned(), value.into());
        self
    }
}

/// The parts of an input schema that the CLI checks when it lists the tools.
#[derive(Default, Deserialize)]
#[serde(default)]
struct InputSchema {
    #[serde(rename = "type")]
    _type: ObjectType,
    #[serde(rename = "properties")]
    _properties: Map<String, Value>,
    #[serde(rename = "required")]
    _required: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ObjectType {
    #[default]
    Object,
}

/// Returns a schema with the type `object` if it has no type.
///
/// The CLI drops all tools of a server if one of their schemas has no type (2.1.330; output schemas: 2.1.197).
fn of_object(mut schema: Map<String, Value>) -> Value {
    schema.entry("type").or_insert_with(|| "object".into());
    Value::Object(schema)
}

/// Decodes an input as `I`. The error has no line and column, which the model can't use.
#[cfg(feature = "schemars")]
fn decode<I: serde::de::DeserializeOwned>(input: &RawJson) -> Result<I, String> {
    input.decode().or_else(|error| {
        // Of two fields with the same name the last one counts.
        let value = input.decode::<Value>().ok().and_then(|value| serde_json::from_value(value).ok());
        value.ok_or_else(|| match error.path() {
            "" => error.reason().to_owned(),
            path => format!("{path}: {}", error.reason()),
        })
    })
}

agentwire_control::debug_by_name!(Tool { listed });
