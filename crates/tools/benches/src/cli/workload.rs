//! The workloads; each measures a different wait of a user.

use super::Callback;

/// A workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// 3,000 requests of one kind, one open at a time.
    Callback(Callback),
    /// 6,000 hooks with 8, 32 and 64 open, one after another.
    HookMany,
    /// One turn of 64,000 messages, 43 MB: see [`stream`](super::stream).
    Stream,
    /// 500 turns of one session, each of some twenty short messages, one write a line.
    ///
    /// A lap is a prompt and its turn. It shows the cost of a turn apart from its messages.
    Turns,
    /// The stream, with a client that stops reading for 2.5 s in the middle: measures the client's memory.
    Stalled,
    /// Many short sessions, each timed from right before the spawn until the client has the first message, with the start
    /// of the bench CLI, the handshake and the prompt. The client measures this time and reports it in its outcome.
    Start,
}

impl Workload {
    /// All of them, in the order of the tables.
    pub const ALL: &[Self] = &[
        Self::Callback(Callback::Hook),
        Self::HookMany,
        Self::Callback(Callback::Permission),
        Self::Callback(Callback::Mcp),
        Self::Stream,
        Self::Turns,
        Self::Stalled,
        Self::Start,
    ];

    /// Returns the name in tables and variables.
    pub fn name(self) -> String {
        match self {
            Self::Callback(callback) => callback.name().to_owned(),
            Self::HookMany => "hook-many".to_owned(),
            Self::Stream => "stream".to_owned(),
            Self::Turns => "turns".to_owned(),
            Self::Stalled => "stalled".to_owned(),
            Self::Start => "start".to_owned(),
        }
    }

    /// Returns whether the runner restricts the client and the bench CLI to one core.
    ///
    /// In short turns the wake-up of another core takes longer than everything else, and depends on the scheduler.
    pub fn on_one_core(self) -> bool {
        matches!(self, Self::Callback(_) | Self::Turns | Self::Start)
    }

    /// Returns the workload with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|workload| workload.name() == name)
    }
}
