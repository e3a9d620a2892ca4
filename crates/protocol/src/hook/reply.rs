//! A hook's reply: common fields and event-specific output.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error, ser::SerializeMap};

use super::{HookAnswer, HookEvent, specific::NAME};
use crate::tagged::WithTags;

/// A hook's reply.
///
/// The type of the event-specific output is checked at compile time:
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
/// So are the constructors that only some events support:
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
/// There is no `Default`, so that an allowing reply is always explicit.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct HookReply<E: HookEvent> {
    /// `Some(false)` ends the turn (`continue`); the tool use that the event guards still runs.
    pub keep_going: Option<bool>,
    /// The reason for ending the turn, for the user (`stopReason`).
    pub stop_reason: Option<String>,
    /// Whether to hide the hook's output (`suppressOutput`).
    pub suppress_output: Option<bool>,
    /// A message for the user (`systemMessage`).
    pub system_message: Option<String>,
    /// An escape sequence for the CLI to write to its terminal: a notification or a title (`terminalSequence`).
    ///
    /// The CLI drops other kinds of sequences, and no frame contains them; a CLI that a host started has no
    /// terminal.
    pub terminal_sequence: Option<String>,
    /// Blocks the guarded action, for events that support it (`decision`).
    pub decision: Option<BlockDecision>,
    /// The reason for the block (`reason`).
    pub reason: Option<String>,
    /// The event-specific output (`hookSpecificOutput`).
    pub output: Option<E::Output>,
}

impl<E: HookEvent> HookReply<E> {
    /// Returns an empty reply: the action proceeds as without the hook.
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

    /// Returns a reply with only the event-specific output.
    pub fn output(output: E::Output) -> Self {
        Self { output: Some(output), ..Self::proceed() }
    }

    /// Returns a reply that blocks the guarded action.
    pub(super) fn blocked(reason: impl Into<String>) -> Self {
        Self { decision: Some(BlockDecision::Block), reason: Some(reason.into()), ..Self::proceed() }
    }

    /// Adds a message for the user.
    #[must_use]
    pub fn with_system_message(mut self, message: impl Into<String>) -> Self {
        self.system_message = Some(message.into());
        self
    }

    /// Hides the hook's output (`suppressOutput`).
    #[must_use]
    pub fn suppressing_output(mut self) -> Self {
        self.suppress_output = Some(true);
        self
    }

    /// Ends the turn.
    #[must_use]
    pub fn ending_the_turn(mut self, reason: impl Into<String>) -> Self {
        self.keep_going = Some(false);
        self.stop_reason = Some(reason.into());
        self
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
        let output = self.output.as_ref().map(|output| WithTags::new(&[], (NAME, E::NAME), output));
        entry(&mut map, "hookSpecificOutput", output.as_ref())?;
        map.end()
    }
}

/// Deserializes a reply. An asynchronous answer is an error here; read it as [`HookAnswer`].
impl<'de, E: HookEvent> Deserialize<'de> for HookReply<E> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match HookAnswer::deserialize(deserializer)? {
            HookAnswer::Now(reply) => Ok(reply),
            HookAnswer::Later(_) => Err(D::Error::custom("an asynchronous reply, which has no content yet")),
        }
    }
}

fn entry<M: SerializeMap, T: Serialize>(map: &mut M, name: &str, value: Option<&T>) -> Result<(), M::Error> {
    value.map_or(Ok(()), |value| map.serialize_entry(name, value))
}

/// The older form of decisions, which some events still use exclusively.
#[wire]
pub enum BlockDecision {
    /// Block the guarded action.
    Block = "block",
    /// Let it proceed.
    Approve = "approve",
}
