//! Converts the return value of a handler into the answer.

use std::{error::Error, fmt::Display};

use agentwire_control::panics::excerpt;
use agentwire_protocol::{
    RawJson,
    control::RequestUserDialogReply,
    elicitation::{ElicitationAction, ElicitationReply},
    hook::{HookAnswer, HookEvent, HookReply, LaterReply},
    permission::{Allow, Decision, Deny},
};

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

/// The result of a permission handler that uses `?`: an error is a denial.
pub type PermissionResult = Result<Decision, Box<dyn Error + Send + Sync>>;

/// A value that a handler may return for an answer of the type `A`, or a `Result` of such a value.
///
/// | handler | `A` | values |
/// |---|---|---|
/// | of the event `E` | `HookAnswer<E>` | nothing, a [`HookReply`], a [`HookAnswer`], a [`LaterReply`] |
/// | of an untyped event | `RawJson` | the same, or raw JSON |
/// | [`PermissionHandler`](crate::PermissionHandler) | `Option<Decision>` | a [`Decision`], an [`Allow`], a [`Deny`], or an `Option` of one; `None` leaves the request open |
/// | [`ElicitationHandler`](crate::ElicitationHandler) | `ElicitationReply` | an [`ElicitationReply`], or an [`ElicitationAction`] without a form |
/// | [`DialogHandler`](crate::DialogHandler) | `RequestUserDialogReply` | a [`RequestUserDialogReply`] |
///
/// Returning nothing is an empty reply: everything proceeds as without the hook.
/// The reply to a known event ([`EVENTS`](crate::EVENTS)) must be valid for it. An unknown key or decision in raw JSON,
/// which the CLI would ignore, is a failure of the handler.
#[diagnostic::on_unimplemented(note = "the docs of `IntoAnswer` list what each handler may return")]
pub trait IntoAnswer<A> {
    /// Converts the value into the answer.
    ///
    /// # Errors
    ///
    /// The handler's error, which is never an allow, an accept or a choice.
    /// It refuses an event if the event can be refused and the matcher does not choose otherwise; the CLI denies the tool
    /// use, cancels the elicitation, or dismisses the dialog.
    fn into_answer(self) -> Result<A, String>;
}

impl<A, R: IntoAnswer<A>, D: Display> IntoAnswer<A> for Result<R, D> {
    fn into_answer(self) -> Result<A, String> {
        self.map_err(|error| excerpt(&error.to_string()).into_owned())?.into_answer()
    }
}

impl<D: IntoAnswer<Option<Decision>>> IntoAnswer<Option<Decision>> for Option<D> {
    fn into_answer(self) -> Result<Option<Decision>, String> {
        self.map_or(Ok(None), IntoAnswer::into_answer)
    }
}

/// Implements the conversion of each type by an expression.
macro_rules! answers {
    ($($from:ty => $answer:ty $(, $event:ident)?: $value:pat => $converted:expr;)+) => {$(
        impl$(<$event: HookEvent>)? IntoAnswer<$answer> for $from {
            fn into_answer(self) -> Result<$answer, String> {
                let $value = self;
                $converted
            }
        }
    )+};
}

answers! {
    () => HookAnswer<E>, E: () => Ok(HookReply::proceed().into());
    HookReply<E> => HookAnswer<E>, E: reply => Ok(reply.into());
    HookAnswer<E> => HookAnswer<E>, E: answer => Ok(answer);
    LaterReply => HookAnswer<E>, E: reply => Ok(reply.into());
    () => RawJson: () => Ok(RawJson::empty_object());
    RawJson => RawJson: reply => Ok(reply);
    HookReply<E> => RawJson, E: reply => RawJson::encode(&reply).map_err(|error| error.to_string());
    HookAnswer<E> => RawJson, E: reply => RawJson::encode(&reply).map_err(|error| error.to_string());
    LaterReply => RawJson: reply => RawJson::encode(&reply).map_err(|error| error.to_string());
    Decision => Option<Decision>: decision => Ok(Some(decision));
    Allow => Option<Decision>: allow => Ok(Some(allow.into()));
    Deny => Option<Decision>: deny => Ok(Some(deny.into()));
    ElicitationReply => ElicitationReply: reply => Ok(reply);
    ElicitationAction => ElicitationReply: action => Ok(ElicitationReply::new(action));
    RequestUserDialogReply => RequestUserDialogReply: reply => Ok(reply);
}
