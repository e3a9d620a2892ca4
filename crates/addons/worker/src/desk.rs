//! The link between a worker and the task of a session.

use agentwire::protocol::{ToolUseId, message::UserInput};
use tokio::time::Instant;

use crate::{
    machine::Phase,
    turn::{Answer, Fence, Question, TurnSpec},
};

/// A command for a session.
#[derive(Debug)]
pub(crate) enum Command {
    /// Starts a turn. The sender has set [`View::is_busy`] before.
    Start(Box<(Fence, TurnSpec)>),
    Answer(ToolUseId, Answer),
    Interrupt,
    Steer(Box<UserInput>),
    Stop,
    Finish,
    Drain,
    Evict,
}

/// The state of a session that the worker reads, and where it claims the session for a turn.
#[derive(Debug)]
pub(crate) struct View {
    /// A turn has been accepted and not reported.
    pub(crate) is_busy: bool,
    /// The task accepts no turn any more.
    pub(crate) is_closed: bool,
    pub(crate) phase: Phase,
    pub(crate) fence: Option<Fence>,
    pub(crate) questions: Vec<Question>,
    /// When the phase began.
    pub(crate) since: Instant,
}

impl View {
    pub(crate) fn new() -> Self {
        Self {
            is_busy: true,
            is_closed: false,
            phase: Phase::Cold,
            fence: None,
            questions: Vec::new(),
            since: Instant::now(),
        }
    }
}
