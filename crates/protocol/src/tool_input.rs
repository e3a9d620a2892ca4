//! The inputs of the CLI's own tools.

use serde::Deserialize;

use crate::{
    DecodeError, RawJson,
    content::ToolUse,
    control::CanUseTool,
    hook::{PostToolUseInput, PreToolUseInput},
    lenient,
};

macro_rules! typed_input {
    ($($owner:ty: $name:ident, $input:ident;)+) => {
        $(
            impl $owner {
                /// Reads the input of one of the CLI's own tools; see [`ToolInput::read`].
                ///
                /// # Errors
                ///
                /// Returns an error if the tool is known and its input does not fit.
                pub fn typed_input(&self) -> Result<ToolInput, DecodeError> {
                    ToolInput::read(&self.$name, &self.$input)
                }
            }
        )+
    };
}

typed_input! {
    ToolUse: name, input;
    CanUseTool: tool_name, input;
    PreToolUseInput: tool_name, tool_input;
    PostToolUseInput: tool_name, tool_input;
}

/// Declares the inputs as structs and as one enum.
///
/// The structs can only be read: writing one would drop the fields that it lacks.
macro_rules! inputs {
    ($(#[$meta:meta])* enum $any:ident {
        $(
            $(#[$variant_meta:meta])* $variant:ident($name:ident) = $($tool:literal)|+ {
                $($(#[$field_meta:meta])* $field:ident: $type:ty,)+
            }
        )+
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum $any {
            $( $(#[$variant_meta])* $variant($name), )+
            /// Any other tool. It may also run commands, as `Workflow`, `PowerShell` and tools of MCP servers can.
            Unknown,
        }

        impl $any {
            /// Reads the input of a tool by the tool's name.
            ///
            /// # Errors
            ///
            /// Returns an error if the tool is known and its input does not fit. A guard must not treat the error as
            /// permission.
            pub fn read(tool: &str, input: &RawJson) -> Result<Self, DecodeError> {
                Ok(match tool {
                    $( $($tool)|+ => Self::$variant(input.decode()?), )+
                    _ => Self::Unknown,
                })
            }
        }

        $(
            #[doc = concat!("The input of `", stringify!($variant), "`.")]
            #[derive(Clone, Debug, PartialEq, Deserialize)]
            #[non_exhaustive]
            pub struct $name { $($(#[$field_meta])* pub $field: $type,)+ }
        )+
    };
}

inputs! {
    /// The input of one of the CLI's own tools. Of the fields that the official SDK declares (`sdk-tools.d.ts`), it has
    /// those that a guard needs.
    ///
    /// ```
    /// use agentwire_protocol::{RawJson, tool_input::ToolInput};
    ///
    /// let input = RawJson::parse(r#"{"command": "git push", "timeout": 5000}"#)?;
    /// let ToolInput::Bash(bash) = ToolInput::read("Bash", &input).unwrap() else { panic!() };
    /// assert_eq!(bash.command, "git push");
    /// # Ok::<_, serde_json::Error>(())
    /// ```
    enum ToolInput {
        /// `Bash`: runs a command in a shell.
        Bash(BashInput) = "Bash" {
            /// The command, as the shell reads it.
            command: String,
            /// The limit in milliseconds.
            #[serde(default, deserialize_with = "lenient::optional_count")]
            timeout: Option<u64>,
            /// The purpose, in the model's words.
            description: Option<String>,
            /// Whether the command runs in the background.
            run_in_background: Option<bool>,
            /// Whether the command runs outside of the sandbox (`dangerouslyDisableSandbox`).
            #[serde(rename = "dangerouslyDisableSandbox")]
            dangerously_disable_sandbox: Option<bool>,
            /// The hosts to which the sandbox allows connections. Offered to the model if there is a sandbox.
            allowed_domains: Option<Vec<String>>,
        }

        /// `Monitor`: runs a command in a shell, or opens a WebSocket, and reports its output to the model.
        Monitor(MonitorInput) = "Monitor" {
            /// The command, as the shell reads it; absent for a WebSocket.
            command: Option<String>,
            /// The WebSocket (`ws`); absent for a command.
            ws: Option<MonitorSocket>,
            /// The limit in milliseconds.
            #[serde(default, deserialize_with = "lenient::optional_count")]
            timeout_ms: Option<u64>,
            /// The purpose, in the model's words.
            description: Option<String>,
        }

        /// `Read`: reads a file.
        Read(ReadInput) = "Read" {
            /// The absolute path.
            file_path: String,
            /// The first line, from 1.
            #[serde(default, deserialize_with = "lenient::optional_count")]
            offset: Option<u64>,
            /// The number of lines.
            #[serde(default, deserialize_with = "lenient::optional_count")]
            limit: Option<u64>,
            /// Pages of a PDF, such as `1-5`.
            pages: Option<String>,
        }

        /// `Write`: writes a whole file.
        Write(WriteInput) = "Write" {
            /// The absolute path.
            file_path: String,
            /// The new content of the whole file.
            content: String,
        }

        /// `Edit`: replaces text in a file.
        Edit(EditInput) = "Edit" {
            /// The absolute path.
            file_path: String,
            /// The text to replace.
            old_string: String,
            /// The replacement.
            new_string: String,
            /// Whether to replace all occurrences.
            replace_all: Option<bool>,
        }

        /// `NotebookEdit`: changes a cell of a notebook.
        NotebookEdit(NotebookEditInput) = "NotebookEdit" {
            /// The absolute path.
            notebook_path: String,
            /// The cell; a new cell is inserted after it.
            cell_id: Option<String>,
            /// The new source of the cell.
            new_source: String,
            /// `code` or `markdown`.
            cell_type: Option<String>,
            /// `replace`, `insert` or `delete`; absent means `replace`.
            edit_mode: Option<String>,
        }

        /// `Glob`: finds files by name.
        Glob(GlobInput) = "Glob" {
            /// The pattern, such as `**/*.rs`.
            pattern: String,
            /// The folder; absent means the working directory.
            path: Option<String>,
        }

        /// `Grep`: searches in files. The limits and the context of its output are not read.
        Grep(GrepInput) = "Grep" {
            /// The regular expression.
            pattern: String,
            /// The file or folder; absent means the working directory.
            path: Option<String>,
            /// A pattern of file names.
            glob: Option<String>,
            /// The type of the files, such as `rust`.
            #[serde(rename = "type")]
            file_type: Option<String>,
            /// `content`, `files_with_matches` or `count`.
            output_mode: Option<String>,
        }

        /// `WebFetch`: reads a page.
        WebFetch(WebFetchInput) = "WebFetch" {
            /// The URL.
            url: String,
            /// The question about the page.
            prompt: String,
        }

        /// `WebSearch`: searches the web.
        WebSearch(WebSearchInput) = "WebSearch" {
            /// The query.
            query: String,
            /// Domains to search; empty means all.
            #[serde(default)]
            allowed_domains: Vec<String>,
            /// Domains to exclude.
            #[serde(default)]
            blocked_domains: Vec<String>,
        }

        /// `Agent`, which older CLIs call `Task`: starts a subagent.
        Agent(AgentInput) = "Agent" | "Task" {
            /// The task in a few words.
            description: String,
            /// The task.
            prompt: String,
            /// The subagent type.
            subagent_type: Option<String>,
            /// The model, by alias.
            model: Option<String>,
            /// Whether the subagent runs in the background; absent means yes.
            run_in_background: Option<bool>,
            /// The isolation of the subagent: `worktree` or `remote`.
            isolation: Option<String>,
        }
    }
}

/// The WebSocket that a `Monitor` opens.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct MonitorSocket {
    /// The URL.
    pub url: String,
}
