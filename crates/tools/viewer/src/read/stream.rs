//! Partial messages: collapsed into the message that they become, or shown by themselves where none came.

use agentwire_protocol::message::{Delta, Event, StreamEvent};

use super::Reader;
use crate::item::{Kind, Outcome};
use crate::part::{Look, Part, Place};

impl Reader<'_> {
    pub(super) fn stream_event(&mut self, event: &StreamEvent) {
        let parent = event.parent_tool_use_id.as_ref().map(ToString::to_string);
        if parent.is_none() {
            self.open_turn("");
        }
        if let Event::MessageStart(start) = &event.event {
            self.streaming.insert(parent.clone(), start.message.id.to_string());
        }
        let named = event.api_message_id.as_ref().map(ToString::to_string);
        let message = named.or_else(|| self.streaming.get(&parent).cloned()).unwrap_or_default();
        let item = match self.streams.get(&message) {
            Some(item) => *item,
            None => {
                let item = self.push_without(Kind::Stream, "Stream without a final message");
                self.items[item].about = parent;
                self.items[item].outcome = Some(Outcome::open("cut"));
                self.streams.insert(message, item);
                item
            }
        };
        self.items[item].streamed.push(self.entry);
        self.items[item].to = self.items[item].to.max(self.now);
        if self.items[item].kind == Kind::Stream
            && let Event::ContentBlockDelta(block) = &event.event
        {
            self.delta(item, &block.delta);
        }
    }

    /// Frames that come with a stream, such as estimates, are shown with it.
    pub(super) fn with_stream(&mut self) -> bool {
        let item = self.streaming.get(&None).and_then(|message| self.streams.get(message));
        let Some(item) = item.copied().filter(|item| self.items[*item].turn == self.turns.len() - 1) else {
            return false;
        };
        self.items[item].streamed.push(self.entry);
        true
    }

    /// Moves the streamed text of a message to the item of the whole message.
    pub(super) fn streamed_into(&mut self, message: &str, item: usize) {
        let Some(stream) = self.streams.get(message).copied() else { return };
        if self.items[stream].kind != Kind::Stream || self.items[stream].gone {
            return;
        }
        let streamed = std::mem::take(&mut self.items[stream].streamed);
        let from = self.items[stream].from;
        self.items[stream].gone = true;
        self.items[item].streamed = streamed;
        self.items[item].from = from;
        self.streams.insert(message.to_owned(), item);
    }

    /// Adds a piece of a message, if it is shown.
    fn delta(&mut self, item: usize, delta: &Delta) {
        let (look, more) = match delta {
            Delta::Text(delta) => (Look::Prose, delta.text.as_str()),
            Delta::Thinking(delta) => (Look::Thought, delta.thinking.as_str()),
            Delta::InputJson(delta) => (Look::Code, delta.partial_json.as_str()),
            _ => return,
        };
        let parts = &mut self.items[item].parts;
        match parts.last_mut() {
            Some(last) if last.look == look && last.text.len() < MAX_SHOWN => last.text.push_str(more),
            Some(last) if last.look == look => {}
            _ => {
                let mut part = Part::new(look, "so far", more, Place::default());
                // No single frame has the whole text.
                part.cut_from = None;
                parts.push(part);
            }
        }
    }
}

/// About this many bytes of a block are shown; the frames have the rest.
const MAX_SHOWN: usize = 1_500;
