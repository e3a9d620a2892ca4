//! The answer of the main conversation while it streams, and which part of a whole block is new.

use agent_client_protocol::v1::schema::SessionUpdate;
use agentwire::{
    Block,
    protocol::{
        ApiMessageId,
        content::ToolUse,
        message::{Delta, Event},
    },
};

use super::chunk;

/// The block that streams.
#[derive(Debug, Default)]
pub(super) struct Streamed {
    message: Option<ApiMessageId>,
    pub(super) text: String,
    pub(super) thinking: String,
}

/// A part of a streamed answer that is shown.
pub(super) enum Fragment {
    /// A piece of text or thinking.
    Update(Box<SessionUpdate>),
    /// The start of a tool call.
    Tool(Box<ToolUse>),
}

impl Streamed {
    /// Returns what a stream event shows.
    pub(super) fn take(&mut self, event: &Event) -> Option<Fragment> {
        match event {
            Event::MessageStart(start) => {
                *self = Self { message: Some(start.message.id.clone()), ..Self::default() };
                None
            }
            Event::ContentBlockStart(start) => {
                self.text.clear();
                self.thinking.clear();
                match &start.content_block {
                    Block::ToolUse(tool) => Some(Fragment::Tool(tool.clone())),
                    _ => None,
                }
            }
            Event::ContentBlockDelta(delta) => match &delta.delta {
                Delta::Text(delta) => {
                    self.text.push_str(&delta.text);
                    let chunk = chunk(&delta.text, self.message.as_ref());
                    chunk.map(SessionUpdate::AgentMessageChunk).map(Box::new).map(Fragment::Update)
                }
                Delta::Thinking(delta) => {
                    self.thinking.push_str(&delta.thinking);
                    let chunk = chunk(&delta.thinking, self.message.as_ref());
                    chunk.map(SessionUpdate::AgentThoughtChunk).map(Box::new).map(Fragment::Update)
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// Takes the streamed text of a block, and returns the rest of the whole text.
pub(super) fn rest<'a>(streamed: &mut String, whole: &'a str) -> &'a str {
    let streamed = std::mem::take(streamed);
    whole.strip_prefix(&*streamed).unwrap_or(whole)
}
