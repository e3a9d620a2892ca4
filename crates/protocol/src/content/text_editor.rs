//! `text_editor_code_execution_tool_result`: results of reading or editing a file in the API's container.

use super::{CacheControl, ServerToolError};
use crate::ToolUseId;

/// The result of reading or editing a file (`text_editor_code_execution_tool_result`).
#[wire]
pub struct TextEditorToolResult {
    /// The tool use that this result answers.
    pub tool_use_id: ToolUseId,
    /// The result or the error.
    pub content: TextEditorContent,
    /// Cache breakpoint: the API caches the prompt up to this block. Only in requests.
    pub cache_control: Option<Box<CacheControl>>,
}

/// The result of reading or editing a file, or the error.
#[wire(tag = "type")]
pub enum TextEditorContent {
    /// The file was read.
    View(Box<FileView>) = "text_editor_code_execution_view_result",
    /// The file was written.
    Create(FileCreated) = "text_editor_code_execution_create_result",
    /// Text in the file was replaced.
    StrReplace(Box<FileEdited>) = "text_editor_code_execution_str_replace_result",
    /// The operation failed.
    Error(ServerToolError) = "text_editor_code_execution_tool_result_error",
}

/// A file that was read (`text_editor_code_execution_view_result`).
#[wire]
pub struct FileView {
    /// The content of the file.
    pub content: String,
    /// The file type.
    pub file_type: ViewedFileType,
    /// The number of lines read.
    pub num_lines: Option<u64>,
    /// The first line read, from 1.
    pub start_line: Option<u64>,
    /// The number of lines in the file.
    pub total_lines: Option<u64>,
}

/// A readable file type.
#[wire]
pub enum ViewedFileType {
    /// Text.
    Text = "text",
    /// An image.
    Image = "image",
    /// A PDF.
    Pdf = "pdf",
}

/// A file that was written (`text_editor_code_execution_create_result`).
#[wire]
pub struct FileCreated {
    /// Whether the file existed before.
    pub is_file_update: bool,
}

/// A file in which text was replaced (`text_editor_code_execution_str_replace_result`).
#[wire(Default)]
pub struct FileEdited {
    /// The changed lines, in diff format.
    pub lines: Option<Vec<String>>,
    /// The first line that was replaced, from 1.
    pub old_start: Option<u64>,
    /// The number of replaced lines.
    pub old_lines: Option<u64>,
    /// The first line of the new text, from 1.
    pub new_start: Option<u64>,
    /// The number of lines in the new text.
    pub new_lines: Option<u64>,
}
