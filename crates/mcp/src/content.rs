//! The content that handlers return.

mod into;
mod reply;

use data_encoding::BASE64;
use serde::Serialize;
use serde_json::{Map, Value, json};

pub use into::{IntoToolOutput, Json};
pub use reply::{PromptMessages, ResourceBody};

/// The result of a tool call: content for the model, structured content, and whether it is an error.
///
/// An error is a result too: the model reads it and can try something else.
///
/// ```
/// use agentwire_mcp::ToolOutput;
/// use serde_json::json;
///
/// // `and` takes any other content block of MCP, here one with annotations.
/// let note = json!({"type": "text", "text": "for the log", "annotations": {"audience": ["user"]}});
/// let output = ToolOutput::text("done").and(note);
/// # drop(output);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "rmcp", derive(serde::Deserialize), serde(default))]
#[serde(rename_all = "camelCase")]
pub struct ToolOutput {
    content: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<Value>,
    is_error: bool,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<Map<String, Value>>,
}

impl ToolOutput {
    /// Creates an output of one text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::default().and_text(text)
    }

    /// Creates an output of one image, from its bytes and its MIME type, such as `image/png`.
    pub fn image(bytes: &[u8], mime_type: impl Into<String>) -> Self {
        Self::default().and_image(bytes, mime_type)
    }

    /// Creates an error result with the reason as its text.
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::text(text) }
    }

    /// Creates structured content (`structuredContent`), and the same content as text for clients that read only text.
    ///
    /// It must serialize as an object: a struct with named fields, or a map. Anything else becomes an error result.
    /// A handler that returns [`Json`] instead declares the schema too.
    pub fn structured(value: impl Serialize) -> Self {
        match serde_json::to_value(value) {
            Ok(structured) => Self::text(structured.to_string()).with_structured(structured),
            Err(error) => Self::error(format!("the tool's output can't be written: {error}")),
        }
    }

    /// Sets the structured content (`structuredContent`), which must be an object. Anything else becomes an error result.
    ///
    /// The model then reads the structured content instead of the text (CLI 2.1.330).
    #[must_use]
    pub fn with_structured(mut self, object: Value) -> Self {
        if !object.is_object() {
            return Self::error("the tool's output is not an object, which structured content must be");
        }
        self.structured_content = Some(object);
        self
    }

    /// Adds a text.
    #[must_use]
    pub fn and_text(self, text: impl Into<String>) -> Self {
        self.and(json!({"type": "text", "text": text.into()}))
    }

    /// Adds an image.
    #[must_use]
    pub fn and_image(self, bytes: &[u8], mime_type: impl Into<String>) -> Self {
        self.and(json!({"type": "image", "data": BASE64.encode(bytes), "mimeType": mime_type.into()}))
    }

    /// Adds a sound, from its bytes and its MIME type, such as `audio/wav`.
    #[must_use]
    pub fn and_audio(self, bytes: &[u8], mime_type: impl Into<String>) -> Self {
        self.and(json!({"type": "audio", "data": BASE64.encode(bytes), "mimeType": mime_type.into()}))
    }

    /// Adds a link to a resource (`resource_link`), by its URI and name.
    #[must_use]
    pub fn and_link(self, uri: impl Into<String>, name: impl Into<String>) -> Self {
        self.and(json!({"type": "resource_link", "uri": uri.into(), "name": name.into()}))
    }

    /// Adds a text with a URI (`resource`).
    #[must_use]
    pub fn and_resource(self, uri: impl Into<String>, text: impl Into<String>) -> Self {
        self.and_body(uri, ResourceBody::text(text))
    }

    /// Adds bytes with a URI and a MIME type (`resource`).
    #[must_use]
    pub fn and_blob(self, uri: impl Into<String>, bytes: &[u8], mime_type: impl Into<String>) -> Self {
        self.and_body(uri, ResourceBody::bytes(bytes).mime_type(mime_type))
    }

    /// Adds any content block of MCP, as JSON.
    #[must_use]
    pub fn and(mut self, block: Value) -> Self {
        self.content.push(block);
        self
    }

    /// Sets a key of the result's `_meta`.
    #[must_use]
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.meta.get_or_insert_default().insert(key.into(), value.into());
        self
    }

    fn and_body(self, uri: impl Into<String>, body: ResourceBody) -> Self {
        self.and(json!({"type": "resource", "resource": body.field("uri", uri.into())}))
    }
}
