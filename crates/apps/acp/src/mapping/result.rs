//! Results of tool calls.

use agent_client_protocol::v1::schema::{
    Meta, SessionUpdate, ToolCallContent, ToolCallLocation, ToolCallStatus, ToolCallUpdate,
    ToolCallUpdateFields,
};
use agentwire::protocol::{Content, ToolUseId, content::ToolResult};
use serde_json::{Value, json};

use super::{
    Mapping, OpenCall, call_id,
    content::{block, fenced, text},
    plan, tool, update, value,
};

impl Mapping {
    /// Returns the updates for a result. `details` is the tool's own result (`tool_use_result`).
    pub(super) fn result(&mut self, result: &ToolResult, details: Option<&Value>) -> Vec<SessionUpdate> {
        let Some(call) = self.open.remove(&result.tool_use_id) else { return Vec::new() };
        let failed = result.is_error == Some(true);
        if plan::is_plan_tool(&call.name) {
            if failed {
                return Vec::new();
            }
            let details = details.unwrap_or(&Value::Null);
            return self
                .plan
                .finished(&call.name, &call.input, details, &result.text())
                .into_iter()
                .collect();
        }
        let status = if failed { ToolCallStatus::Failed } else { ToolCallStatus::Completed };
        let output = details.cloned().or_else(|| result.content.as_ref().map(value));
        let fields = ToolCallUpdateFields::new().status(status).raw_output(output);
        if self.features.shows_terminal(&call.name) {
            return terminal(result, fields, failed);
        }
        let fields = match details.filter(|_| !failed).map(|details| patches(details, &self.features.cwd)) {
            Some((diffs, places)) if !diffs.is_empty() => fields.content(diffs).locations(places),
            // The text about an agent in the background is for the model; the prompt stays.
            _ if details.is_some_and(|details| details["status"] == "async_launched") => fields,
            _ if keeps_content(&call, failed) => fields,
            _ => {
                let content = content(&call.name, result, failed);
                if content.is_empty() { fields } else { fields.content(content) }
            }
        };
        vec![update(&result.tool_use_id, fields)]
    }
}

/// Returns whether the content of the call stays: a diff, or a plan.
fn keeps_content(call: &OpenCall, failed: bool) -> bool {
    !failed && matches!(&*call.name, "Write" | "Edit" | "MultiEdit" | "NotebookEdit" | "ExitPlanMode")
}

/// Returns the output of a command as a terminal, by Zed's convention: the output first, then the exit.
fn terminal(result: &ToolResult, fields: ToolCallUpdateFields, failed: bool) -> Vec<SessionUpdate> {
    let id = &result.tool_use_id;
    let with = |fields: ToolCallUpdateFields, meta: Meta| {
        SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(call_id(id), fields).meta(meta))
    };
    let text = result.text();
    // The CLI reports the exit code in the text alone.
    let code = text.strip_prefix("Exit code ").and_then(|rest| rest.lines().next()?.parse::<i32>().ok());
    let code = code.filter(|_| failed).unwrap_or_else(|| i32::from(failed));
    let output = json!({"terminal_id": id.as_str(), "data": text});
    let output = Meta::from_iter([("terminal_output".to_owned(), output)]);
    vec![with(ToolCallUpdateFields::new(), output), with(fields, terminal_exit(id, Some(code)))]
}

/// Returns the exit of a command for its terminal; a command without a result has no code.
pub(super) fn terminal_exit(id: &ToolUseId, code: Option<i32>) -> Meta {
    let exit = json!({"terminal_id": id.as_str(), "exit_code": code, "signal": null});
    Meta::from_iter([("terminal_exit".to_owned(), exit)])
}

/// Returns the content of a result. Texts of files and programs are code, so that they are not read as Markdown.
fn content(name: &str, result: &ToolResult, failed: bool) -> Vec<ToolCallContent> {
    let language = match name {
        "Bash" => Some("console"),
        "Read" | "Grep" | "Glob" => Some(""),
        _ if failed => Some(""),
        _ => None,
    };
    let shown = |plain: &str| match language {
        _ if plain.trim().is_empty() => None,
        Some(language) => Some(text(fenced(language, plain))),
        None => Some(text(plain)),
    };
    match result.typed_content() {
        Ok(Some(Content::Text(plain))) => shown(&plain).into_iter().collect(),
        Ok(Some(Content::Blocks(blocks))) => blocks
            .iter()
            .filter_map(|one| match one.as_text() {
                Some(plain) => shown(plain),
                None => Some(ToolCallContent::Content(agent_client_protocol::v1::schema::Content::new(
                    block(one),
                ))),
            })
            .collect(),
        Ok(_) | Err(_) => Vec::new(),
    }
}

/// Returns the changes that an edit made, with their lines.
fn patches(details: &Value, cwd: &std::path::Path) -> (Vec<ToolCallContent>, Vec<ToolCallLocation>) {
    let (Some(path), Some(hunks)) = (details["filePath"].as_str(), details["structuredPatch"].as_array())
    else {
        return Default::default();
    };
    let path = tool::absolute(path, cwd);
    hunks
        .iter()
        .filter_map(|hunk| {
            let lines: Vec<&str> = hunk["lines"].as_array()?.iter().filter_map(Value::as_str).collect();
            let side = |other: char| {
                let kept = lines.iter().filter(|line| !line.starts_with(other) && !line.starts_with('\\'));
                kept.map(|line| line.get(1..).unwrap_or_default()).collect::<Vec<_>>().join("\n")
            };
            let line = hunk["newStart"].as_u64().and_then(|line| u32::try_from(line).ok());
            let place = ToolCallLocation::new(path.clone()).line(line);
            Some((tool::diff(path.clone(), Some(&side('+')), &side('-')), place))
        })
        .unzip()
}
