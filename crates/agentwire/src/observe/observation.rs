//! What can be observed.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use agentwire_protocol::{
    RawJson, RequestId, SessionId, ToolName, ToolUseId, Uuid,
    message::{ResultSubtype, TerminalReason},
    usage::Usage,
};

use super::Outcome;

/// One thing that was seen to happen in a session.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Observation {
    /// Something has begun.
    Began(Arc<Began>),
    /// Something has ended that had begun.
    Ended(Arc<Ended>),
    /// So many observations were lost here, since they were not read in time.
    Lagged(u64),
}

/// The beginning of something.
#[derive(Debug)]
#[non_exhaustive]
pub struct Began {
    /// Its number, unique in the session.
    pub id: u64,
    /// The number of what it is a part of; `None` for the session alone.
    ///
    /// A hook, a permission question and an MCP call are parts of their tool use where the CLI names one that is open, else
    /// of the turn, and outside of turns of the session.
    /// A tool use of a subagent is a part of the tool use that the subagent works for, while that is open.
    pub parent: Option<u64>,
    /// What it is.
    pub activity: Activity,
    /// The CLI's id of the session, as far as it was known.
    pub session_id: Option<SessionId>,
    /// When it began.
    pub at: SystemTime,
    /// What it was given: only where contents are observed
    /// ([`SessionBuilder::observe_contents`](crate::SessionBuilder::observe_contents)).
    pub input: Option<RawJson>,
}

/// The end of something.
#[derive(Debug)]
#[non_exhaustive]
pub struct Ended {
    /// Its beginning.
    pub began: Arc<Began>,
    /// When it ended.
    pub at: SystemTime,
    /// How long it took, by a clock that nobody sets.
    pub took: Duration,
    /// How it ended.
    pub outcome: Outcome,
    /// The CLI's id of the session, as far as it is known by now.
    pub session_id: Option<SessionId>,
    /// What came of it: only where contents are observed
    /// ([`SessionBuilder::observe_contents`](crate::SessionBuilder::observe_contents)).
    pub output: Option<RawJson>,
    /// What a turn has used; `None` where it had no result, and for all else.
    pub totals: Option<Box<Totals>>,
}

/// Something that takes time.
///
/// All of it are names and ids: what was said is in [`Began::input`] and [`Ended::output`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Activity {
    /// The session, from before the handshake to the end of the CLI.
    Session,
    /// A turn, from the first that is said of it to its result.
    #[non_exhaustive]
    Turn {
        /// The how many-th of the session's that was observed, from 1.
        number: u64,
        /// The prompts that it answers, as far as the CLI had named them; [`Totals::prompts`] has all.
        prompts: Vec<Uuid>,
        /// The model, where the CLI had told it.
        model: Option<Box<str>>,
    },
    /// A tool use of the model's, from when it was asked for to its result; so with hooks and questions.
    #[non_exhaustive]
    ToolUse {
        /// Its id.
        id: ToolUseId,
        /// The tool, such as `Bash` or `mcp__server__tool`.
        tool: ToolName,
        /// The tool use whose subagent wants it; `None` for the main conversation.
        parent_tool_use_id: Option<ToolUseId>,
    },
    /// A call of a hook.
    #[non_exhaustive]
    Hook {
        /// The control request.
        request_id: RequestId,
        /// The hook, by the id that it was declared under.
        callback_id: Box<str>,
        /// The event, such as `PreToolUse`; `None` for an id that was never declared.
        event: Option<Box<str>>,
        /// The tool use; for events that are none of tools the CLI makes an id up.
        tool_use_id: Option<ToolUseId>,
    },
    /// A permission question.
    #[non_exhaustive]
    Permission {
        /// The control request.
        request_id: RequestId,
        /// The tool use.
        tool_use_id: ToolUseId,
        /// The tool.
        tool: ToolName,
        /// The subagent that wants it; `None` for the main conversation.
        agent_id: Option<Box<str>>,
    },
    /// A JSON-RPC message for an in-process MCP server: a call of a tool, and all else.
    #[non_exhaustive]
    Mcp {
        /// The control request.
        request_id: RequestId,
        /// The server, by the name that it was declared under.
        server: Box<str>,
        /// The method, such as `tools/call`; `None` for an answer to a request of the server's.
        method: Option<Box<str>>,
        /// The JSON-RPC id, as JSON; `None` for a notification.
        jsonrpc_id: Option<Box<str>>,
        /// The tool, where one is called, by the server's own name for it.
        tool: Option<Box<str>>,
        /// The tool use, where the CLI names it.
        tool_use_id: Option<ToolUseId>,
    },
    /// A question of an MCP server to the user.
    #[non_exhaustive]
    Elicitation {
        /// The control request.
        request_id: RequestId,
        /// The server.
        server: Box<str>,
    },
    /// A dialog with the user.
    #[non_exhaustive]
    Dialog {
        /// The control request.
        request_id: RequestId,
        /// Which dialog.
        kind: Box<str>,
        /// The tool use that it belongs to.
        tool_use_id: Option<ToolUseId>,
    },
    /// A request of a kind that this version does not know.
    #[non_exhaustive]
    Request {
        /// The control request.
        request_id: RequestId,
        /// What it is.
        subtype: Box<str>,
    },
}

impl Activity {
    /// One word for it, which is the name of its span too.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Turn { .. } => "turn",
            Self::ToolUse { .. } => "tool_use",
            Self::Hook { .. } => "hook",
            Self::Permission { .. } => "permission",
            Self::Mcp { .. } => "mcp",
            Self::Elicitation { .. } => "elicitation",
            Self::Dialog { .. } => "dialog",
            Self::Request { .. } => "request",
        }
    }
}

/// What a turn has used, as its result tells it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Totals {
    /// All prompts that the turn answered, 64 at most.
    pub prompts: Vec<Uuid>,
    /// How it ended, in the CLI's words.
    pub subtype: ResultSubtype,
    /// Why it ended, in the CLI's words.
    pub terminal_reason: Option<TerminalReason>,
    /// The CLI's own count of rounds.
    pub rounds: u64,
    /// The time that was spent in requests to the API.
    pub api: Duration,
    /// Tokens of the main conversation.
    pub usage: Option<Usage>,
    /// The cost of the session so far, in US dollars, as the CLI estimates it.
    pub session_cost_usd: f64,
}
