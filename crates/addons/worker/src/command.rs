//! The commands to a session's task, and the state that it publishes.

use std::sync::{Mutex, PoisonError};

use agentwire::protocol::{ToolUseId, message::UserInput};
use tokio::{sync::mpsc, time::Instant};

use crate::{
    machine::{Event, Phase},
    turn::{Answer, Fence, Question, SessionName, TurnSpec},
};

/// A command for a session.
#[derive(Debug)]
pub(crate) enum Command {
    /// Starts a turn. The sender has set [`View::is_busy`] before.
    Start(Box<(Fence, TurnSpec)>),
    Answer(ToolUseId, Answer),
    Interrupt,
    Steer(Box<UserInput>),
    /// Wakes the task, which reads [`View::is_stopped`].
    Stop,
    Finish,
    Drain,
    Evict,
}

/// Waits for a command that ends a turn, while its process starts. Commands for the running turn are added to `later`.
pub(crate) async fn stopped(
    commands: &mut mpsc::Receiver<Command>,
    view: &Mutex<View>,
    later: &mut Vec<Command>,
) -> Event {
    loop {
        if view.lock().unwrap_or_else(PoisonError::into_inner).is_stopped {
            return Event::Stop;
        }
        match commands.recv().await {
            Some(Command::Drain) => return Event::Drain,
            Some(Command::Interrupt) | None => return Event::Stop,
            Some(Command::Steer(_)) if later.len() >= STEERING => {
                tracing::warn!("a prompt for a running turn is dropped: {STEERING} wait for its process");
            }
            Some(command @ (Command::Steer(_) | Command::Finish)) => later.push(command),
            // The turn has not begun, so there is nothing to answer.
            Some(_) => {}
        }
    }
}

/// How many prompts for a turn may wait while its process starts.
const STEERING: usize = 64;

/// The state of a session that the worker reads, and where it claims the session for a turn.
#[derive(Debug)]
pub(crate) struct View {
    /// Whether a turn has been accepted and not yet reported.
    pub(crate) is_busy: bool,
    /// The number of the fence of the last accepted turn.
    pub(crate) accepted: u64,
    /// Whether the accepted turn must end. A flag as well as a command, because the queue may be full.
    pub(crate) is_stopped: bool,
    /// The session that waits for the slot of this process, which is ending.
    pub(crate) ends_for: Option<SessionName>,
    /// Whether the task no longer accepts turns.
    pub(crate) is_closed: bool,
    pub(crate) phase: Phase,
    pub(crate) fence: Option<Fence>,
    pub(crate) questions: Vec<Question>,
    /// When the phase began.
    pub(crate) since: Instant,
}

impl View {
    pub(crate) fn new(accepted: u64) -> Self {
        Self {
            is_busy: true,
            accepted,
            is_stopped: false,
            ends_for: None,
            is_closed: false,
            phase: Phase::Cold,
            fence: None,
            questions: Vec::new(),
            since: Instant::now(),
        }
    }
}
