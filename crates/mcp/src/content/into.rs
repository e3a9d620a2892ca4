//! What a tool's handler may return.

use std::fmt::Display;

use agentwire_hooks::excerpt;
use agentwire_protocol::RawJson;
use rmcp::model::CallToolResult;

use super::ToolOutput;

/// What a tool's handler may return: a [`ToolOutput`], text, nothing, [`Json`](crate::Json), a `CallToolResult` of
/// `rmcp`'s, or a `Result` of any of them.
pub trait IntoToolOutput {
    /// The output.
    fn into_tool_output(self) -> ToolOutput;

    /// The JSON schema of the structured content, where every output of this type has it.
    fn output_schema() -> Option<RawJson> {
        None
    }
}

impl IntoToolOutput for ToolOutput {
    fn into_tool_output(self) -> ToolOutput {
        self
    }
}

impl IntoToolOutput for CallToolResult {
    fn into_tool_output(self) -> ToolOutput {
        self.into()
    }
}

impl IntoToolOutput for String {
    fn into_tool_output(self) -> ToolOutput {
        ToolOutput::text(self)
    }
}

impl IntoToolOutput for &str {
    fn into_tool_output(self) -> ToolOutput {
        ToolOutput::text(self)
    }
}

/// No content.
impl IntoToolOutput for () {
    fn into_tool_output(self) -> ToolOutput {
        ToolOutput::default()
    }
}

/// Structured content, whose schema the tool declares (`outputSchema`).
#[cfg(feature = "schemars")]
impl<T: serde::Serialize + schemars::JsonSchema> IntoToolOutput for rmcp::Json<T> {
    fn into_tool_output(self) -> ToolOutput {
        ToolOutput::structured(self.0)
    }

    fn output_schema() -> Option<RawJson> {
        crate::schema::of_output::<T>()
    }
}

/// An error is an error result with its text.
impl<R: IntoToolOutput, D: Display> IntoToolOutput for Result<R, D> {
    fn into_tool_output(self) -> ToolOutput {
        match self {
            Ok(output) => output.into_tool_output(),
            Err(error) => ToolOutput::error(excerpt(&error.to_string())),
        }
    }

    fn output_schema() -> Option<RawJson> {
        R::output_schema()
    }
}
