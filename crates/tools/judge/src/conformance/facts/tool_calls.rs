//! Which `mcp_call` request of ours a permission request belongs to.
//!
//! For an `mcp_call` with a permission check the CLI asks as for a tool use of the model, under an id that the CLI
//! makes up and that no message has.

use std::collections::HashMap;

use super::Scene;
use agentwire_testkit::{
    json::Json,
    recorded::{Recorded, Role},
};

/// The calls that are open at a line, and the tool uses found so far.
#[derive(Default)]
pub(super) struct ToolCalls {
    open: Vec<Call>,
    found: HashMap<Box<str>, ToolCall>,
}

/// A call that the CLI asked about.
#[derive(Debug)]
pub(in crate::conformance) struct ToolCall {
    /// The id of our request.
    pub(in crate::conformance) id: Box<str>,
    /// The line of the first question or hook about it.
    pub(in crate::conformance) line: usize,
}

struct Call {
    id: Box<str>,
    tool: String,
    has_tool_use: bool,
}

impl ToolCalls {
    /// Returns our request for each tool use that the CLI made up.
    pub(super) fn of(scene: &Scene) -> HashMap<Box<str>, ToolCall> {
        let mut calls = Self::default();
        for item in &scene.items {
            if let Some(read) = item.ours() {
                calls.ours(read);
            } else if let Some(read) = item.theirs() {
                calls.theirs(item.line, read);
            }
        }
        calls.found
    }

    fn ours(&mut self, read: &Recorded) {
        if let Role::Request { id, .. } = &read.role
            && asks_for_permission(read)
            && let Some(tool) = read.json.text_at(&["request", "tool"])
        {
            self.open.push(Call { id: id.clone(), tool: normal(tool), has_tool_use: false });
        }
    }

    fn theirs(&mut self, line: usize, read: &Recorded) {
        match &read.role {
            Role::Response { id } => self.open.retain(|call| call.id != *id),
            Role::Request { .. } => {
                if let Some((tool_use, tool)) = question(read)
                    && tool_use.starts_with(MADE_UP)
                    && !self.found.contains_key(tool_use)
                    && let tool = normal(tool)
                    && let Some(call) =
                        self.open.iter_mut().find(|call| !call.has_tool_use && call.tool == tool)
                {
                    call.has_tool_use = true;
                    self.found.insert(tool_use.into(), ToolCall { id: call.id.clone(), line });
                }
            }
            Role::Cancel { .. } | Role::Message => {}
        }
    }
}

/// Returns whether this is an `mcp_call` of ours that may need permission.
pub(in crate::conformance) fn asks_for_permission(read: &Recorded) -> bool {
    matches!(&read.role, Role::Request { subtype, .. } if **subtype == *"mcp_call")
        && read.json.at(&["request", "check_permissions"]).is_some_and(Json::is_true)
}

/// Returns the id and the tool of a permission request or a hook about a tool use.
fn question(read: &Recorded) -> Option<(&str, &str)> {
    let tool = read.json.text_at(&["request", "tool_name"]);
    let tool = tool.or_else(|| read.json.text_at(&["request", "input", "tool_name"]));
    read.json.text_at(&["request", "tool_use_id"]).zip(tool)
}

/// Returns the name of a tool as the CLI writes it: other characters in the names of servers are replaced.
fn normal(tool: &str) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    tool.chars().map(keep).collect()
}

/// The start of the ids that the CLI makes up.
const MADE_UP: &str = "toolu_mcp_call_";
