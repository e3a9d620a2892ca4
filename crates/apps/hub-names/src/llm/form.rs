//! The forms of calls.

/// The form in which a model calls tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallForm {
    /// Native tool calls of the API.
    #[default]
    Native,
    /// `<use_mcp_tool>` and `<access_mcp_resource>` in the text.
    Xml,
    /// `{"tool": …, "arguments": …}` in the text.
    Json,
}

impl CallForm {
    /// Returns instructions for a model to write calls in this form; empty for [`Native`](Self::Native).
    pub const fn how_to(self) -> &'static str {
        match self {
            Self::Native => "",
            Self::Xml => XML,
            Self::Json => JSON,
        }
    }
}

const XML: &str = r#"To call a tool, write this at the start of a line and outside code blocks, with the arguments as one JSON object:

<use_mcp_tool>
<server_name>NAME OF THE SERVER</server_name>
<tool_name>NAME OF THE TOOL</tool_name>
<arguments>
{"NAME": "VALUE"}
</arguments>
</use_mcp_tool>

To read a resource, write likewise:

<access_mcp_resource>
<server_name>NAME OF THE SERVER</server_name>
<uri>URI OF THE RESOURCE</uri>
</access_mcp_resource>

Several calls may follow one another.
Then end your turn: their results come in the next message.
"#;
const JSON: &str = r#"To call a tool, write a JSON object of exactly this shape at the start of a line, with nothing else on its lines and outside code blocks:

{"tool": "NAME OF THE TOOL", "arguments": {"NAME": "VALUE"}}

Several calls may follow one another, each on lines of its own.
Then end your turn: their results come in the next message.
"#;
