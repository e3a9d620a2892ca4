//! Why a control request has no reply.

use std::{sync::Arc, time::Duration};

use agentwire_codec::{EncodeError, FrameError, Line};
use agentwire_protocol::{DecodeError, Uuid, control::ErrorCode};

use crate::SessionEnd;

/// Why a control request has no reply.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ControlError {
    /// The CLI refused it.
    #[error("the CLI refused `{subtype}`: {message}")]
    Rejected {
        /// The request's subtype.
        subtype: Box<str>,
        /// The CLI's own text.
        message: String,
        /// The CLI's own code, such as `unsupported_request`.
        code: Option<ErrorCode>,
    },
    /// No reply came in time. It may still take effect.
    #[error("no reply to `{subtype}` within {after:?}")]
    TimedOut {
        /// The request's subtype.
        subtype: Box<str>,
        /// The limit that ran out.
        after: Duration,
    },
    /// We took it back.
    #[error("`{subtype}` was cancelled")]
    Cancelled {
        /// The request's subtype.
        subtype: Box<str>,
    },
    /// The session ended first.
    #[error("the session ended before a reply to `{subtype}` came: {ending}")]
    Closed {
        /// The request's subtype.
        subtype: Box<str>,
        /// How it ended.
        ending: Arc<SessionEnd>,
    },
    /// Our side of the session no longer takes requests: its input was ended.
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
        /// What came.
        line: Option<Line>,
        /// What is wrong with it.
        #[source]
        source: DecodeError,
    },
    /// The reply was too long a line, and was dropped. The request may have taken effect.
    #[error("the reply to `{subtype}` was dropped")]
    TooLong {
        /// The request's subtype.
        subtype: Box<str>,
        /// The line that was dropped.
        #[source]
        source: FrameError,
    },
    /// The reply says neither that it was done nor that it was not.
    #[error("the reply to `{subtype}` is of an unknown kind")]
    UnknownReply {
        /// The request's subtype.
        subtype: Box<str>,
        /// What came.
        line: Option<Line>,
    },
    /// The request can't be written as JSON.
    #[error("`{subtype}` can't be written")]
    Encode {
        /// The request's subtype.
        subtype: Box<str>,
        /// What is wrong with it.
        #[source]
        source: EncodeError,
    },
    /// There was no room to send it within the limit, since the CLI does not read its input.
    ///
    /// Nothing of it was written: sent again, it arrives once.
    #[error(
        "`{subtype}` was not sent: the CLI read too little of the {waiting} bytes before it within {after:?}"
    )]
    NotSent {
        /// The request's subtype; `user` for a prompt.
        subtype: Box<str>,
        /// The limit that ran out.
        after: Duration,
        /// The bytes that wait to be written before it.
        waiting: usize,
    },
    /// So much is unread that reading stopped, and what was waited for can't come: a reply, or room for a prompt, which
    /// was not sent then.
    ///
    /// Read the messages, let the answers to the CLI's open requests end, and try again.
    #[error("`{subtype}` was given up: {parked} bytes of unread messages and open requests lie before it")]
    Backlogged {
        /// The request's subtype; `user` for a prompt.
        subtype: Box<str>,
        /// The bytes of unread messages, of the CLI's open requests, and of answers that wait to be written.
        parked: usize,
    },
    /// No prompt was sent with this id in this session, or thousands were sent after it.
    #[error("no prompt with the id `{prompt}` is known")]
    UnknownPrompt {
        /// The id.
        prompt: Uuid,
    },
}

/// An answer came too late: the request was cancelled, answered already, or never made, or nothing can be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the request is no longer open")]
#[non_exhaustive]
pub struct RequestClosed;
