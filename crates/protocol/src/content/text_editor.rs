//! `text_editor_code_execution_tool_result`: what came of reading or editing a file in the API's container.

use serde::{Deserialize, Serialize};

use super::{CacheControl, ServerToolError};
use crate::{ToolUseId, open_enum::open_enum, tagged::tagged};

/// What came of reading or editing a file (`text_editor_code_execution_tool_result`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct TextEditorToolResult {
    /// The tool use that it answers.
    pub tool_use_id: ToolUseId,
    /// What came of it, or what went wrong.
    pub content: TextEditorContent,
    /// A mark that the prompt up to here be cached; only on its way to the model.
    pub cache_control: Option<Box<CacheControl>>,
}

tagged! {
    /// What came of reading or editing a file, or what went wrong.
    pub enum TextEditorContent by "type" {
        /// The file was read.
        View(Box<FileView>) = "text_editor_code_execution_view_result",
        /// The file was written.
        Create(FileCreated) = "text_editor_code_execution_create_result",
        /// Text in the file was replaced.
        StrReplace(Box<FileEdited>) = "text_editor_code_execution_str_replace_result",
        /// Nothing was done.
        Error(ServerToolError) = "text_editor_code_execution_tool_result_error",
    }
}

/// A file that was read (`text_editor_code_execution_view_result`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct FileView {
    /// What is in it.
    pub content: String,
    /// What kind of file it is.
    pub file_type: ViewedFileType,
    /// How many lines were read.
    pub num_lines: Option<u64>,
    /// The first line that was read, from 1.
    pub start_line: Option<u64>,
    /// How many lines the file has.
    pub total_lines: Option<u64>,
}

open_enum! {
    /// A kind of file that can be read.
    pub enum ViewedFileType {
        /// Text.
        Text = "text",
        /// A picture.
        Image = "image",
        /// A PDF.
        Pdf = "pdf",
    }
}

/// A file that was written (`text_editor_code_execution_create_result`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct FileCreated {
    /// Whether it was there before.
    pub is_file_update: bool,
}

/// A file in which text was replaced (`text_editor_code_execution_str_replace_result`).
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct FileEdited {
    /// The changed lines, as a diff shows them.
    pub lines: Option<Vec<String>>,
    /// The first line that was replaced, from 1.
    pub old_start: Option<u64>,
    /// How many lines were replaced.
    pub old_lines: Option<u64>,
    /// The first line of the new text, from 1.
    pub new_start: Option<u64>,
    /// How many lines the new text has.
    pub new_lines: Option<u64>,
}
