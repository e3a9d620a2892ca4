//! The numbers that bound a session.

use std::time::Duration;

use agentwire_codec::Limits;

/// The numbers that bound a session. Each has a default with its reason.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Config {
    /// Limits of the codec.
    pub limits: Limits,
    /// Bytes of unread messages past which reading waits for the user, while no request is open and no sender waits, in a
    /// session without a responder.
    /// It goes on when half of them are read.
    ///
    /// A session with a responder is read up to `unread_hard_limit`: a request may lie behind unread messages, and whoever
    /// reads them may wait for what its callback does.
    ///
    /// 256 KiB: four pipes full, enough to keep a reader busy, too little to matter.
    /// Counted are the lines and their places in the queue.
    /// That is all that most of them hold, since pieces of answers and what is said to the model are decoded when they
    /// are read; until then they lie in the blocks that were read from the peer, of which they make up half or more.
    /// Other messages hold their typed view too, about as much again.
    /// What was read may count for a while longer, at most a sixteenth of this.
    pub unread_soft_limit: usize,
    /// Bytes of unread messages past which reading waits all the same, and open calls are given up.
    ///
    /// 64 MiB: a reply may lie behind unread messages in the same pipe, so with a request open reading goes on far
    /// longer.
    /// What the CLI's own open requests and the answers to them hold counts towards it too, but for a request that is
    /// open alone, whose answer may need a call.
    /// Not less than `unread_soft_limit`, whatever is set.
    pub unread_hard_limit: usize,
    /// Bytes that may wait to be written before senders wait. 1 MiB. Calls, which are small and have limits, never wait.
    pub write_buffer_limit: usize,
    /// How long a call waits for its reply, and a sender for room. 60 seconds: the slowest requests of the CLI do work of
    /// their own.
    pub call_limit: Duration,
    /// How long a callback may go on once its request was cancelled. 5 seconds, to clean up in.
    pub callback_grace: Duration,
    /// How long one side of the peer may outlive another. 5 seconds.
    ///
    /// The process after the end of its output; the output after the end of the process, while it is read; open calls
    /// after the peer has refused input, and the session where it refused a prompt and is silent; and our input after the last handle was dropped.
    pub exit_grace: Duration,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            unread_soft_limit: 256 << 10,
            unread_hard_limit: 64 << 20,
            write_buffer_limit: 1 << 20,
            call_limit: Duration::from_secs(60),
            callback_grace: Duration::from_secs(5),
            exit_grace: Duration::from_secs(5),
        }
    }
}
