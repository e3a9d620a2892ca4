//! The contents of resources and prompts.

use data_encoding::BASE64;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The contents of a resource: text or bytes. The server adds the requested URI.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct ResourceBody(pub(crate) Map<String, Value>);

impl ResourceBody {
    /// Creates a text of type `text/plain`.
    pub fn text(text: impl Into<String>) -> Self {
        Self(Map::from_iter([("text".to_owned(), Value::String(text.into()))])).mime_type("text/plain")
    }

    /// Creates a body of bytes.
    pub fn bytes(bytes: &[u8]) -> Self {
        Self(Map::from_iter([("blob".to_owned(), Value::String(BASE64.encode(bytes)))]))
    }

    /// Sets the MIME type.
    #[must_use]
    pub fn mime_type(self, mime_type: impl Into<String>) -> Self {
        self.field("mimeType", mime_type.into())
    }

    /// Sets any field by its name in MCP: `_meta`, or a `uri` other than the requested one.
    #[must_use]
    pub fn field(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }
}

/// The messages that a prompt stands for.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PromptMessages {
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    messages: Vec<Value>,
}

impl PromptMessages {
    /// Creates one message of the user.
    pub fn user(text: impl Into<String>) -> Self {
        Self::default().and_user(text)
    }

    /// Adds a message of the user.
    #[must_use]
    pub fn and_user(self, text: impl Into<String>) -> Self {
        self.and("user", json!({"type": "text", "text": text.into()}))
    }

    /// Adds a message of the model.
    #[must_use]
    pub fn and_assistant(self, text: impl Into<String>) -> Self {
        self.and("assistant", json!({"type": "text", "text": text.into()}))
    }

    /// Adds a message of a role, `user` or `assistant`, with any content block of MCP.
    #[must_use]
    pub fn and(mut self, role: &str, content: Value) -> Self {
        self.messages.push(json!({"role": role, "content": content}));
        self
    }

    /// Sets the description of the prompt with these arguments.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.description = Some(text.into());
        self
    }
}
