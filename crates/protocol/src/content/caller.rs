//! `caller`: whether the model called a tool directly or by code that it wrote.

/// The caller of a tool.
#[wire(tag = "type")]
pub enum Caller {
    /// The model itself.
    Direct(DirectCaller) = "direct",
    /// Code of the model, run by the API.
    CodeExecution20250825(CodeCaller) = "code_execution_20250825",
    /// Code of the model, run by the API in a later version.
    CodeExecution20260120(CodeCaller) = "code_execution_20260120",
}

/// The model itself (`direct`).
#[wire(Copy, Default, Eq)]
pub struct DirectCaller {}

/// Code of the model, run by the API.
#[wire]
pub struct CodeCaller {
    /// The tool use that runs the code.
    pub tool_id: Box<str>,
}
