//! Tool calls: title, kind, locations, and the content before the result.

use std::path::{Path, PathBuf};

use agent_client_protocol::v1::schema::{
    Diff, Terminal, TerminalId, ToolCallContent, ToolCallLocation, ToolKind,
};
use agentwire::protocol::ToolUseId;
use serde_json::Value;

use super::content::text;

/// The description of a tool call for the client.
#[derive(Debug)]
pub(crate) struct Described {
    pub(crate) title: String,
    pub(crate) kind: ToolKind,
    pub(crate) content: Vec<ToolCallContent>,
    pub(crate) locations: Vec<ToolCallLocation>,
}

/// Describes a call of a tool. `terminal` is the id of the call if its output is shown as a terminal.
///
/// The input is untrusted and may lack any field: an unknown tool is shown by its name.
pub(crate) fn described(name: &str, input: &Value, terminal: Option<&ToolUseId>, cwd: &Path) -> Described {
    let field = |name: &str| input[name].as_str().filter(|text| !text.is_empty());
    let place = |name: &str| field(name).map(|path| relative(path, cwd));
    let titled = |verb: &str, object: Option<String>| match object {
        Some(object) => format!("{verb} {object}"),
        None => name.to_owned(),
    };
    let (title, kind) = match name {
        "Bash" | "Monitor" => (field("command").unwrap_or(name).to_owned(), ToolKind::Execute),
        "Read" => (titled("Read", place("file_path")) + &range(input), ToolKind::Read),
        "Write" => (titled("Write", place("file_path")), ToolKind::Edit),
        "Edit" if input["replace_all"] == true => {
            (titled("Edit", place("file_path")) + " (all occurrences)", ToolKind::Edit)
        }
        "Edit" | "MultiEdit" => (titled("Edit", place("file_path")), ToolKind::Edit),
        "NotebookEdit" if input["edit_mode"] == "delete" => {
            (titled("Delete a cell of", place("notebook_path")), ToolKind::Edit)
        }
        "NotebookEdit" => (titled("Edit", place("notebook_path")), ToolKind::Edit),
        "Glob" | "Grep" => {
            let verb = if name == "Glob" { "Find" } else { "Search for" };
            let folder = place("path").map(|path| format!(" in {path}")).unwrap_or_default();
            (titled(verb, field("pattern").map(|pattern| format!("`{pattern}`"))) + &folder, ToolKind::Search)
        }
        "ToolSearch" => {
            (titled("Search for tools:", field("query").map(ToOwned::to_owned)), ToolKind::Search)
        }
        "WebFetch" | "web_fetch" => (titled("Fetch", field("url").map(ToOwned::to_owned)), ToolKind::Fetch),
        "WebSearch" | "web_search" => {
            (titled("Search the web for", field("query").map(|query| format!("“{query}”"))), ToolKind::Fetch)
        }
        "Agent" | "Task" => (field("description").unwrap_or("Agent").to_owned(), ToolKind::Think),
        "ExitPlanMode" => ("Plan".to_owned(), ToolKind::SwitchMode),
        "EnterPlanMode" => ("Start to plan".to_owned(), ToolKind::SwitchMode),
        "AskUserQuestion" => {
            (input["questions"][0]["question"].as_str().unwrap_or("Question").to_owned(), ToolKind::Other)
        }
        "Skill" => (titled("Use the skill", field("skill").map(ToOwned::to_owned)), ToolKind::Other),
        "TaskStop" | "KillShell" => ("Stop a background task".to_owned(), ToolKind::Execute),
        "TaskOutput" | "BashOutput" => ("Read the output of a background task".to_owned(), ToolKind::Read),
        _ => (mcp_title(name).unwrap_or_else(|| name.to_owned()), ToolKind::Other),
    };
    Described {
        title,
        kind,
        content: content(name, input, terminal, cwd),
        locations: locations(name, input, cwd),
    }
}

/// Returns the diffs of an edit, the prompt of an agent, or the plan.
fn content(name: &str, input: &Value, terminal: Option<&ToolUseId>, cwd: &Path) -> Vec<ToolCallContent> {
    let field = |name: &str| input[name].as_str();
    let path = |name: &str| field(name).map(|path| absolute(path, cwd));
    let written = |place: &str, text: &str| {
        path(place).zip(field(text)).map(|(path, new)| diff(path, None, new)).into_iter().collect()
    };
    match name {
        "Bash" => match (terminal, field("description")) {
            (Some(id), _) => vec![ToolCallContent::Terminal(Terminal::new(TerminalId::new(id.as_str())))],
            (None, Some(description)) => vec![text(description)],
            (None, None) => Vec::new(),
        },
        "Write" => written("file_path", "content"),
        "Edit" => {
            let path = path("file_path");
            path.and_then(|path| replacement(&path, input)).into_iter().collect()
        }
        "MultiEdit" => {
            let (path, edits) = (path("file_path"), input["edits"].as_array());
            path.zip(edits)
                .into_iter()
                .flat_map(|(path, edits)| {
                    edits.iter().filter_map(|edit| replacement(&path, edit)).collect::<Vec<_>>()
                })
                .collect()
        }
        // The CLI ignores the new text of a cell that it deletes.
        "NotebookEdit" if input["edit_mode"] == "delete" => Vec::new(),
        "NotebookEdit" => written("notebook_path", "new_source"),
        "Agent" | "Task" | "WebFetch" => field("prompt").map(text).into_iter().collect(),
        "ExitPlanMode" => field("plan").map(text).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Returns the files that a call reads or changes.
fn locations(name: &str, input: &Value, cwd: &Path) -> Vec<ToolCallLocation> {
    let field = match name {
        "Read" | "Write" | "Edit" | "MultiEdit" => "file_path",
        "NotebookEdit" => "notebook_path",
        "Glob" | "Grep" => "path",
        _ => return Vec::new(),
    };
    let Some(path) = input[field].as_str() else { return Vec::new() };
    let line = input["offset"].as_u64().and_then(|line| u32::try_from(line).ok()).filter(|_| name == "Read");
    vec![ToolCallLocation::new(absolute(path, cwd)).line(line)]
}

fn replacement(path: &Path, edit: &Value) -> Option<ToolCallContent> {
    Some(diff(path.to_owned(), edit["old_string"].as_str(), edit["new_string"].as_str()?))
}

/// Returns a diff; an empty old text counts as none.
pub(super) fn diff(path: PathBuf, old: Option<&str>, new: &str) -> ToolCallContent {
    let old = old.filter(|old| !old.is_empty()).map(ToOwned::to_owned);
    ToolCallContent::Diff(Diff::new(path, new).old_text(old))
}

/// The protocol wants absolute paths.
pub(super) fn absolute(path: &str, cwd: &Path) -> PathBuf {
    cwd.join(path)
}

fn relative(path: &str, cwd: &Path) -> String {
    let inside = Path::new(path).strip_prefix(cwd).ok().filter(|inside| !inside.as_os_str().is_empty());
    inside.map_or_else(|| path.to_owned(), |inside| inside.display().to_string())
}

/// Returns the lines that `Read` is limited to.
fn range(input: &Value) -> String {
    let first = input["offset"].as_u64().unwrap_or(1);
    match input["limit"].as_u64() {
        Some(limit) => format!(" (lines {first} to {})", first.saturating_add(limit).saturating_sub(1)),
        None if first > 1 => format!(" (from line {first})"),
        None => String::new(),
    }
}

/// Returns the title for a tool of an MCP server, which is called `mcp__server__tool`.
fn mcp_title(name: &str) -> Option<String> {
    let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
    Some(format!("{tool} ({server})"))
}
