//! What an entry is, by its kind.

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
    /// It is a view: what a known kind has beyond the fields named here is in the [`RawEntry`] that it was read from,
    /// as is where the entry stands in the conversation ([`EntryContext`](super::EntryContext)).
    /// What the CLI keeps for itself alone, such as the requests that it sent to the model, is `Unknown`.
    ///
    /// The kinds are those of the CLI 2.1.330, some of which older ones wrote.
    pub enum Entry by "type" {
        /// Something said to the model: a prompt, a tool's result.
        User(UserEntry) = "user",
        /// One content block of an answer of the model.
        Assistant(Box<AssistantEntry>) = "assistant",
        /// Something that the CLI noted in the conversation, such as where it was compacted.
        System(SystemEntry) = "system",
        /// Something that was given to the model beside what was said.
        Attachment(AttachmentEntry) = "attachment",
        /// How a tool gets on; older versions wrote it.
        Progress(Progress) = "progress",
        /// What a part of a conversation was about; older versions wrote it.
        Summary(Summary) = "summary",
        /// The title that the user gave the session.
        CustomTitle(CustomTitle) = "custom-title",
        /// The title that the model gave it.
        AiTitle(AiTitle) = "ai-title",
        /// The user's tag for it.
        Tag(TagEntry) = "tag",
        /// The last prompt, and the message that the conversation ends with.
        LastPrompt(LastPrompt) = "last-prompt",
        /// The mode that the session is in, such as `normal`.
        Mode(Mode) = "mode",
        /// How permissions are asked for.
        PermissionMode(PermissionModeEntry) = "permission-mode",
        /// The name of the session as an agent of a team.
        AgentName(AgentName) = "agent-name",
        /// Its colour.
        AgentColor(AgentColor) = "agent-color",
        /// The agent that the session runs as.
        AgentSetting(AgentSetting) = "agent-setting",
        /// A pull request that the session made.
        PrLink(PrLink) = "pr-link",
        /// A page that the session published.
        FrameLink(FrameLink) = "frame-link",
        /// The session went on in another folder.
        Relocated(Relocated) = "relocated",
        /// The model ended the session.
        EndedByModel(EndedByModel) = "ended-by-model",
        /// The session goes on as another one.
        ContinuedIn(ContinuedIn) = "continued-in",
        /// The sessions that this one was made from.
        DerivedFrom(DerivedFrom) = "derived-from",
        /// What was queued, and what was taken from the queue.
        QueueOperation(QueueOperation) = "queue-operation",
        /// What the session has cost until then.
        CostState(CostState) = "cost-state",
        /// The tools that it has used.
        ToolsUsed(ToolsUsed) = "tools-used",
        /// Tool results that were put elsewhere because of their length.
        ContentReplacement(ContentReplacement) = "content-replacement",
        /// The worktree that the session works in.
        WorktreeState(WorktreeState) = "worktree-state",
        /// The state of the files at a message, to go back to.
        FileHistorySnapshot(FileHistorySnapshot) = "file-history-snapshot",
        /// A file that was added to such a state.
        FileHistoryDelta(FileHistoryDelta) = "file-history-delta",
    }
}

impl RawEntry {
    /// Reads the entry by its kind.
    ///
    /// # Errors
    ///
    /// When a known kind does not have the shape that is known of it; the text is still here.
    pub fn typed(&self) -> Result<Entry, DecodeError> {
        Entry::of(Some(self.kind()).filter(|kind| !kind.is_empty()), self.as_json())
    }
}
