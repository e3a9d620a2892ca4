//! `hook_event!`: an event with its input, without `flatten`: the fields common to all are repeated into each.

/// Declares an event's unit type and its input.
macro_rules! hook_event {
    (
        $(#[$meta:meta])*
        $event:ident => $output:ident, refusal $refusal:expr;
        $(#[$input_meta:meta])*
        $input:ident { $( $(#[$field_meta:meta])* $field:ident: $ty:ty, )* }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[expect(clippy::exhaustive_structs, reason = "an event is a unit value, to be named in a registration")]
        pub struct $event;

        impl $crate::hook::HookEvent for $event {
            const NAME: &'static str = stringify!($event);
            type Input = $input;
            type Output = $output;

            fn refusal(reason: &str) -> Option<$crate::hook::HookReply<Self>> {
                let refusal: fn(&str) -> Option<$crate::hook::HookReply<Self>> = $refusal;
                refusal(reason)
            }
        }

        $(#[$input_meta])*
        #[derive(Clone, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
        #[non_exhaustive]
        pub struct $input {
            /// The session.
            pub session_id: $crate::SessionId,
            /// The file that the session is stored in.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub transcript_path: Option<String>,
            /// The working directory.
            #[serde(default)]
            pub cwd: String,
            /// How tool uses are permitted.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub permission_mode: Option<$crate::PermissionMode>,
            /// The prompt that led here; not declared, seen on the wire.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub prompt_id: Option<Box<str>>,
            /// The subagent that it happens in; `None` for the main conversation.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub agent_id: Option<Box<str>>,
            /// The kind of that subagent.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub agent_type: Option<Box<str>>,
            $( $(#[$field_meta])* pub $field: $ty, )*
        }
    };
}

pub(super) use hook_event;
