//! The workloads: what is played, each for another thing that a user waits for.

use super::Callback;

/// What is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "these are all that are measured")]
pub enum Workload {
    /// Requests of one kind.
    Callback(Callback, Open),
    /// One turn of 64,000 messages, 43 MB: see [`stream`](super::stream).
    Stream(Writes),
    /// 500 turns of one session, each of some twenty short messages, one write a line.
    ///
    /// A lap is a prompt and its turn: it shows what a turn costs beside its messages.
    Turns,
    /// One line of so many MiB, a `user` message with the text that a tool gave, and the turn's result right behind it.
    ///
    /// A few laps in a session, since the first one makes the buffers grow.
    Huge(usize),
    /// The stream, with a client that stops reading for 2.5 s in the middle: how much comes to lie in its memory?
    Stalled,
    /// Many short sessions: from right before the spawn to the first message in the client's hands, its handshake, its
    /// prompt and the start of the bench CLI included; the client holds this watch, and tells it in its outcome.
    Start,
}

/// How many requests are open at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there is no third")]
pub enum Open {
    /// One: what a user waits for.
    One,
    /// 1, 8, 32 and 64, one after another: what it takes to serve many.
    Many,
}

/// How what is said goes into the pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there is no third")]
pub enum Writes {
    /// In writes of 64 KiB, wherever that cuts the lines.
    Blocks,
    /// In one write for each line.
    Lines,
}

impl Workload {
    /// All of them, in the order of the tables.
    pub const ALL: &[Self] = &[
        Self::Callback(Callback::Hook, Open::One),
        Self::Callback(Callback::Hook, Open::Many),
        Self::Callback(Callback::Permission, Open::One),
        Self::Callback(Callback::Permission, Open::Many),
        Self::Callback(Callback::Mcp, Open::One),
        Self::Callback(Callback::Mcp, Open::Many),
        Self::Stream(Writes::Blocks),
        Self::Stream(Writes::Lines),
        Self::Turns,
        Self::Huge(1),
        Self::Huge(8),
        Self::Huge(32),
        Self::Stalled,
        Self::Start,
    ];

    /// What tables and variables call it.
    pub fn name(self) -> String {
        match self {
            Self::Callback(callback, Open::One) => callback.name().to_owned(),
            Self::Callback(callback, Open::Many) => format!("{}-many", callback.name()),
            Self::Stream(Writes::Blocks) => "stream".to_owned(),
            Self::Stream(Writes::Lines) => "stream-lines".to_owned(),
            Self::Turns => "turns".to_owned(),
            Self::Huge(mebibytes) => format!("huge-{mebibytes}"),
            Self::Stalled => "stalled".to_owned(),
            Self::Start => "start".to_owned(),
        }
    }

    /// Whether the client and the bench CLI are to share one core, which the runner sees to.
    ///
    /// So are those of short turns: which core answers is luck, and to wake another one takes longer than all else.
    /// On one core there is nothing to wake, and what is left is what both have to do.
    pub fn on_one_core(self) -> bool {
        matches!(self, Self::Callback(_, Open::One) | Self::Turns | Self::Start)
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
