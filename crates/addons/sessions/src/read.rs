//! Reads the conversation from a session's entries, as the CLI would resume it.

mod graph;
mod kept;
mod lines;
mod link;
mod orphans;
mod queued;
mod subagents;
mod talk;

use std::collections::HashSet;

use agentwire_protocol::session_info::SessionMessage;
use agentwire_protocol::{RawJson, SessionId, Uuid};

pub(crate) use lines::entries_of;
pub(crate) use link::{is_sent, is_true};
pub(crate) use subagents::Source;
pub(crate) use subagents::{AgentMetadata, agent_conversation, read_metadata};
pub(crate) use talk::TALK;

use crate::sessions::{SessionError, Sessions};
use crate::{Page, RawEntry};
use graph::Graph;
use link::{Kind, Link};
use queued::Queued;

/// Returns the conversation in a session's entries: the messages of the user and the model up to the current end.
///
/// Entries link to their parent, so they form a tree; the conversation is one path through it.
/// - It ends with the last written message outside of sidechains.
/// - After a compaction it starts with the summary, followed by the messages that the compaction kept.
/// - Parallel tool calls of one response are all included with their results, although their entries branch.
/// - A queued prompt is at the place where a turn took it from the queue.
/// - Messages that the CLI generated, such as the end of a turn without an answer, and messages of subagents and
///   teammates are left out; those of channels, peers, Slack, voice calls and observers are included.
///
/// The result depends only on the entries in their order; invalid entries are skipped.
/// Verified with the CLI 2.1.330 by the messages that it sends to the model when it resumes. The reference SDK for
/// TypeScript does the same, except that it returns the tool calls of a script instead of the call that ran the script;
/// that for Python supports neither kept messages, nor queued prompts, nor those of channels.
pub fn conversation(entries: &[RawEntry]) -> Vec<SessionMessage> {
    messages(entries, false)
}

/// Returns the conversation with system entries, such as the boundaries of compactions and notes of the CLI. Their
/// message is `null`; the raw entry has their fields.
pub fn conversation_with_system(entries: &[RawEntry]) -> Vec<SessionMessage> {
    messages(entries, true)
}

fn messages(entries: &[RawEntry], with_system: bool) -> Vec<SessionMessage> {
    let entries = &*talk::as_messages(entries);
    let graph = Graph::of(entries);
    let (way, main) = path(&graph);
    let queued = Queued::of(&graph, &way, main, entries, false);
    let shown = way.iter().enumerate().filter_map(|(at, &link)| {
        let link = &graph.links[link];
        match link.kind {
            _ if link.sidechain || link.team => None,
            Kind::User | Kind::Assistant if !link.generated => Some(message(link, &entries[link.entry])),
            Kind::System if with_system && !link.generated => Some(message(link, &entries[link.entry])),
            Kind::Attachment => queued.message(at, link, &entries[link.entry]),
            _ => None,
        }
    });
    shown.collect()
}

/// Returns the ids of the entries on the path that is the conversation.
pub(crate) fn path_ids(entries: &[RawEntry]) -> HashSet<Uuid> {
    let graph = Graph::of(&talk::as_messages(entries));
    let (way, _) = path(&graph);
    way.into_iter().map(|link| graph.links[link].uuid.clone()).collect()
}

/// Returns the path that is the conversation, followed by the prompts that were still queued at its end; and its
/// length without these prompts.
fn path(graph: &Graph) -> (Vec<usize>, usize) {
    let Some(leaf) = graph.leaf() else { return (Vec::new(), 0) };
    let mut way = graph.way_to(leaf);
    orphans::put_back(graph, &mut way);
    let main = way.len();
    way.extend(graph.trailing(leaf));
    (way, main)
}

impl Sessions {
    /// Returns the session's [`conversation`]; `None` if the session does not exist.
    ///
    /// An incomplete last line and lines that are not JSON objects are skipped.
    /// The whole file is held in memory.
    ///
    /// # Errors
    ///
    /// If the id is not a UUID, or the projects folder or the file can't be read.
    pub fn messages(&self, id: &SessionId, page: Page) -> Result<Option<Vec<SessionMessage>>, SessionError> {
        self.read(id, page, conversation)
    }

    /// Returns the session's [`conversation_with_system`].
    ///
    /// # Errors
    ///
    /// As for [`messages`](Self::messages).
    pub fn messages_with_system(
        &self,
        id: &SessionId,
        page: Page,
    ) -> Result<Option<Vec<SessionMessage>>, SessionError> {
        self.read(id, page, conversation_with_system)
    }

    fn read(
        &self,
        id: &SessionId,
        page: Page,
        messages: fn(&[RawEntry]) -> Vec<SessionMessage>,
    ) -> Result<Option<Vec<SessionMessage>>, SessionError> {
        let Some(file) = self.find(id)? else { return Ok(None) };
        let messages = messages(&entries_of(&file.path)?);
        Ok(Some(page.of(messages.into_iter()).collect()))
    }
}

/// Returns the message in an entry.
fn message(link: &Link, entry: &RawEntry) -> SessionMessage {
    let session = SessionId::from(link.session.as_str());
    let message = link::message(entry).unwrap_or_else(null);
    SessionMessage::new(link.kind.of_message(), link.uuid.clone(), session, message)
}

/// Returns the `null` message of an entry without one.
fn null() -> RawJson {
    RawJson::encode(&()).unwrap_or_else(|_| RawJson::empty_object())
}
