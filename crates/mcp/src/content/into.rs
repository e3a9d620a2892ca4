//! Converts the return value of a tool's handler.

use std::error::Error;

use agentwire_control::panics::error_chain;
use agentwire_protocol::RawJson;

use super::ToolOutput;

/// A value that a tool's handler may return: a [`ToolOutput`], text, nothing, [`Json`], or a `Result` of any of them
/// with any error that converts to a `Box<dyn Error + Send + Sync>`: text, most error types, `anyhow::Error`.
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
///
/// The type must serialize as an object: a struct with named fields, or a map. An `Option` of such a type is accepted,
/// but `None` is an error. A tool with any other output type, such as `Json<Vec<T>>`, logs an error when it is created,
/// and refuses every call without running its handler: put the list into a struct.
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

/// An error becomes an error result with its text and the texts of its sources.
impl<R: IntoToolOutput, E: Into<Box<dyn Error + Send + Sync>>> IntoToolOutput for Result<R, E> {
    fn into_tool_output(self) -> ToolOutput {
        match self {
            Ok(output) => output.into_tool_output(),
            Err(error) => ToolOutput::error(error_chain(&*error.into())),
        }
    }

    fn output_schema() -> Option<RawJson> {
        R::output_schema()
    }
}
