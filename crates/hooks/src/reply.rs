//! Conversions of what a handler of a typed event returns.

use std::{error::Error, fmt::Display};

use agentwire_protocol::hook::{HookAnswer, HookEvent, HookReply, LaterReply};

use crate::excerpt;

/// The result of a hook handler that uses `?`: an error is the handler's failure.
///
/// ```
/// use agentwire_hooks::{HandlerResult, Hooks, Matcher};
/// use agentwire_protocol::{hook::{HookReply, PreToolUse}, tool_input::ToolInput};
///
/// let hooks = Hooks::new().on_matching(
///     PreToolUse,
///     Matcher::tools(["Bash"]),
///     async |input, _cx| -> HandlerResult<PreToolUse> {
///         match input.typed_input()? {
///             ToolInput::Bash(bash) if bash.command.contains("curl") => Ok(HookReply::deny("no network")),
///             _ => Ok(HookReply::proceed()),
///         }
///     },
/// );
/// ```
pub type HandlerResult<E> = Result<HookReply<E>, Box<dyn Error + Send + Sync>>;

/// A value that a handler of the event `E` may return: nothing, a [`HookReply`], a [`HookAnswer`], a [`LaterReply`], or a
/// `Result` of any of them.
pub trait IntoReply<E: HookEvent> {
    /// Converts the value into the answer.
    ///
    /// # Errors
    ///
    /// The handler's error. It refuses the event if the event can be refused and the matcher does not choose otherwise.
    fn into_reply(self) -> Result<HookAnswer<E>, String>;
}

/// An empty reply: everything proceeds as without the hook.
impl<E: HookEvent> IntoReply<E> for () {
    fn into_reply(self) -> Result<HookAnswer<E>, String> {
        Ok(HookReply::proceed().into())
    }
}

impl<E: HookEvent> IntoReply<E> for HookReply<E> {
    fn into_reply(self) -> Result<HookAnswer<E>, String> {
        Ok(self.into())
    }
}

impl<E: HookEvent> IntoReply<E> for HookAnswer<E> {
    fn into_reply(self) -> Result<Self, String> {
        Ok(self)
    }
}

/// The CLI does not wait, and the event proceeds.
impl<E: HookEvent> IntoReply<E> for LaterReply {
    fn into_reply(self) -> Result<HookAnswer<E>, String> {
        Ok(self.into())
    }
}

/// An error is the handler's failure.
impl<E: HookEvent, R: IntoReply<E>, D: Display> IntoReply<E> for Result<R, D> {
    fn into_reply(self) -> Result<HookAnswer<E>, String> {
        match self {
            Ok(reply) => reply.into_reply(),
            Err(error) => Err(excerpt(&error.to_string()).into_owned()),
        }
    }
}
