//! The workloads: what is played, each for another thing that a user waits for.

use super::Callback;

/// What is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "these are all that are measured")]
pub enum Workload {
    /// 3,000 requests of one kind, one open at a time.
    Callback(Callback),
    /// 6,000 hooks with 8, 32 and 64 open, one after another.
    HookMany,
    /// One turn of 64,000 messages, 43 MB: see [`stream`](super::stream).
    Stream,
    /// 500 turns of one session, each of some twenty short messages, one write a line.
    ///
    /// A lap is a prompt and its turn: it shows what a turn costs beside its messages.
    Turns,
    /// The stream, with a client that stops reading for 2.5 s in the middle: how much comes to lie in its memory?
    Stalled,
    /// Many short sessions: from right before the spawn to the first message in the client's hands, its handshake, its
    /// prompt and the start of the bench CLI included; the client holds this watch, and tells it in its outcome.
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

    /// What tables and variables call it.
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

    /// Whether the client and the bench CLI are to share one core, which the runner sees to.
    ///
    /// So are those of short turns: which core answers is luck, and to wake another one takes longer than all else.
    /// On one core there is nothing to wake, and what is left is what both have to do.
    pub fn on_one_core(self) -> bool {
        matches!(self, Self::Callback(_) | Self::Turns | Self::Start)
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|workload| workload.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::Workload;

    #[test]
    fn names_are_told_apart() {
        for workload in Workload::ALL {
            assert_eq!(Workload::named(&workload.name()), Some(*workload));
        }
        assert_eq!(Workload::named("none"), None);
    }
}
