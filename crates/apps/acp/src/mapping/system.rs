//! News of the session: notices, commands, compaction, title.

use std::collections::BTreeSet;

use agent_client_protocol::v1::schema::{
    AvailableCommand, AvailableCommandInput, AvailableCommandsUpdate, CompactionStatus, CompactionUpdate,
    Notice, NoticeSeverity, SessionInfoUpdate, SessionUpdate, ToolCall, ToolCallId, ToolCallLocation,
    ToolCallStatus, ToolCallUpdateFields, ToolKind, UnstructuredCommandInput,
};
use agentwire::{
    System, Warning,
    protocol::{
        mcp::McpStatusKind,
        message::{
            CompactResult, Informational, InformationalLevel, Init, MemoryRecall, PermissionDenied, Status,
            StatusKind,
        },
        slash_command::SlashCommand,
    },
};

use super::{Mapping, message, text, thought, update};

impl Mapping {
    pub(super) fn system(&mut self, system: &System) -> Vec<SessionUpdate> {
        match system {
            System::Init(init) => self.failed_servers(init),
            System::Status(status) => self.status(status).into_iter().collect(),
            System::Informational(note) => vec![self.informational(note)],
            System::LocalCommandOutput(output) => vec![message(&*output.content)],
            System::CommandsChanged(changed) => vec![available_commands(&changed.commands)],
            System::SessionTitleChanged(changed) => {
                vec![SessionUpdate::SessionInfoUpdate(SessionInfoUpdate::new().title(changed.title.clone()))]
            }
            System::PermissionDenied(denied) => self.denied(denied).into_iter().collect(),
            System::MemoryRecall(recall) => self.recalled(recall).into_iter().collect(),
            System::TaskNotification(task) => {
                task.tool_use_id.as_ref().map(|agent| self.end_agent(agent)).unwrap_or_default()
            }
            // The result of the turn reports them.
            System::CompactBoundary(boundary) => {
                self.context_tokens = boundary.compact_metadata.post_tokens.unwrap_or(0);
                let kept = boundary.compact_metadata.preserved_messages.as_ref();
                self.kept = kept.map(|kept| kept.uuids.clone()).unwrap_or_default();
                Vec::new()
            }
            System::Notification(note) => self.notice(NoticeSeverity::Info, &note.text, None),
            System::ModelFallback(change) => {
                let why = change.content.as_deref();
                self.notice(NoticeSeverity::Warning, &format!("{} answers now", change.fallback_model), why)
            }
            System::ModelRefusalFallback(change) => {
                let title = format!("{} answers now", change.fallback_model);
                self.notice(NoticeSeverity::Warning, &title, Some(&change.content))
            }
            System::ApiRetry(retry) => {
                let title = format!(
                    "The request failed and is sent again ({} of {})",
                    retry.attempt, retry.max_retries
                );
                self.notice(NoticeSeverity::Warning, &title, None)
            }
            _ => Vec::new(),
        }
    }

    /// Returns a notice; clients that show none get nothing, because the conversation does not depend on it.
    fn notice(&self, severity: NoticeSeverity, title: &str, description: Option<&str>) -> Vec<SessionUpdate> {
        if !self.features.notices || title.is_empty() {
            return Vec::new();
        }
        let description = description.filter(|text| !text.is_empty()).map(ToOwned::to_owned);
        vec![SessionUpdate::Notice(Notice::new(severity, title).description(description))]
    }

    /// Returns a note for the user; it may say why the turn stops, so every client shows it.
    fn informational(&self, note: &Informational) -> SessionUpdate {
        let severity = match note.level {
            InformationalLevel::Warning => NoticeSeverity::Warning,
            _ => NoticeSeverity::Info,
        };
        self.note(severity, &note.content, message)
    }

    /// Returns a notice, or `otherwise` a text for clients that show none.
    fn note(
        &self,
        severity: NoticeSeverity,
        text: &str,
        otherwise: fn(String) -> SessionUpdate,
    ) -> SessionUpdate {
        if self.features.notices {
            return SessionUpdate::Notice(Notice::new(severity, text));
        }
        otherwise(format!("{text}\n\n"))
    }

    /// Returns a note with a warning of the session, unless it is about the user's own mode, or about the library.
    pub(crate) fn warning(&self, warning: &Warning) -> Option<SessionUpdate> {
        let text = match warning {
            Warning::NotAsked { option: "permissionMode", .. } | Warning::DeliveredByArgv { .. } => {
                return None;
            }
            // The remedy of its text is an option of the library.
            Warning::FolderHeeded { file } => format!(
                "Warning: `{}` can run commands, allow tools and redirect requests; start agentwire-acp with \
                 `--untrusted-folder` if you don't trust the folder",
                file.display()
            ),
            warning => format!("Warning: {warning}"),
        };
        // Programs read the answer, which has no warnings.
        Some(self.note(NoticeSeverity::Warning, &text, thought))
    }

    /// Returns a note for each MCP server that has failed since the last turn.
    fn failed_servers(&mut self, init: &Init) -> Vec<SessionUpdate> {
        let failed = init.mcp_servers.iter().filter(|server| server.status == McpStatusKind::Failed);
        let failed: BTreeSet<Box<str>> = failed.map(|server| server.name.clone()).collect();
        let before = std::mem::replace(&mut self.failed_servers, failed);
        let new = self.failed_servers.difference(&before);
        let failed = |name| format!("The MCP server `{name}` failed.");
        new.map(|name| self.note(NoticeSeverity::Warning, &failed(name), thought)).collect()
    }

    fn status(&mut self, status: &Status) -> Option<SessionUpdate> {
        let (state, words) = match (&status.status, &status.compact_result) {
            (Some(StatusKind::Compacting), _) => {
                self.compactions += 1;
                (CompactionStatus::InProgress, "The conversation is compacted …\n\n")
            }
            (_, Some(CompactResult::Success)) => {
                (CompactionStatus::Completed, "The conversation was compacted.\n\n")
            }
            (_, Some(_)) => (CompactionStatus::Failed, "The conversation could not be compacted.\n\n"),
            _ => return None,
        };
        if !self.features.compactions {
            return Some(message(words));
        }
        let update = CompactionUpdate::new(format!("compaction-{}", self.compactions), state);
        Some(SessionUpdate::CompactionUpdate(match &status.compact_error {
            Some(error) => update.error(&**error),
            None => update,
        }))
    }

    fn denied(&mut self, denied: &PermissionDenied) -> Option<SessionUpdate> {
        if !self.is_open(&denied.tool_use_id) {
            return None;
        }
        let why = denied.decision_reason.as_deref().unwrap_or(&denied.message);
        let content = vec![text(format!("Not permitted: {why}"))];
        let fields = ToolCallUpdateFields::new().status(ToolCallStatus::Failed).content(content);
        Some(update(&denied.tool_use_id, fields))
    }

    fn recalled(&self, recall: &MemoryRecall) -> Option<SessionUpdate> {
        let id = recall.uuid.as_ref()?;
        let call =
            ToolCall::new(ToolCallId::new(id.as_str()), format!("Remember {} notes", recall.memories.len()))
                .kind(ToolKind::Read)
                .status(ToolCallStatus::Completed)
                .locations(
                    recall
                        .memories
                        .iter()
                        .map(|memory| ToolCallLocation::new(&memory.path))
                        .collect::<Vec<_>>(),
                )
                .content(
                    recall
                        .memories
                        .iter()
                        .filter_map(|memory| memory.content.clone())
                        .map(text)
                        .collect::<Vec<_>>(),
                );
        Some(SessionUpdate::ToolCall(call))
    }
}

/// Returns the slash commands.
pub(crate) fn available_commands(commands: &[SlashCommand]) -> SessionUpdate {
    let command = |command: &SlashCommand| {
        let hint = Some(&command.argument_hint).filter(|hint| !hint.is_empty());
        let input = hint.map(|hint| AvailableCommandInput::Unstructured(UnstructuredCommandInput::new(hint)));
        AvailableCommand::new(shown_name(&command.name), &*command.description).input(input)
    };
    // Names that start with underscores are the CLI's own. After `/clear` the CLI has a session that the client does not know.
    let shown =
        commands.iter().filter(|command| !command.name.starts_with("__") && &*command.name != "clear");
    SessionUpdate::AvailableCommandsUpdate(AvailableCommandsUpdate::new(shown.map(command).collect()))
}

/// Returns the name of a command for the client. A prompt of an MCP server, `SERVER:PROMPT (MCP)`, is shown as
/// `mcp:SERVER:PROMPT`: Zed reads a typed name up to a blank, and refuses names that are not in the list.
///
/// If the server's name has a blank, the prompt is shown as `mcp__SERVER__PROMPT`, which the CLI accepts too, with the
/// server's name as in the names of its tools.
fn shown_name(name: &str) -> String {
    let Some(prompt) = name.strip_suffix(MCP_SUFFIX) else { return name.to_owned() };
    match prompt.rsplit_once(':').filter(|(server, _)| server.contains(' ')) {
        Some((server, prompt)) => {
            let is_replaced = |c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-');
            format!("mcp__{}__{prompt}", server.replace(is_replaced, "_"))
        }
        None => format!("{MCP_PREFIX}{prompt}"),
    }
}

/// Returns a prompt with a command as the CLI names it.
pub(crate) fn with_own_name(prompt: &str) -> String {
    let Some(typed) = prompt.strip_prefix('/').and_then(|rest| rest.strip_prefix(MCP_PREFIX)) else {
        return prompt.to_owned();
    };
    let end = typed.find(char::is_whitespace).unwrap_or(typed.len());
    let (name, arguments) = typed.split_at(end);
    format!("/{name}{MCP_SUFFIX}{arguments}")
}

const MCP_PREFIX: &str = "mcp:";
const MCP_SUFFIX: &str = " (MCP)";

#[cfg(test)]
mod tests {
    use super::{Mapping, Warning};
    use crate::features::Features;

    /// A user of an editor has no permission handler and no handshake.
    #[test]
    fn warnings_about_the_library_are_not_shown() {
        let mapping = Mapping::new(Features::default());
        let not_asked =
            |option| Warning::NotAsked { option, value: "auto".to_owned(), instead: "a classifier decides" };
        for (warning, shows) in [
            (not_asked("permissionMode"), false),
            (Warning::DeliveredByArgv { option: "mcpServers" }, false),
            (not_asked("allowedTools"), true),
            (Warning::NotDelivered { option: "mcpServers" }, true),
        ] {
            assert_eq!(mapping.warning(&warning).is_some(), shows, "{warning}");
        }
    }
}
