//! Entries by kind.

use agentwire_protocol::DecodeError;

use super::attachment::AttachmentEntry;
use super::files::{FileHistoryDelta, FileHistorySnapshot, WorktreeState};
use super::message::{AssistantEntry, ContentReplacement, UserEntry};
use super::names::{
    AgentColor, AgentName, AgentSetting, AiTitle, CustomTitle, LastPrompt, Mode, PermissionModeEntry,
    Summary, TagEntry,
};
use super::relations::{ContinuedIn, DerivedFrom, EndedByModel, FrameLink, PrLink, Relocated};
use super::running::{CostState, Progress, QueueOperation, ToolsUsed};
use super::system::SystemEntry;
use super::union::union;
use crate::RawEntry;

union! {
    /// An entry of a stored session, by its kind.
    ///
    /// Each type has only the commonly used fields; the [`RawEntry`] has all, and
    /// [`EntryContext`](super::EntryContext) has the entry's place in the conversation.
    /// Entries for the CLI's internal use, such as its API requests, are `Unknown`.
    ///
    /// Covers the kinds that the CLI 2.1.330 reads, some of which only older versions write.
    pub enum Entry by "type" {
        /// A message to the model: a prompt or a tool result.
        User(UserEntry) = "user",
        /// One content block of the model's answer.
        Assistant(Box<AssistantEntry>) = "assistant",
        /// A note by the CLI in the conversation, such as the boundary of a compaction.
        System(SystemEntry) = "system",
        /// Content for the model besides the messages.
        Attachment(AttachmentEntry) = "attachment",
        /// Progress of a tool; written by older versions.
        Progress(Progress) = "progress",
        /// A summary of part of a conversation; written by older versions.
        Summary(Summary) = "summary",
        /// The title that the user gave the session.
        CustomTitle(CustomTitle) = "custom-title",
        /// The title that the model gave the session.
        AiTitle(AiTitle) = "ai-title",
        /// The user's tag for the session.
        Tag(TagEntry) = "tag",
        /// The last prompt, and the last message of the conversation.
        LastPrompt(LastPrompt) = "last-prompt",
        /// The mode of the session, such as `normal`.
        Mode(Mode) = "mode",
        /// The permission mode.
        PermissionMode(PermissionModeEntry) = "permission-mode",
        /// The name of the session as an agent of a team.
        AgentName(AgentName) = "agent-name",
        /// The colour of the session as an agent of a team.
        AgentColor(AgentColor) = "agent-color",
        /// The agent that the session runs as.
        AgentSetting(AgentSetting) = "agent-setting",
        /// A pull request that the session opened.
        PrLink(PrLink) = "pr-link",
        /// A page that the session published.
        FrameLink(FrameLink) = "frame-link",
        /// The session moved to another folder.
        Relocated(Relocated) = "relocated",
        /// The model ended the session.
        EndedByModel(EndedByModel) = "ended-by-model",
        /// The session continues as another one.
        ContinuedIn(ContinuedIn) = "continued-in",
        /// The sessions from which this one was created.
        DerivedFrom(DerivedFrom) = "derived-from",
        /// A change of the prompt queue.
        QueueOperation(QueueOperation) = "queue-operation",
        /// The cost of the session so far.
        CostState(CostState) = "cost-state",
        /// The tools that the session has used.
        ToolsUsed(ToolsUsed) = "tools-used",
        /// Tool results that were replaced because of their length.
        ContentReplacement(ContentReplacement) = "content-replacement",
        /// The worktree that the session works in.
        WorktreeState(WorktreeState) = "worktree-state",
        /// The state of the files at a message, for rewinding.
        FileHistorySnapshot(FileHistorySnapshot) = "file-history-snapshot",
        /// A file that was added to such a state.
        FileHistoryDelta(FileHistoryDelta) = "file-history-delta",
    }
}

impl RawEntry {
    /// Decodes the entry by its kind.
    ///
    /// # Errors
    ///
    /// If an entry of a known kind has an unexpected shape; the raw text remains available.
    pub fn typed(&self) -> Result<Entry, DecodeError> {
        Entry::of(Some(self.kind()).filter(|kind| !kind.is_empty()), self.as_json())
    }
}
