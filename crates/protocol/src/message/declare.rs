//! `messages!`: a union of messages with the ids that its kinds have in common.

/// Declares a union as [`tagged!`](crate::tagged::tagged) does, with `session_id` and `uuid` for all of its kinds.
///
/// `without ids` marks a kind that has neither.
macro_rules! messages {
    (
        $(#[$meta:meta])*
        pub enum $name:ident by $tag:literal $(within $outer:literal = $outer_value:literal)? {
            $(
                $(#[$variant_meta:meta])*
                $variant:ident($payload:ty) = $wire:literal $(as $nested:ident)? $(without $without:ident)?,
            )+
        }
    ) => {
        $crate::tagged::tagged! {
            $(#[$meta])*
            pub enum $name tag = $tag $(, within = ($outer, $outer_value))? {
                $( $(#[$variant_meta])* $variant($payload) = $wire $(as $nested)?, )+
            }
        }

        impl $name {
            /// Returns the session that the message belongs to; of an unknown kind, its field `session_id`.
            pub fn session_id(&self) -> Option<$crate::SessionId> {
                let id: Option<$crate::SessionId> = match self {
                    $( Self::$variant(message) => $crate::message::declare::messages!(@id message session_id $($nested)? $($without)?), )+
                    Self::Unknown(unknown) => unknown.field("session_id").ok().flatten(),
                };
                id.filter(|id| !id.is_empty())
            }

            /// Returns the message's own id; of an unknown kind, its field `uuid`.
            pub fn uuid(&self) -> Option<$crate::Uuid> {
                match self {
                    $( Self::$variant(message) => $crate::message::declare::messages!(@id message uuid $($nested)? $($without)?), )+
                    Self::Unknown(unknown) => unknown.field("uuid").ok().flatten(),
                }
            }
        }
    };
    (@id $message:ident $field:ident) => { $message.$field.clone().into() };
    (@id $message:ident $field:ident union) => { $message.$field() };
    (@id $message:ident $field:ident ids) => {{
        _ = $message;
        None
    }};
}

pub(super) use messages;
