//! The configuration of a session.

use std::{collections::BTreeMap, time::Duration};

use agentwire_codec::Limits;
use agentwire_protocol::control::SdkServerConfig;

/// The limits of a session, the policies of its in-process MCP servers, and the mark of its prompts.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Config {
    /// Limits of the codec.
    pub limits: Limits,
    /// The soft limit of unread messages, in bytes (low-water mark: half of it). 256 KiB, four full pipes.
    ///
    /// Above it a session without a responder stops reading from the CLI (backpressure), unless a call, a CLI request, a
    /// sender or a wait for a prompt is pending, or a [`BackpressurePause`](crate::BackpressurePause) is held.
    /// Reading resumes at half the limit.
    /// A session with a responder is read up to `unread_hard_limit`, because a request may lie behind unread messages, and
    /// the user may wait for its callback before reading on.
    ///
    /// Counts the undecoded lines and their queue entries. Messages that were read may count a little longer, up to a
    /// sixteenth of the limit.
    pub unread_soft_limit: usize,
    /// The hard limit of unread messages, in bytes, past which reading always waits and open calls fail. 64 MiB.
    ///
    /// A reply may lie behind unread messages in the same pipe, so reading goes on much longer while a request is open.
    /// Also counts the CLI's open requests and queued answers. A single open request does not count, because its
    /// callback may need the reply to a call.
    /// A value below `unread_soft_limit` is treated as `unread_soft_limit`.
    pub unread_hard_limit: usize,
    /// The size of the write buffer past which senders of prompts wait, in bytes. 1 MiB.
    ///
    /// Calls are small and never wait for room.
    pub write_buffer_limit: usize,
    /// How long a call waits for its reply, and a sender for room. 60 seconds, enough for the CLI's slowest requests.
    pub call_limit: Duration,
    /// How long a callback may clean up after its request was cancelled. 5 seconds.
    pub callback_grace: Duration,
    /// The grace period at the end of a session. 5 seconds.
    ///
    /// Limits how long
    ///
    /// - the process may run after its output ended;
    /// - output may follow the exit of the process, while it is read;
    /// - open calls wait after a failed write;
    /// - a silent peer keeps the session after a prompt or an answer could not be written;
    /// - queued lines are written after the last handle was dropped.
    pub exit_grace: Duration,
    /// The policies of in-process MCP servers, as in the handshake.
    ///
    /// [`Control::mcp_set_servers`](crate::Control::mcp_set_servers) repeats them. The facade sets them.
    pub server_policies: BTreeMap<Box<str>, SdkServerConfig>,
    /// Whether each prompt is sent with `client_composed`, so that the CLI expands nothing in it. The facade sets it.
    pub client_composed: bool,
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
            server_policies: BTreeMap::new(),
            client_composed: false,
        }
    }
}
