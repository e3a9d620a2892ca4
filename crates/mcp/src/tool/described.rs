//! What is said of a tool beside its name, description and input.

use agentwire_protocol::{DecodeError, RawJson};
use rmcp::model::{Icon, MetaObject, ToolAnnotations};
use serde_json::{Map, Value};

use super::Tool;

impl Tool {
    /// The same, with a title for people (`title`).
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.listed.title = Some(title.into());
        self
    }

    /// The same, marked as changing nothing (`readOnlyHint`): the CLI then makes several calls at once.
    #[must_use]
    pub fn read_only(self) -> Self {
        self.hint(|hints| hints.read_only_hint = Some(true))
    }

    /// The same, marked as one that can destroy something, or that only adds (`destructiveHint`).
    #[must_use]
    pub fn destructive(self, is: bool) -> Self {
        self.hint(|hints| hints.destructive_hint = Some(is))
    }

    /// The same, marked as doing no more when it is called again with the same input (`idempotentHint`).
    #[must_use]
    pub fn idempotent(self) -> Self {
        self.hint(|hints| hints.idempotent_hint = Some(true))
    }

    /// The same, marked as dealing with the world outside, or only with what is its own (`openWorldHint`).
    #[must_use]
    pub fn open_world(self, is: bool) -> Self {
        self.hint(|hints| hints.open_world_hint = Some(is))
    }

    /// The same, and an icon.
    #[must_use]
    pub fn icon(mut self, icon: Icon) -> Self {
        self.listed.icons.get_or_insert_default().push(icon);
        self
    }

    /// The same, with the JSON schema of its structured content (`outputSchema`), written by the caller.
    ///
    /// Each output is checked against it; one that does not match becomes an error result that names what is wrong.
    ///
    /// # Errors
    ///
    /// When `schema` is not an object; whether it is a JSON schema shows at the first call.
    pub fn output_schema(self, schema: &RawJson) -> Result<Self, DecodeError> {
        schema.decode().map(|schema| self.declaring(schema))
    }

    /// The same, with this in its `_meta`.
    #[must_use]
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        let meta = self.listed.meta.get_or_insert_with(|| MetaObject(Map::new()));
        meta.0.insert(key.into(), value.into());
        self
    }

    /// The same, and always in the model's prompt, also where the CLI has the model search for tools
    /// (`_meta`, `anthropic/alwaysLoad`).
    #[must_use]
    pub fn always_load(self) -> Self {
        self.meta("anthropic/alwaysLoad", true)
    }

    /// The same, with words that the model may search for it by (`_meta`, `anthropic/searchHint`).
    #[must_use]
    pub fn search_hint(self, words: impl Into<String>) -> Self {
        self.meta("anthropic/searchHint", words.into())
    }

    /// The same, with how many characters of a result the model gets at most
    /// (`_meta`, `anthropic/maxResultSizeChars`); more goes to a file that the model may read.
    #[must_use]
    pub fn max_result_chars(self, characters: u64) -> Self {
        self.meta("anthropic/maxResultSizeChars", characters)
    }

    fn hint(mut self, set: impl FnOnce(&mut ToolAnnotations)) -> Self {
        set(self.listed.annotations.get_or_insert_default());
        self
    }
}
