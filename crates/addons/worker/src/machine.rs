//! The states of a session on a worker, without I/O and without a clock.

use std::time::Duration;

use agentwire::protocol::ToolUseId;
use serde::{Deserialize, Serialize};

use crate::turn::{Answer, Question, Way};

/// The state of one session on one worker.
///
/// A machine gets each event with the time since any fixed point, and returns the effects to execute, in order.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    grace: Duration,
    ttl: Duration,
    phase: Phase,
    /// The end of the phase, where it has one.
    deadline: Option<Duration>,
    open: Vec<Question>,
}

/// The phase of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Phase {
    /// No turn has run on this worker, or its process has ended after a turn.
    Cold,
    /// A turn runs.
    Running,
    /// A turn waits for answers of a person, for a grace period.
    Asking,
    /// The grace period is over, and the process is about to end.
    Parking,
    /// No process lives, and questions are open.
    Parked,
    /// The process lives and waits for the next turn.
    Idle,
    /// The CLI ended in a turn.
    Interrupted,
    /// The turn was stopped.
    Cancelled,
    /// The worker released the session.
    Drained,
}

/// An event of a session.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    /// A turn begins.
    Start,
    /// The CLI asks.
    Asked(Question),
    /// A person has answered.
    Answered(ToolUseId, Answer),
    /// The CLI has withdrawn a question.
    Withdrawn(ToolUseId),
    /// The CLI has sent the result of the turn, and has gone idle if it reports its states.
    Result {
        /// Whether the result reports a deferred tool use.
        deferred: bool,
    },
    /// The CLI has sent the result of the turn, and does not go idle.
    IdleTimeout,
    /// The CLI has ended, or could not be started.
    Gone,
    /// The turn must end.
    Stop,
    /// The worker takes no further turn: a running one may finish, and questions are parked at once.
    Finish,
    /// The worker releases the session: questions are parked, and a running turn ends.
    Drain,
    /// A process is needed for another session.
    Evict,
    /// Time has passed.
    Tick,
}

/// An effect to execute.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Effect {
    /// Start the process if none lives, then start the turn.
    Launch,
    /// Answer the CLI.
    Decide(ToolUseId, Answer),
    /// Answer the CLI with `defer`.
    Defer(ToolUseId),
    /// Interrupt the turn, which withdraws its open questions.
    Interrupt,
    /// End the process.
    Close,
    /// Report the end of the turn.
    Report(Ending),
}

/// The end of a turn, as the machine sees it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ending {
    /// With a result.
    Done,
    /// With open questions.
    Parked(Vec<Question>),
    /// By [`Event::Stop`].
    Cancelled,
    /// By [`Event::Drain`].
    Drained,
    /// By [`Event::Gone`].
    Interrupted,
}

impl Machine {
    /// Returns the machine of a session without a process. A question is parked after `grace`, and a process that waits
    /// for a turn is ended after `ttl`.
    pub(crate) fn new(grace: Duration, ttl: Duration) -> Self {
        Self { grace, ttl, phase: Phase::Cold, deadline: None, open: Vec::new() }
    }

    /// Returns the phase.
    pub(crate) fn phase(&self) -> Phase {
        self.phase
    }

    /// Returns the questions that wait for an answer.
    pub(crate) fn questions(&self) -> &[Question] {
        &self.open
    }

    /// Returns when [`Event::Tick`] is due.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        self.deadline
    }

    /// Returns whether a turn runs.
    pub(crate) fn in_turn(&self) -> bool {
        matches!(self.phase, Phase::Running | Phase::Asking | Phase::Parking)
    }

    /// Applies an event, and returns the effects to execute. An event that does not fit the phase has none.
    pub(crate) fn apply(&mut self, now: Duration, event: Event) -> Vec<Effect> {
        match event {
            Event::Start if !self.in_turn() => {
                self.open.clear();
                self.enter(Phase::Running, None);
                vec![Effect::Launch]
            }
            Event::Asked(question) if matches!(self.phase, Phase::Running | Phase::Asking) => {
                self.open.push(question);
                let until = self.deadline.or(now.checked_add(self.grace));
                self.enter(Phase::Asking, until);
                Vec::new()
            }
            Event::Asked(question) if self.phase == Phase::Parking => {
                // The CLI asks for the next tool use of a message after it has deferred one, and would keep the last.
                self.open.push(Question { way: Way::Grant, ..question });
                self.end(Phase::Parked, Ending::Parked(self.open.clone()))
            }
            // The CLI may start a turn of its own, in which no engine would show the question.
            Event::Asked(question) if self.phase == Phase::Idle => {
                vec![Effect::Decide(question.id, Answer::deny(NO_TURN))]
            }
            Event::Answered(id, answer) if self.phase == Phase::Asking => {
                let known = self.close_question(&id);
                known.then_some(Effect::Decide(id, answer)).into_iter().collect()
            }
            Event::Withdrawn(id) if self.phase == Phase::Asking => {
                self.close_question(&id);
                Vec::new()
            }
            Event::Result { deferred } if self.in_turn() => self.result(now, deferred),
            // The CLI may still work, which must not go on beside the next turn.
            Event::IdleTimeout if self.phase == Phase::Running => self.end(Phase::Cold, Ending::Done),
            Event::Gone if self.in_turn() => {
                // A process that ends while it is being parked has not answered its questions either.
                let parked = self.phase == Phase::Parking;
                let ending = if parked { Ending::Parked(self.open.clone()) } else { Ending::Interrupted };
                self.end(if parked { Phase::Parked } else { Phase::Interrupted }, ending)
            }
            Event::Gone if self.phase == Phase::Idle => self.cool(),
            Event::Stop if self.in_turn() => self.end(Phase::Cancelled, Ending::Cancelled),
            Event::Finish => {
                (self.grace, self.ttl) = (Duration::ZERO, Duration::ZERO);
                match self.phase {
                    Phase::Asking => self.park(now),
                    Phase::Idle => self.cool(),
                    _ => Vec::new(),
                }
            }
            Event::Drain => match self.phase {
                Phase::Asking => self.park(now),
                Phase::Running => self.end(Phase::Drained, Ending::Drained),
                Phase::Idle => self.cool(),
                _ => Vec::new(),
            },
            Event::Evict if self.phase == Phase::Idle => self.cool(),
            Event::Tick if self.deadline.is_some_and(|deadline| deadline <= now) => match self.phase {
                Phase::Asking => self.park(now),
                Phase::Parking => self.end(Phase::Parked, Ending::Parked(self.open.clone())),
                Phase::Idle => self.cool(),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn enter(&mut self, phase: Phase, deadline: Option<Duration>) {
        self.phase = phase;
        self.deadline = deadline;
    }

    /// Removes an open question, and returns whether there was one.
    fn close_question(&mut self, id: &ToolUseId) -> bool {
        let before = self.open.len();
        self.open.retain(|question| question.id != *id);
        if self.open.is_empty() {
            self.enter(Phase::Running, None);
        }
        self.open.len() < before
    }

    fn park(&mut self, now: Duration) -> Vec<Effect> {
        self.enter(Phase::Parking, now.checked_add(PARKING));
        match &self.open[..] {
            [one] if one.way == Way::Defer => vec![Effect::Defer(one.id.clone())],
            _ => {
                // The CLI keeps one deferred tool use.
                self.grant();
                vec![Effect::Interrupt]
            }
        }
    }

    /// Makes the answers to the open questions grants.
    fn grant(&mut self) {
        for question in &mut self.open {
            question.way = Way::Grant;
        }
    }

    fn result(&mut self, now: Duration, deferred: bool) -> Vec<Effect> {
        if self.phase == Phase::Parking {
            if !deferred {
                // The CLI has not kept the tool use, for example if the model requested several at once.
                self.grant();
            }
            return self.end(Phase::Parked, Ending::Parked(self.open.clone()));
        }
        self.enter(Phase::Idle, now.checked_add(self.ttl));
        // Only background agents of a CLI that reports no states have open questions when the turn ends.
        let open = self.open.drain(..);
        let refused = open.map(|question| Effect::Decide(question.id, Answer::deny(NO_TURN)));
        refused.chain([Effect::Report(Ending::Done)]).collect()
    }

    /// Ends the turn and the process.
    fn end(&mut self, phase: Phase, ending: Ending) -> Vec<Effect> {
        if phase != Phase::Parked {
            self.open.clear();
        }
        self.enter(phase, None);
        // Another worker may start the session after the report, so the process ends before it.
        vec![Effect::Close, Effect::Report(ending)]
    }

    /// Ends a process without a turn.
    fn cool(&mut self) -> Vec<Effect> {
        self.enter(Phase::Cold, None);
        vec![Effect::Close]
    }
}

/// The reason with which a question outside of a turn is refused.
const NO_TURN: &str = "no turn runs, so nobody can be asked";

/// How long the CLI may take to end a turn that is parked.
const PARKING: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests;
