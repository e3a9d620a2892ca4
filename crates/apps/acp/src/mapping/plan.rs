//! The model's list of tasks as a plan.

use std::collections::BTreeMap;

use agent_client_protocol::v1::schema::{
    Plan as AcpPlan, PlanEntry, PlanEntryPriority, PlanEntryStatus, SessionUpdate,
};
use serde_json::Value;

/// The model's list of tasks, by number.
#[derive(Debug, Default)]
pub(super) struct Plan {
    tasks: BTreeMap<u64, Task>,
    /// Whether the last list of `TodoWrite` had entries, which are not in `tasks`.
    has_todos: bool,
}

#[derive(Debug)]
struct Task {
    subject: String,
    status: PlanEntryStatus,
}

/// Returns whether the tool only reads or changes the list of tasks. Such a call is shown as a plan.
pub(super) fn is_plan_tool(name: &str) -> bool {
    matches!(name, "TodoWrite" | "TaskCreate" | "TaskUpdate" | "TaskList" | "TaskGet")
}

impl Plan {
    /// Returns the plan if a call contains all of it.
    pub(super) fn called(&mut self, name: &str, input: &Value) -> Option<SessionUpdate> {
        let todos = input["todos"].as_array().filter(|_| name == "TodoWrite")?;
        self.has_todos = !todos.is_empty();
        let entries = todos.iter().filter_map(|todo| {
            Some(entry(
                todo["content"].as_str()?,
                status(todo["status"].as_str()).unwrap_or(PlanEntryStatus::Pending),
            ))
        });
        Some(SessionUpdate::Plan(AcpPlan::new(entries.collect())))
    }

    /// Applies the result of a call, and returns the plan if it changed.
    ///
    /// `details` is the tool's own result (`tool_use_result`), which stored messages lack; `text` is the result as the model reads it.
    pub(super) fn finished(
        &mut self,
        name: &str,
        input: &Value,
        details: &Value,
        text: &str,
    ) -> Option<SessionUpdate> {
        match name {
            "TaskCreate" => {
                let id = number(&details["task"]["id"]).or_else(|| created(text))?;
                let subject = details["task"]["subject"].as_str().or(input["subject"].as_str())?;
                self.tasks.insert(id, Task { subject: subject.to_owned(), status: PlanEntryStatus::Pending });
            }
            "TaskUpdate" => {
                let id = number(&input["taskId"])?;
                if input["status"] == "deleted" {
                    self.tasks.remove(&id)?;
                    return Some(self.shown());
                }
                let task = self.tasks.get_mut(&id)?;
                if let Some(subject) = input["subject"].as_str() {
                    subject.clone_into(&mut task.subject);
                }
                if let Some(status) = status(input["status"].as_str()) {
                    task.status = status;
                }
            }
            "TaskList" => {
                let tasks = details["tasks"].as_array()?;
                self.tasks = tasks.iter().filter_map(listed).collect();
            }
            _ => return None,
        }
        Some(self.shown())
    }

    /// Removes the entries, and returns the empty plan if there were some.
    pub(super) fn clear(&mut self) -> Option<SessionUpdate> {
        let had_entries = self.has_todos || !self.tasks.is_empty();
        *self = Self::default();
        had_entries.then(|| self.shown())
    }

    fn shown(&self) -> SessionUpdate {
        let entries = self.tasks.values().map(|task| entry(&task.subject, task.status.clone()));
        SessionUpdate::Plan(AcpPlan::new(entries.collect()))
    }
}

fn listed(task: &Value) -> Option<(u64, Task)> {
    let status = status(task["status"].as_str()).unwrap_or(PlanEntryStatus::Pending);
    Some((number(&task["id"])?, Task { subject: task["subject"].as_str()?.to_owned(), status }))
}

/// The CLI's lists have no priorities.
fn entry(content: &str, status: PlanEntryStatus) -> PlanEntry {
    PlanEntry::new(content, PlanEntryPriority::Medium, status)
}

fn status(name: Option<&str>) -> Option<PlanEntryStatus> {
    Some(match name? {
        "pending" => PlanEntryStatus::Pending,
        "in_progress" => PlanEntryStatus::InProgress,
        "completed" => PlanEntryStatus::Completed,
        _ => return None,
    })
}

/// Returns the number in `Task #1 created successfully: …`.
fn created(text: &str) -> Option<u64> {
    text.strip_prefix("Task #")?.split_once(' ')?.0.parse().ok()
}

fn number(id: &Value) -> Option<u64> {
    id.as_u64().or_else(|| id.as_str()?.parse().ok())
}
