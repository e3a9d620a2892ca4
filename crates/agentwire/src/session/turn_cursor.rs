//! The position of a reader in the stream of turns.

use agentwire_codec::Incoming;
use agentwire_control::{SessionEvent, TurnEnd};
use agentwire_protocol::{
    Message, System, Uuid,
    message::{CommandState, TurnResult},
};

/// The position of a reader in the stream of turns.
#[derive(Debug, Default)]
pub(crate) struct TurnCursor {
    /// The number of turns that ended before this position.
    ended: u64,
    /// Whether a message arrived that only occurs inside a turn.
    begun: bool,
    /// The prompts that the turn answers, as far as the CLI has named them.
    prompts: Vec<Uuid>,
    /// Whether the last delivery was the end of a turn.
    over: bool,
}

/// Which turn a message belongs to, relative to the awaited prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TurnOwner {
    /// The turn of the prompt.
    Own,
    /// Another turn.
    Other,
    /// No turn.
    NoTurn,
}

/// The turn of a prompt that a reader waits for.
#[derive(Debug)]
pub(crate) struct ExpectedTurn {
    pub(crate) prompt: Uuid,
    /// The number of turns that had ended when the prompt was sent; none of them is its own.
    pub(crate) after: u64,
}

impl TurnCursor {
    /// Advances past a delivery.
    pub(crate) fn advance(&mut self, delivery: &SessionEvent) {
        if std::mem::take(&mut self.over) {
            self.begun = false;
            self.prompts.clear();
        }
        match delivery {
            SessionEvent::Incoming(incoming) => {
                if let Some(message) = incoming.message() {
                    self.note(message);
                }
            }
            SessionEvent::TurnEnded(end) => {
                self.over = true;
                self.ended += u64::from(*end != TurnEnd::NoResult);
            }
            _ => {}
        }
    }

    /// Returns the owner of the last delivery; `named` is whether the CLI names prompts.
    ///
    /// A CLI that does not (2.1.197) answers prompts in order: the first turn that ends after the prompt was sent
    /// counts as its own.
    pub(crate) fn owner(&self, awaited: &ExpectedTurn, named: bool) -> TurnOwner {
        let turn = if self.over { self.ended } else { self.ended + 1 };
        if turn <= awaited.after {
            return TurnOwner::Other;
        }
        if self.prompts.contains(&awaited.prompt) {
            return TurnOwner::Own;
        }
        match (self.begun, named) {
            (false, _) => TurnOwner::NoTurn,
            (true, false) => TurnOwner::Own,
            (true, true) => TurnOwner::Other,
        }
    }

    fn note(&mut self, message: &Message) {
        match message {
            // The first message about a prompt's turn, or about a running turn that absorbs the prompt.
            Message::CommandLifecycle(receipt) if receipt.state == CommandState::Started => {
                self.begun = true;
                self.name([&receipt.command_uuid]);
            }
            // Arrives once per turn.
            Message::System(System::Init(init)) => {
                self.begun = true;
                self.name(init.user_message_uuids.iter().flatten());
            }
            Message::Assistant(message) => {
                self.begun |= message.parent_tool_use_id.is_none();
                self.name(message.user_message_uuids.iter().flatten().chain(&message.user_message_uuid));
            }
            Message::StreamEvent(event) => {
                self.begun |= event.parent_tool_use_id.is_none();
                self.name(event.user_message_uuids.iter().chain(event.user_message_uuid.as_deref()));
            }
            Message::Result(result) => {
                self.begun = true;
                self.name(prompts(result));
            }
            _ => {}
        }
    }

    fn name<'a>(&mut self, prompts: impl IntoIterator<Item = &'a Uuid>) {
        for prompt in prompts {
            if self.prompts.len() < MAX_PROMPTS && !self.prompts.contains(prompt) {
                self.prompts.push(prompt.clone());
            }
        }
    }
}

/// Returns whether the message settles the prompt: nothing more will follow for it.
pub(crate) fn settles(incoming: &Incoming, prompt: &Uuid) -> bool {
    matches!(incoming.message(), Some(Message::CommandLifecycle(receipt))
        if receipt.command_uuid == *prompt
            && matches!(receipt.state, CommandState::Completed | CommandState::Cancelled))
}

fn prompts(result: &TurnResult) -> impl Iterator<Item = &Uuid> {
    result.user_message_uuids.iter().flatten().chain(&result.user_message_uuid)
}

/// The CLI names at most 64 prompts, and reports each prompt that starts a turn.
const MAX_PROMPTS: usize = 1024;
