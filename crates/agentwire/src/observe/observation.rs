//! The events of an observation stream.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use agentwire_protocol::{
    RawJson, RequestId, SessionId, ToolName, ToolUseId, Uuid,
    message::{ResultSubtype, TerminalReason},
    usage::Usage,
};

use super::ActivityOutcome;

/// An event in a session.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Observation {
    /// An activity has begun.
    Began(Arc<Began>),
    /// An activity has ended.
    Ended(Arc<Ended>),
    /// This many observations were lost here, because they were not read in time.
    Lagged(u64),
}

/// The start of an activity.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Began {
    /// The number of the activity, unique in the session.
    pub id: u64,
    /// The number of the parent activity; `None` only for the session.
    ///
    /// The parent of a hook, a permission request or an MCP call is its tool use if the CLI names an open one,
    /// else the turn, and outside of turns the session.
    /// The parent of a subagent's tool use is the tool use that started the subagent, while that is open.
    pub parent: Option<u64>,
    /// The activity.
    pub activity: Activity,
    /// The CLI's id of the session, if known.
    pub session_id: Option<SessionId>,
    /// The start time.
    pub at: SystemTime,
    /// The input, only if contents are observed
    /// ([`SessionBuilder::observe_contents`](crate::SessionBuilder::observe_contents)).
    pub input: Option<RawJson>,
}

/// The end of an activity.
#[derive(Debug)]
#[non_exhaustive]
pub struct Ended {
    /// The start.
    pub began: Arc<Began>,
    /// The end time.
    pub at: SystemTime,
    /// The duration, by a monotonic clock: without the time in which the machine was suspended.
    pub took: Duration,
    /// The outcome.
    pub outcome: ActivityOutcome,
    /// The CLI's id of the session, if known by now.
    pub session_id: Option<SessionId>,
    /// The output, only if contents are observed
    /// ([`SessionBuilder::observe_contents`](crate::SessionBuilder::observe_contents)).
    pub output: Option<RawJson>,
    /// The resources used by a turn; `None` for a turn without a result and for other activities.
    pub totals: Option<Box<Totals>>,
}

/// An activity with a duration.
///
/// It contains only names and ids; contents are in [`Began::input`] and [`Ended::output`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Activity {
    /// The session, from before the handshake to the end of the CLI.
    Session,
    /// A turn, from its first message to its result.
    #[non_exhaustive]
    Turn {
        /// The position among the observed turns of the session, from 1.
        number: u64,
        /// The prompts that it answers, as far as the CLI had named them; [`Totals::prompts`] has all of them.
        prompts: Vec<Uuid>,
        /// The model, if known; in [`Ended::began`] also if the turn had begun before the CLI named it.
        model: Option<Box<str>>,
    },
    /// A tool use of the model, from its request to its result, including hooks and permission requests.
    #[non_exhaustive]
    ToolUse {
        /// Its id.
        id: ToolUseId,
        /// The tool, such as `Bash` or `mcp__server__tool`.
        tool: ToolName,
        /// The tool use of the subagent that requested it; `None` for the main conversation.
        parent_tool_use_id: Option<ToolUseId>,
    },
    /// A call of a hook.
    #[non_exhaustive]
    Hook {
        /// The control request.
        request_id: RequestId,
        /// The callback id of the hook.
        callback_id: Box<str>,
        /// The event, such as `PreToolUse`; `None` for an unknown callback id.
        event: Option<Box<str>>,
        /// The tool use; for events without a tool, an id that the CLI generates.
        tool_use_id: Option<ToolUseId>,
    },
    /// A permission request.
    #[non_exhaustive]
    Permission {
        /// The control request.
        request_id: RequestId,
        /// The tool use.
        tool_use_id: ToolUseId,
        /// The tool.
        tool: ToolName,
        /// The subagent that requested it; `None` for the main conversation.
        agent_id: Option<Box<str>>,
    },
    /// A JSON-RPC message to an in-process MCP server, such as a tool call.
    #[non_exhaustive]
    Mcp {
        /// The control request.
        request_id: RequestId,
        /// The name of the server.
        server: Box<str>,
        /// The method, such as `tools/call`; `None` for a response to a request of the server.
        method: Option<Box<str>>,
        /// The JSON-RPC id, as JSON; `None` for a notification.
        jsonrpc_id: Option<Box<str>>,
        /// The server's name of the called tool.
        tool: Option<Box<str>>,
        /// The tool use, if the CLI names it.
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
        /// The kind of the dialog.
        kind: Box<str>,
        /// The tool use of the dialog.
        tool_use_id: Option<ToolUseId>,
    },
    /// A request of an unknown kind.
    #[non_exhaustive]
    Request {
        /// The control request.
        request_id: RequestId,
        /// The subtype of the request.
        subtype: Box<str>,
    },
}

impl Activity {
    /// Returns the name of the activity, which is also the name of its span.
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

/// The resources used by a turn, from its result.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Totals {
    /// All prompts that the turn answered, at most 64.
    pub prompts: Vec<Uuid>,
    /// The subtype of the result.
    pub subtype: ResultSubtype,
    /// The CLI's reason for the end.
    pub terminal_reason: Option<TerminalReason>,
    /// The CLI's count of rounds.
    pub rounds: u64,
    /// The time spent in API requests.
    pub api: Duration,
    /// Tokens of the main conversation.
    pub usage: Option<Usage>,
    /// The cost since the previous result, in US dollars, as the CLI estimates it; `None` if it does not report it.
    pub cost_usd: Option<f64>,
    /// The cost of the session since its last `/clear`; except with CLI 2.1.197, it includes the processes before a resume or a fork.
    pub session_cost_usd: f64,
}
