//! `hook_event!`: declares an event and its input. It repeats the common fields instead of using `flatten`.

/// Declares an event's unit type and its input.
///
/// `matched by "field"` names the input field that matchers apply to. `also when late` means that the CLI blocks the
/// action if the hook times out; `within 30_000 ms` replaces the default limit of ten minutes; `adds context`,
/// `can block` and `can continue` give the event the traits of `ability.rs`.
/// `Input of a subagent { … }` makes the subagent fields required, for events about a subagent.
macro_rules! hook_event {
    (
        $(#[$meta:meta])*
        $event:ident => $output:ident, $(matched by $matched:literal,)? refusal $refusal:expr
            $(, also when $late:ident)? $(, within $limit:literal ms)?
            $(, adds $context:ident)? $(, can $ability:ident)*;
        $(#[$input_meta:meta])*
        $input:ident $(of a $subagent:ident)? { $($fields:tt)* }
    ) => {
        $crate::hook::declare::hook_event! { @event [$(#[$meta])*] $event $input $output $refusal, [$($matched)?] [$($late)?] [$($limit)?] }
        $crate::hook::declare::hook_event! { @agent [$(#[$input_meta])*] $input $($subagent)? { $($fields)* } }
        $( $crate::hook::declare::hook_event! { @adds $context $event } )?
        $( $crate::hook::declare::hook_event! { @can $ability $event } )*
    };
    (@agent [$($meta:tt)*] $input:ident { $($fields:tt)* }) => {
        $crate::hook::declare::hook_event! { @input [$($meta)*] $input {
            /// The subagent in which the event occurs (`agent_id`); `None` for the main conversation.
            agent_id: Option<Box<str>>,
            /// The type of that subagent, or of the agent that runs as the main conversation (`agent_type`).
            agent_type: Option<Box<str>>,
            $($fields)*
        } }
    };
    (@agent [$($meta:tt)*] $input:ident subagent { $($fields:tt)* }) => {
        $crate::hook::declare::hook_event! { @input [$($meta)*] $input {
            /// The subagent (`agent_id`).
            agent_id: Box<str>,
            /// The type of the subagent (`agent_type`), such as `general-purpose`.
            agent_type: Box<str>,
            $($fields)*
        } }
    };
    (
        @event [$(#[$meta:meta])*] $event:ident $input:ident $output:ident $refusal:expr,
        [$($matched:literal)?] [$($late:ident)?] [$($limit:literal)?]
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[expect(clippy::exhaustive_structs, reason = "an event is a unit value, to be named in a registration")]
        pub struct $event;

        impl $crate::hook::HookEvent for $event {
            const NAME: &'static str = stringify!($event);
            type Input = $input;
            type Output = $output;
            const MATCHED_BY: Option<&'static str> = $crate::hook::declare::hook_event!(@matched $($matched)?);
            const REFUSES_WHEN_LATE: bool = $crate::hook::declare::hook_event!(@late $($late)?);
            const DEFAULT_LIMIT: std::time::Duration = $crate::hook::declare::hook_event!(@limit $($limit)?);

            fn refusal(reason: &str) -> Option<$crate::hook::HookReply<Self>> {
                let refusal: fn(&str) -> Option<$crate::hook::HookReply<Self>> = $refusal;
                refusal(reason)
            }
        }
    };
    (@adds context $event:ident) => {
        impl $crate::hook::AddsContext for $event {
            fn set_context(output: &mut Self::Output, text: String) {
                output.additional_context = Some(text);
            }
        }
    };
    (@can block $event:ident) => { impl $crate::hook::CanBlock for $event {} };
    (@can continue $event:ident) => { impl $crate::hook::CanContinue for $event {} };
    (@matched) => { None };
    (@matched $matched:literal) => { Some($matched) };
    (@late) => { false };
    (@late late) => { true };
    (@limit) => { std::time::Duration::from_secs(600) };
    (@limit $limit:literal) => { std::time::Duration::from_millis($limit) };
    (@input [$(#[$input_meta:meta])*] $input:ident { $( $(#[$field_meta:meta])* $field:ident: $ty:ty, )* }) => {
        $(#[$input_meta])*
        #[wire]
        pub struct $input {
            /// The session (`session_id`).
            pub session_id: $crate::SessionId,
            /// The absolute path of the session's transcript (`transcript_path`).
            pub transcript_path: Option<String>,
            /// The absolute path of the working directory (`cwd`).
            #[serde(default)]
            pub cwd: String,
            /// The prompt that led to the event (`prompt_id`); absent before the first prompt. Known since CLI 2.1.197.
            pub prompt_id: Option<Box<str>>,
            /// The permission mode (`permission_mode`); present in events of a turn.
            pub permission_mode: Option<$crate::PermissionMode>,
            /// The effort level of the turn (`effort`); present in tool and stop events if the model supports it.
            pub effort: Option<$crate::hook::HookEffort>,
            $( $(#[$field_meta])* pub $field: $ty, )*
        }
    };
}

pub(super) use hook_event;
