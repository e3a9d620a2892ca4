//! Errors of calls and of sending.

use std::{sync::Arc, time::Duration};

use agentwire_codec::{EncodeError, FrameError, Line};
use agentwire_protocol::{DecodeError, Hidden, Uuid, control::ErrorCode};

use crate::SessionExit;

/// An error of a call, or of sending a prompt.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ControlError {
    /// The CLI refused the request.
    #[error("the CLI refused `{subtype}`: {message}")]
    Rejected {
        /// The request's subtype.
        subtype: Box<str>,
        /// The CLI's own text.
        message: String,
        /// The CLI's own code, such as `unsupported_request`.
        code: Option<ErrorCode>,
    },
    /// No reply arrived within the time limit. The request may still take effect.
    #[error("no reply to `{subtype}` within {after:?}{}{detail}", if detail.is_empty() { "" } else { ", " })]
    TimedOut {
        /// The request's subtype.
        subtype: Box<str>,
        /// The time limit.
        after: Duration,
        /// For the handshake of a session, the hooks of the settings that still run, and the end of the CLI's stderr.
        detail: String,
    },
    /// The caller cancelled the call.
    #[error("`{subtype}` was cancelled")]
    Cancelled {
        /// The request's subtype.
        subtype: Box<str>,
    },
    /// The session ended before a reply, before a prompt or line was sent, or before a prompt was settled.
    #[error("`{subtype}` was not completed: {ending}")]
    Closed {
        /// The request's subtype; `user` for a prompt, `line` for a raw line.
        subtype: Box<str>,
        /// How it ended.
        ending: Arc<SessionExit>,
    },
    /// The CLI's input was ended by this side and takes no requests.
    #[error("`{subtype}` can't be sent: the session's input was ended")]
    InputEnded {
        /// The request's subtype.
        subtype: Box<str>,
    },
    /// The reply can't be read.
    #[error("the reply to `{subtype}` can't be read")]
    BadReply {
        /// The request's subtype.
        subtype: Box<str>,
        /// The reply's line; or only its `response`, if that does not have the shape of the reply type.
        line: Option<Hidden<Line>>,
        /// The cause.
        #[source]
        source: DecodeError,
    },
    /// The reply's line exceeded the line limit and was dropped. The request may have taken effect.
    #[error("the reply to `{subtype}` was dropped")]
    TooLong {
        /// The request's subtype.
        subtype: Box<str>,
        /// The line that was dropped.
        #[source]
        source: FrameError,
    },
    /// The reply is neither a success nor an error.
    #[error("the reply to `{subtype}` is of an unknown kind")]
    UnknownReply {
        /// The request's subtype.
        subtype: Box<str>,
        /// The reply's line.
        line: Option<Hidden<Line>>,
    },
    /// The request or prompt can't be written as JSON, or the request is not an object with its `subtype`.
    #[error("`{subtype}` can't be written")]
    Encode {
        /// The request's subtype.
        subtype: Box<str>,
        /// The cause.
        #[source]
        source: EncodeError,
    },
    /// The write buffer had no room within the time limit, because the CLI does not read its input.
    ///
    /// Nothing was written, so it is safe to send it again.
    #[error(
        "`{subtype}` was not sent: the CLI read too little of the {waiting} bytes before it within {after:?}"
    )]
    NotSent {
        /// The request's subtype; `user` for a prompt.
        subtype: Box<str>,
        /// The time limit.
        after: Duration,
        /// The bytes that are queued before it.
        waiting: usize,
    },
    /// Unread messages exceed the hard limit, so reading stopped before the reply or before there was room for the prompt,
    /// which was not sent.
    ///
    /// Read messages, let open callbacks finish, and try again.
    /// `agentwire::Turn` returns this too, with the subtype `turn`, if the messages of other turns that it has skipped exceed
    /// that limit: take `leftovers`, and read on.
    #[error(
        "`{subtype}` was not completed: {unread} bytes of unread messages (also skipped ones) and open requests exceed the \
         limit; read messages or take the leftovers, then go on"
    )]
    Backlogged {
        /// The request's subtype; `user` for a prompt.
        subtype: Box<str>,
        /// The bytes of unread messages, of the CLI's open requests, and of queued answers.
        unread: usize,
    },
    /// No prompt was sent with this id in this session, or thousands were sent after it.
    #[error("no prompt with the id `{prompt}` is known")]
    UnknownPrompt {
        /// The id.
        prompt: Uuid,
    },
}

/// The error of a late answer: the request was cancelled or answered already, or the input takes no answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the request is no longer open")]
#[non_exhaustive]
pub struct RequestClosed;
