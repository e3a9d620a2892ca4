//! Where a reader stands in the stream of turns, and whose turn that is.

use agentwire_codec::Incoming;
use agentwire_control::{Delivery, TurnEnd};
use agentwire_protocol::{
    Message, System, Uuid,
    message::{CommandState, TurnResult},
};

/// Where a reader stands in the stream of turns.
#[derive(Debug, Default)]
pub(crate) struct Place {
    /// How many turns have ended before here.
    ended: u64,
    /// Whether something came that only a turn says.
    begun: bool,
    /// The prompts that the turn answers, as far as the CLI has named them.
    prompts: Vec<Uuid>,
    /// Whether what was seen last is the turn's end.
    over: bool,
}

/// Whom something belongs to, for a reader who waits for the turn of one prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TurnOwner {
    /// It is of the prompt's own turn.
    Own,
    /// It is of another turn.
    Other,
    /// It is of no turn.
    Nobody,
}

/// What a reader waits for: the turn of a prompt.
#[derive(Debug)]
pub(crate) struct ExpectedTurn {
    pub(crate) prompt: Uuid,
    /// How many turns had ended when it was sent: none of those is its own.
    pub(crate) after: u64,
}

impl Place {
    /// Takes note of what was read.
    pub(crate) fn see(&mut self, delivery: &Delivery) {
        if std::mem::take(&mut self.over) {
            self.begun = false;
            self.prompts.clear();
        }
        match delivery {
            Delivery::Incoming(incoming) => {
                if let Some(message) = incoming.message() {
                    self.hear(message);
                }
            }
            Delivery::TurnEnded(end) => {
                self.over = true;
                self.ended += u64::from(*end != TurnEnd::NoResult);
            }
            _ => {}
        }
    }

    /// Whom what was seen last belongs to; `named` says whether the CLI names prompts at all.
    ///
    /// One that does not (2.1.197) answers in the order of the prompts: the first turn that ends after the prompt was
    /// sent is taken for its own.
    pub(crate) fn whose(&self, awaited: &ExpectedTurn, named: bool) -> TurnOwner {
        let turn = if self.over { self.ended } else { self.ended + 1 };
        if turn <= awaited.after {
            return TurnOwner::Other;
        }
        if self.prompts.contains(&awaited.prompt) {
            return TurnOwner::Own;
        }
        match (self.begun, named) {
            (false, _) => TurnOwner::Nobody,
            (true, false) => TurnOwner::Own,
            (true, true) => TurnOwner::Other,
        }
    }

    fn hear(&mut self, message: &Message) {
        match message {
            // The first that is said of a prompt's turn, or of a running one that takes it in.
            Message::CommandLifecycle(told) if told.state == CommandState::Started => {
                self.begun = true;
                self.name([&told.command_uuid]);
            }
            // It comes once for each turn.
            Message::System(System::Init(init)) => {
                self.begun = true;
                self.name(init.user_message_uuids.iter().flatten());
            }
            Message::Assistant(said) => {
                self.begun |= said.parent_tool_use_id.is_none();
                self.name(said.user_message_uuids.iter().flatten().chain(&said.user_message_uuid));
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
            if self.prompts.len() < MOST && !self.prompts.contains(prompt) {
                self.prompts.push(prompt.clone());
            }
        }
    }
}

/// Whether it says that nothing more will become of the prompt.
pub(crate) fn settles(incoming: &Incoming, prompt: &Uuid) -> bool {
    matches!(incoming.message(), Some(Message::CommandLifecycle(told))
        if told.command_uuid == *prompt
            && matches!(told.state, CommandState::Completed | CommandState::Cancelled))
}

fn prompts(result: &TurnResult) -> impl Iterator<Item = &Uuid> {
    result.user_message_uuids.iter().flatten().chain(&result.user_message_uuid)
}

/// The CLI names 64 at most, and tells of each that a turn begins with.
const MOST: usize = 1024;
