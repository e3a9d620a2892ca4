//! Identifiers and names as types of their own, so that one is never passed for another.

mod short_text;

use short_text::ShortText;

/// Declares an identifier or a name: a string that is compared and printed, and never taken apart.
macro_rules! id {
    ($(#[$meta:meta])* $name:ident($text:ty)) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name($text);

        impl $name {
            /// The text as it is on the wire.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::ops::Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                self.as_str()
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, text: &str) -> bool {
                self.as_str() == text
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, text: &&str) -> bool {
                self.as_str() == *text
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.as_str().to_owned()
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Debug::fmt(self.as_str(), f)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                self.as_str()
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str($crate::open_enum::TextVisitor(std::marker::PhantomData))
            }
        }
    };
}

id! {
    /// A session's id (`session_id`): the name under which the CLI stores and resumes it.
    SessionId(ShortText)
}
id! {
    /// The id of one tool use (`tool_use_id`), made by the model, such as `toolu_01…`.
    ToolUseId(Box<str>)
}
id! {
    /// The id that ties a control request to its response (`request_id`), made by whoever asks.
    RequestId(Box<str>)
}
id! {
    /// A message's own id (`uuid`).
    Uuid(ShortText)
}
id! {
    /// The API's id of one answer of the model (`message.id`, `api_message_id`), such as `msg_01…`.
    ApiMessageId(ShortText)
}
id! {
    /// A tool's name (`tool_name`), such as `Bash`; tools of MCP servers are called `mcp__server__tool`.
    ToolName(Box<str>)
}
