//! `caller`: who made a tool use, the model or code that it wrote.

use serde::{Deserialize, Serialize};

use crate::tagged::tagged;

tagged! {
    /// Who made a tool use.
    pub enum Caller by "type" {
        /// The model itself.
        Direct(DirectCaller) = "direct",
        /// Code of the model's that the API runs.
        CodeExecution20250825(CodeCaller) = "code_execution_20250825",
        /// Code of the model's that the API runs, in a later version.
        CodeExecution20260120(CodeCaller) = "code_execution_20260120",
    }
}

/// The model itself (`direct`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct DirectCaller {}

/// Code of the model's that the API runs.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct CodeCaller {
    /// The tool use that runs the code.
    pub tool_id: Box<str>,
}
