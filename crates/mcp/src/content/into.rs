//! Conversions of what a tool's handler returns.

use std::fmt::Display;

use agentwire_protocol::RawJson;

use super::ToolOutput;

/// A value that a tool's handler may return: a [`ToolOutput`], text, nothing, [`Json`], or a `Result` of any of them.
#[diagnostic::on_unimplemented(note = "a tool returns text, `Json(value)`, `ToolOutput` or a `Result`")]
pub trait IntoToolOutput {
    /// Converts the value.
    fn into_tool_output(self) -> ToolOutput;

    /// Returns the JSON schema of the structured content, if every output of this type has it.
    fn output_schema() -> Option<RawJson> {
        None
    }
}

impl IntoToolOutput for ToolOutput {
    fn into_tool_output(self) -> ToolOutput {
        self
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

/// Structured output; the tool declares the schema of its type (`outputSchema`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a wrapper of one public value")]
pub struct Json<T>(pub T);

#[cfg(feature = "schemars")]
impl<T: serde::Serialize + schemars::JsonSchema> IntoToolOutput for Json<T> {
    fn into_tool_output(self) -> ToolOutput {
        ToolOutput::structured(self.0)
    }

    fn output_schema() -> Option<RawJson> {
        crate::schema::of_output::<T>()
    }
}

/// An error becomes an error result with its text.
impl<R: IntoToolOutput, D: Display> IntoToolOutput for Result<R, D> {
    fn into_tool_output(self) -> ToolOutput {
        match self {
            Ok(output) => output.into_tool_output(),
            Err(error) => ToolOutput::error(error.to_string()),
        }
    }

    fn output_schema() -> Option<RawJson> {
        R::output_schema()
    }
}
