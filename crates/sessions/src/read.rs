//! The conversation that a session's entries hold, as the CLI would go on with it.

mod graph;
mod kept;
mod lines;
mod link;
mod orphans;
mod queued;
mod subagents;

use agentwire_protocol::session_info::SessionMessage;
use agentwire_protocol::{RawJson, SessionId};

pub(crate) use lines::entries_of;
pub(crate) use link::is_true;
pub(crate) use subagents::Source;
pub(crate) use subagents::{AgentMetadata, agent_conversation};

use crate::sessions::{SessionError, Sessions};
use crate::{Page, RawEntry};
use graph::Graph;
use link::{Kind, Link};
use queued::Queued;

/// The conversation in a session's entries: what the user and the model said, from the start to where it would go on.
///
/// An entry names the one before it, so that entries make a tree; the conversation is one way through it.
/// - It ends with what was written last, outside of sidechains.
/// - After a compaction it starts with the summary; messages that the compaction kept stand after it, once.
/// - Calls of one response that ran in parallel are all there, with their results, although their entries branch.
/// - A prompt that was put in the queue and taken into a turn stands where the turn took it.
/// - What only the CLI says in the user's place, and what subagents and teammates say, is left out.
///
/// It is a pure function of the entries in their order; those that it can't read are left out.
/// Measured with the CLI 2.1.330, by what it sends to the model when it resumes; the published TypeScript SDK does the
/// same, the published Python SDK knows neither kept messages nor queued prompts.
pub fn conversation(entries: &[RawEntry]) -> Vec<SessionMessage> {
    messages(entries, false)
}

/// The same with the system entries in it, such as the boundaries of compactions and notices of the CLI; each has `null`
/// for its message, and its entry has the rest.
pub fn conversation_with_system(entries: &[RawEntry]) -> Vec<SessionMessage> {
    messages(entries, true)
}

fn messages(entries: &[RawEntry], with_system: bool) -> Vec<SessionMessage> {
    let graph = Graph::of(entries);
    let Some(leaf) = graph.leaf() else { return Vec::new() };
    let (mut way, trailing) = (graph.way_to(leaf), graph.trailing(leaf));
    orphans::put_back(&graph, &mut way);
    let main = way.len();
    way.extend(trailing);
    let queued = Queued::of(&graph, &way, main, entries);
    let shown = way.iter().enumerate().filter_map(|(at, &link)| {
        let link = &graph.links[link];
        match link.kind {
            _ if link.sidechain || link.team => None,
            Kind::User | Kind::Assistant if !link.meta => Some(message(link, &entries[link.entry])),
            Kind::System if with_system && !link.meta => Some(message(link, &entries[link.entry])),
            Kind::Attachment => queued.message(at, link, &entries[link.entry]),
            _ => None,
        }
    });
    shown.collect()
}

impl Sessions {
    /// The session's conversation, as [`conversation`] tells it; `None` where the session is not found.
    ///
    /// A last line that is half written is left out, and so is a line that is no JSON object.
    /// The whole file is in memory while it works.
    ///
    /// # Errors
    ///
    /// When the id is no UUID, or the folder of all projects or the file can't be read.
    pub fn messages(&self, id: &SessionId, page: Page) -> Result<Option<Vec<SessionMessage>>, SessionError> {
        self.read(id, page, conversation)
    }

    /// The same with system entries, as [`conversation_with_system`] tells it.
    ///
    /// # Errors
    ///
    /// As [`messages`](Self::messages).
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

/// The message in an entry.
fn message(link: &Link, entry: &RawEntry) -> SessionMessage {
    let session = SessionId::from(link.session.as_str());
    let message = link::message(entry).unwrap_or_else(null);
    SessionMessage::new(link.kind.of_message(), link.uuid.clone(), session, message)
}

/// What an entry without a message has in its place.
fn null() -> RawJson {
    RawJson::encode(&()).unwrap_or_else(|_| RawJson::empty_object())
}
