//! Descriptions of what a server offers, as MCP writes them: icons, resources and prompts.

use serde::Serialize;
use serde_json::{Map, Value};

/// Defines a description as a wrapper of its JSON object, with setters for the optional string fields.
macro_rules! description {
    (
        $(#[$doc:meta])* $name:ident($($required:ident: $key:literal),+)
        $($(#[$setter_doc:meta])* $setter:ident: $optional:literal),* $(,)?
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize)]
        #[serde(transparent)]
        pub struct $name(pub(crate) Map<String, Value>);

        impl $name {
            /// Creates a description of these required fields alone.
            pub fn new($($required: impl Into<String>),+) -> Self {
                Self(Map::from_iter([$(($key.to_owned(), Value::String($required.into()))),+]))
            }

            $(
                $(#[$setter_doc])*
                #[must_use]
                pub fn $setter(self, text: impl Into<String>) -> Self {
                    self.field($optional, text.into())
                }
            )*

            /// Sets any field by its name in MCP, such as `annotations` or `_meta`.
            #[must_use]
            pub fn field(mut self, name: &str, value: impl Into<Value>) -> Self {
                self.0.insert(name.to_owned(), value.into());
                self
            }
        }
    };
}

description! {
    /// A picture that stands for a server, a tool, a resource or a prompt, by its URL.
    Icon(src: "src")
    /// Sets the MIME type, such as `image/png`.
    mime_type: "mimeType",
    /// Sets the background for which the icon is designed: `light` or `dark`.
    theme: "theme",
}

description! {
    /// A resource that the model can read, by its URI and name.
    Resource(uri: "uri", name: "name")
    /// Sets the title for people.
    title: "title",
    /// Sets the description for the model.
    description: "description",
    /// Sets the MIME type.
    mime_type: "mimeType",
}

description! {
    /// A family of resources with a common URI template.
    ResourceTemplate(uri_template: "uriTemplate", name: "name")
    /// Sets the title for people.
    title: "title",
    /// Sets the description for the model.
    description: "description",
    /// Sets the MIME type that all of them have.
    mime_type: "mimeType",
}

description! {
    /// A prompt that a user can choose, by its name.
    Prompt(name: "name")
    /// Sets the title for people.
    title: "title",
    /// Sets the description.
    description: "description",
}

description! {
    /// An argument of a [`Prompt`], by its name; optional unless it is [`required`](Self::required).
    PromptArgument(name: "name")
    /// Sets the title for people.
    title: "title",
    /// Sets the description.
    description: "description",
}

impl Icon {
    /// Sets the sizes that the icon has, such as `48x48`, or `any` for a vector graphic.
    #[must_use]
    pub fn sizes<S: Into<String>>(self, sizes: impl IntoIterator<Item = S>) -> Self {
        let sizes: Vec<Value> = sizes.into_iter().map(|size| Value::String(size.into())).collect();
        self.field("sizes", sizes)
    }
}

impl Prompt {
    /// Appends an argument.
    #[must_use]
    pub fn argument(mut self, argument: PromptArgument) -> Self {
        push(&mut self.0, "arguments", argument.0);
        self
    }

    pub(crate) fn name(&self) -> &str {
        self.0.get("name").and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the names of the required arguments.
    pub(crate) fn required(&self) -> impl Iterator<Item = &str> {
        let arguments = self.0.get("arguments").and_then(Value::as_array).into_iter().flatten();
        let required = arguments.filter(|argument| argument["required"] == true);
        required.filter_map(|argument| argument["name"].as_str())
    }
}

impl PromptArgument {
    /// Marks the argument as required: a request without it is refused.
    #[must_use]
    pub fn required(self) -> Self {
        self.field("required", true)
    }
}

/// Appends to a list in a description, which is created if it is missing.
pub(crate) fn push(fields: &mut Map<String, Value>, list: &str, item: Map<String, Value>) {
    let list = fields.entry(list).or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(list) = list {
        list.push(Value::Object(item));
    }
}
