//! Tools of a [`Server`](crate::Server) that return results of `rmcp`.

use rmcp::model::CallToolResult;

use crate::{IntoToolOutput, ToolOutput};

impl IntoToolOutput for CallToolResult {
    fn into_tool_output(self) -> ToolOutput {
        self.into()
    }
}

impl From<CallToolResult> for ToolOutput {
    fn from(result: CallToolResult) -> Self {
        let written = serde_json::to_value(result).and_then(serde_json::from_value);
        written.unwrap_or_else(|error| Self::error(format!("the tool's output can't be written: {error}")))
    }
}
