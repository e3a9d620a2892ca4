//! Optional tool metadata: title, annotations, icons, output schema and `_meta`.

use agentwire_protocol::{DecodeError, RawJson};
use serde_json::{Map, Value};

use super::Tool;
use crate::{Icon, description::push};

impl Tool {
    /// Sets the title for people (`title`, and `annotations.title`, which the CLI reads).
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        let title = title.into();
        self.set("title", title.as_str()).set_in("annotations", "title", title)
    }

    /// Marks the tool as changing nothing (`readOnlyHint`): the CLI then makes several calls at once.
    #[must_use]
    pub fn read_only(self) -> Self {
        self.set_in("annotations", "readOnlyHint", true)
    }

    /// Declares whether the tool can destroy data (`destructiveHint`).
    #[must_use]
    pub fn destructive(self, is: bool) -> Self {
        self.set_in("annotations", "destructiveHint", is)
    }

    /// Declares that a repeated call with the same input has no further effect (`idempotentHint`).
    #[must_use]
    pub fn idempotent(self) -> Self {
        self.set_in("annotations", "idempotentHint", true)
    }

    /// Declares whether the tool reaches external systems (`openWorldHint`).
    #[must_use]
    pub fn open_world(self, is: bool) -> Self {
        self.set_in("annotations", "openWorldHint", is)
    }

    /// Adds an icon.
    #[must_use]
    pub fn icon(mut self, icon: Icon) -> Self {
        push(&mut self.listed, "icons", icon.0);
        self
    }

    /// Sets the JSON schema of the structured content (`outputSchema`), written by the caller.
    ///
    /// Each output is checked against it; a mismatch becomes an error result that lists the violations.
    ///
    /// # Errors
    ///
    /// If `schema` is not an object. If the object is not a valid JSON schema, a call with structured content logs an
    /// error, and its output is not checked.
    pub fn output_schema(self, schema: &RawJson) -> Result<Self, DecodeError> {
        schema.decode().map(|schema| self.set("outputSchema", super::of_object(schema)))
    }

    /// Sets a key of the tool's `_meta`.
    #[must_use]
    pub fn meta(self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.set_in("_meta", key, value)
    }

    /// Keeps the tool in the model's prompt, even if the CLI lets the model search for tools
    /// (`_meta`, `anthropic/alwaysLoad`).
    #[must_use]
    pub fn always_load(self) -> Self {
        self.meta("anthropic/alwaysLoad", true)
    }

    /// Sets words by which the model can find the tool when it searches (`_meta`, `anthropic/searchHint`).
    #[must_use]
    pub fn search_hint(self, words: impl Into<String>) -> Self {
        self.meta("anthropic/searchHint", words.into())
    }

    /// Limits how many characters of a result the model gets (`_meta`, `anthropic/maxResultSizeChars`).
    ///
    /// The CLI writes a longer result to a file that the model can read.
    #[must_use]
    pub fn max_result_chars(self, characters: u64) -> Self {
        self.meta("anthropic/maxResultSizeChars", characters)
    }

    /// Sets a key of an object in the listed tool.
    fn set_in(mut self, object: &str, key: impl Into<String>, value: impl Into<Value>) -> Self {
        let fields = self.listed.entry(object).or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(fields) = fields {
            fields.insert(key.into(), value.into());
        }
        self
    }
}
