//! A hook's reply: what every event may say, and what only one may.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error, ser::SerializeMap};

use super::{HookAnswer, HookEvent, specific::Named};
use crate::open_enum::open_enum;

/// A hook's reply.
///
/// An output that belongs to another event does not compile, since the specific part is the event's own type:
///
/// ```
/// use agentwire_protocol::hook::{HookReply, PostToolUse, PostToolUseOutput};
///
/// let mut output = PostToolUseOutput::default();
/// output.updated_tool_output = None;
/// let reply = HookReply::<PostToolUse>::output(output);
/// ```
///
/// ```compile_fail
/// use agentwire_protocol::hook::{HookReply, PostToolUse, PostToolUseOutput, PreToolUse};
///
/// let mut output = PostToolUseOutput::default();
/// output.updated_tool_output = None;
/// let reply = HookReply::<PreToolUse>::output(output);
/// ```
///
/// Neither does a constructor of an event that can't say that:
///
/// ```
/// use agentwire_protocol::hook::{HookReply, PostToolUse};
///
/// let reply = HookReply::<PostToolUse>::context("for the model");
/// ```
///
/// ```compile_fail
/// use agentwire_protocol::hook::{HookReply, PreCompact};
///
/// let reply = HookReply::<PreCompact>::context("for the model");
/// ```
///
/// There is no `Default`: a reply that lets everything go ahead must be asked for by name.
#[derive(Clone)]
#[non_exhaustive]
pub struct HookReply<E: HookEvent> {
    /// `Some(false)` ends the turn (`continue`); a tool call that is being asked about still runs.
    pub keep_going: Option<bool>,
    /// Why the turn ends, for the user (`stopReason`).
    pub stop_reason: Option<String>,
    /// Whether to hide the hook's output (`suppressOutput`).
    pub suppress_output: Option<bool>,
    /// A notice for the user (`systemMessage`).
    pub system_message: Option<String>,
    /// An escape sequence for the CLI to write to its terminal, a notice or a title (`terminalSequence`).
    ///
    /// Sequences of other kinds are dropped, and no frame tells of any; a CLI that was started by a host has no
    /// terminal.
    pub terminal_sequence: Option<String>,
    /// Blocks what the event guards, for events that know this vocabulary (`decision`).
    pub decision: Option<BlockDecision>,
    /// Why it is blocked (`reason`).
    pub reason: Option<String>,
    /// What only this event can say (`hookSpecificOutput`).
    pub output: Option<E::Output>,
}

impl<E: HookEvent> HookReply<E> {
    /// Says nothing: everything goes ahead as without the hook.
    pub fn proceed() -> Self {
        Self {
            keep_going: None,
            stop_reason: None,
            suppress_output: None,
            system_message: None,
            terminal_sequence: None,
            decision: None,
            reason: None,
            output: None,
        }
    }

    /// Says only what belongs to this event.
    pub fn output(output: E::Output) -> Self {
        Self { output: Some(output), ..Self::proceed() }
    }

    /// Blocks what the event guards.
    pub(super) fn blocked(reason: impl Into<String>) -> Self {
        Self { decision: Some(BlockDecision::Block), reason: Some(reason.into()), ..Self::proceed() }
    }

    /// The same reply with a notice for the user.
    #[must_use]
    pub fn with_system_message(mut self, message: impl Into<String>) -> Self {
        self.system_message = Some(message.into());
        self
    }

    /// The same reply, and the hook's output is hidden (`suppressOutput`).
    #[must_use]
    pub fn suppressing_output(mut self) -> Self {
        self.suppress_output = Some(true);
        self
    }

    /// The same reply, and the turn ends.
    #[must_use]
    pub fn ending_the_turn(mut self, reason: impl Into<String>) -> Self {
        self.keep_going = Some(false);
        self.stop_reason = Some(reason.into());
        self
    }
}

impl<E: HookEvent> PartialEq for HookReply<E> {
    fn eq(&self, other: &Self) -> bool {
        self.keep_going == other.keep_going
            && self.stop_reason == other.stop_reason
            && self.suppress_output == other.suppress_output
            && self.system_message == other.system_message
            && self.terminal_sequence == other.terminal_sequence
            && self.decision == other.decision
            && self.reason == other.reason
            && self.output == other.output
    }
}

impl<E: HookEvent> fmt::Debug for HookReply<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

impl<E: HookEvent> Serialize for HookReply<E> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        entry(&mut map, "continue", self.keep_going.as_ref())?;
        entry(&mut map, "stopReason", self.stop_reason.as_ref())?;
        entry(&mut map, "suppressOutput", self.suppress_output.as_ref())?;
        entry(&mut map, "systemMessage", self.system_message.as_ref())?;
        entry(&mut map, "terminalSequence", self.terminal_sequence.as_ref())?;
        entry(&mut map, "decision", self.decision.as_ref())?;
        entry(&mut map, "reason", self.reason.as_ref())?;
        entry(&mut map, "hookSpecificOutput", self.output.as_ref().map(Named::<E>).as_ref())?;
        map.end()
    }
}

/// Reads what was written; a reply that says to go on alone is an error here, since [`HookAnswer`] reads it.
impl<'de, E: HookEvent> Deserialize<'de> for HookReply<E> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match HookAnswer::deserialize(deserializer)? {
            HookAnswer::Now(reply) => Ok(reply),
            HookAnswer::Later(_) => Err(D::Error::custom("an asynchronous reply, which says nothing yet")),
        }
    }
}

fn entry<M: SerializeMap, T: Serialize>(map: &mut M, name: &str, value: Option<&T>) -> Result<(), M::Error> {
    value.map_or(Ok(()), |value| map.serialize_entry(name, value))
}

open_enum! {
    /// The older vocabulary of decisions, which some events know alone.
    pub enum BlockDecision {
        /// What the event guards does not happen.
        Block = "block",
        /// It does.
        Approve = "approve",
    }
}
