//! `code_execution_tool_result` and `bash_code_execution_tool_result`: what came of code that the API ran.

use serde::{Deserialize, Serialize};

use super::{CacheControl, ServerToolError};
use crate::{ToolUseId, tagged::tagged};

/// What came of code that the API ran (`code_execution_tool_result`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct CodeExecutionToolResult {
    /// The tool use that it answers.
    pub tool_use_id: ToolUseId,
    /// What came of it, or what went wrong.
    pub content: CodeExecutionContent,
    /// A mark that the prompt up to here be cached; only on its way to the model.
    pub cache_control: Option<Box<CacheControl>>,
}

/// What came of a command that the API ran in a shell (`bash_code_execution_tool_result`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct BashCodeExecutionToolResult {
    /// The tool use that it answers.
    pub tool_use_id: ToolUseId,
    /// What came of it, or what went wrong.
    pub content: BashCodeExecutionContent,
    /// A mark that the prompt up to here be cached; only on its way to the model.
    pub cache_control: Option<Box<CacheControl>>,
}

tagged! {
    /// What came of code, or why it did not run.
    pub enum CodeExecutionContent by "type" {
        /// The code ran.
        Result(Box<CodeExecutionResult>) = "code_execution_result",
        /// The code ran, and its output is shown to nobody.
        Encrypted(Box<EncryptedCodeExecutionResult>) = "encrypted_code_execution_result",
        /// The code did not run.
        Error(ServerToolError) = "code_execution_tool_result_error",
    }
}

tagged! {
    /// What came of a command, or why it did not run.
    pub enum BashCodeExecutionContent by "type" {
        /// The command ran.
        Result(Box<CodeExecutionResult>) = "bash_code_execution_result",
        /// The command did not run.
        Error(ServerToolError) = "bash_code_execution_tool_result_error",
    }
}

/// What code or a command wrote and returned (`code_execution_result`, `bash_code_execution_result`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct CodeExecutionResult {
    /// What it wrote to its output.
    pub stdout: String,
    /// What it wrote to its error output.
    pub stderr: String,
    /// What it returned; 0 is success.
    pub return_code: i64,
    /// The files that it left.
    #[serde(default)]
    pub content: Vec<CodeOutput>,
}

/// As [`CodeExecutionResult`], with an output that is shown to nobody (`encrypted_code_execution_result`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct EncryptedCodeExecutionResult {
    /// What it wrote to its output, for the API alone to read.
    pub encrypted_stdout: String,
    /// What it wrote to its error output.
    pub stderr: String,
    /// What it returned; 0 is success.
    pub return_code: i64,
    /// The files that it left.
    #[serde(default)]
    pub content: Vec<CodeOutput>,
}

tagged! {
    /// Something that code or a command left.
    pub enum CodeOutput by "type" {
        /// A file, of code.
        CodeFile(OutputFile) = "code_execution_output",
        /// A file, of a command.
        BashFile(OutputFile) = "bash_code_execution_output",
    }
}

/// A file that code or a command left.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct OutputFile {
    /// The file's id at the API.
    pub file_id: Box<str>,
}
