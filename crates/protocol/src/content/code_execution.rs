//! `code_execution_tool_result` and `bash_code_execution_tool_result`: results of code that the API ran.

use super::{CacheControl, ServerToolError};
use crate::ToolUseId;

/// The result of code that the API ran (`code_execution_tool_result`).
#[wire]
pub struct CodeExecutionToolResult {
    /// The tool use that this result answers.
    pub tool_use_id: ToolUseId,
    /// The result or the error.
    pub content: CodeExecutionContent,
    /// Cache breakpoint: the API caches the prompt up to this block. Only in requests.
    pub cache_control: Option<Box<CacheControl>>,
}

/// The result of a shell command that the API ran (`bash_code_execution_tool_result`).
#[wire]
pub struct BashCodeExecutionToolResult {
    /// The tool use that this result answers.
    pub tool_use_id: ToolUseId,
    /// The result or the error.
    pub content: BashCodeExecutionContent,
    /// Cache breakpoint: the API caches the prompt up to this block. Only in requests.
    pub cache_control: Option<Box<CacheControl>>,
}

/// The result of code, or the error.
#[wire(tag = "type")]
pub enum CodeExecutionContent {
    /// The code ran.
    Result(Box<CodeExecutionResult>) = "code_execution_result",
    /// The code ran, and its output is encrypted.
    Encrypted(Box<EncryptedCodeExecutionResult>) = "encrypted_code_execution_result",
    /// The code did not run.
    Error(ServerToolError) = "code_execution_tool_result_error",
}

/// The result of a command, or the error.
#[wire(tag = "type")]
pub enum BashCodeExecutionContent {
    /// The command ran.
    Result(Box<CodeExecutionResult>) = "bash_code_execution_result",
    /// The command did not run.
    Error(ServerToolError) = "bash_code_execution_tool_result_error",
}

/// The output and exit code of code or a command (`code_execution_result`, `bash_code_execution_result`).
#[wire]
pub struct CodeExecutionResult {
    /// The standard output.
    pub stdout: String,
    /// The standard error.
    pub stderr: String,
    /// The exit code; 0 is success.
    pub return_code: i64,
    /// The files that it produced.
    #[serde(default)]
    pub content: Vec<CodeOutput>,
}

/// A [`CodeExecutionResult`] with encrypted output (`encrypted_code_execution_result`).
#[wire]
pub struct EncryptedCodeExecutionResult {
    /// The standard output, readable only for the API.
    pub encrypted_stdout: String,
    /// The standard error.
    pub stderr: String,
    /// The exit code; 0 is success.
    pub return_code: i64,
    /// The files that it produced.
    #[serde(default)]
    pub content: Vec<CodeOutput>,
}

/// An output of code or a command.
#[wire(tag = "type")]
pub enum CodeOutput {
    /// A file that code produced.
    CodeFile(OutputFile) = "code_execution_output",
    /// A file that a command produced.
    BashFile(OutputFile) = "bash_code_execution_output",
}

/// A file that code or a command produced.
#[wire]
pub struct OutputFile {
    /// The file's id at the API.
    pub file_id: Box<str>,
}
