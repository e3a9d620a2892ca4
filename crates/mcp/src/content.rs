//! What a tool gives back.

mod base64;
mod into;

use rmcp::model::{CallToolResult, ContentBlock, MetaObject, Resource, ResourceContents};
use serde::Serialize;
use serde_json::{Map, Value};

use base64::base64;
pub use into::IntoToolOutput;

/// What a tool gives back: content for the model, structured content, and whether it is an error.
///
/// An error is a result too: the model reads it and can try something else.
///
/// Whatever else MCP knows of content comes as `rmcp` has it: see [`and`](Self::and), and a handler may return an
/// [`rmcp::model::CallToolResult`] as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolOutput {
    content: Vec<ContentBlock>,
    structured: Option<Value>,
    is_error: bool,
    meta: Option<MetaObject>,
}

impl ToolOutput {
    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::default().and_text(text)
    }

    /// An image, as its bytes and its MIME type, such as `image/png`.
    pub fn image(bytes: &[u8], mime_type: impl Into<String>) -> Self {
        Self::default().and_image(bytes, mime_type)
    }

    /// A text that says what went wrong.
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::text(text) }
    }

    /// Structured content (`structuredContent`), and the same as a text for who reads that alone.
    ///
    /// It must be an object on the wire: a struct with named fields, or a map. Anything else gives an error result.
    /// With [`Json`](crate::Json) in the place of a `ToolOutput` the tool declares the schema too.
    pub fn structured(value: impl Serialize) -> Self {
        match serde_json::to_value(value) {
            Ok(Value::Object(object)) => {
                let structured = Value::Object(object);
                Self::text(structured.to_string()).with_structured(structured)
            }
            Ok(_) => Self::error("the tool's output is no object, which structured content must be"),
            Err(error) => Self::error(format!("the tool's output can't be written: {error}")),
        }
    }

    /// The same, with structured content (`structuredContent`), an object.
    ///
    /// The model then reads that, and not the text beside it (CLI 2.1.330).
    #[must_use]
    pub fn with_structured(mut self, object: Value) -> Self {
        self.structured = Some(object);
        self
    }

    /// The same, and more text.
    #[must_use]
    pub fn and_text(self, text: impl Into<String>) -> Self {
        self.and(ContentBlock::text(text))
    }

    /// The same, and an image.
    #[must_use]
    pub fn and_image(self, bytes: &[u8], mime_type: impl Into<String>) -> Self {
        self.and(ContentBlock::image(base64(bytes), mime_type))
    }

    /// The same, and a sound, as its bytes and its MIME type, such as `audio/wav`.
    #[must_use]
    pub fn and_audio(self, bytes: &[u8], mime_type: impl Into<String>) -> Self {
        self.and(ContentBlock::audio(base64(bytes), mime_type))
    }

    /// The same, and a link to a resource (`resource_link`), by its URI and name.
    #[must_use]
    pub fn and_link(self, uri: impl Into<String>, name: impl Into<String>) -> Self {
        self.and(ContentBlock::resource_link(Resource::new(uri, name)))
    }

    /// The same, and a text with a URI (`resource`).
    #[must_use]
    pub fn and_resource(self, uri: impl Into<String>, text: impl Into<String>) -> Self {
        self.and(ContentBlock::resource(ResourceContents::text(text, uri)))
    }

    /// The same, and bytes with a URI and a MIME type (`resource`).
    #[must_use]
    pub fn and_blob(self, uri: impl Into<String>, bytes: &[u8], mime_type: impl Into<String>) -> Self {
        let blob = ResourceContents::blob(base64(bytes), uri).with_mime_type(mime_type);
        self.and(ContentBlock::resource(blob))
    }

    /// The same, and content as `rmcp` knows it.
    #[must_use]
    pub fn and(mut self, content: ContentBlock) -> Self {
        self.content.push(content);
        self
    }

    /// The same, with this in its `_meta`.
    #[must_use]
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        let meta = self.meta.get_or_insert_with(|| MetaObject(Map::new()));
        meta.0.insert(key.into(), value.into());
        self
    }

    pub(crate) fn is_error(&self) -> bool {
        self.is_error
    }

    pub(crate) fn structured_content(&self) -> Option<&Value> {
        self.structured.as_ref()
    }

    /// The same as a `CallToolResult` is written.
    pub(crate) fn written(&self) -> impl Serialize {
        let Self { content, structured, is_error, meta } = self;
        Written { content, structured_content: structured.as_ref(), is_error: *is_error, meta: meta.as_ref() }
    }

    pub(crate) fn into_result(self) -> CallToolResult {
        let mut result = if self.is_error {
            CallToolResult::error(self.content)
        } else {
            CallToolResult::success(self.content)
        };
        result.structured_content = self.structured;
        result.meta = self.meta;
        result
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written<'a> {
    content: &'a [ContentBlock],
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<&'a Value>,
    is_error: bool,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<&'a MetaObject>,
}

impl From<CallToolResult> for ToolOutput {
    fn from(result: CallToolResult) -> Self {
        let CallToolResult { content, structured_content, is_error, meta, .. } = result;
        Self { content, structured: structured_content, is_error: is_error.unwrap_or_default(), meta }
    }
}
