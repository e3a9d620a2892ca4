//! `hook_events!`: everything that lists all events, made from one table.

use super::{HookEvent, HookEventName};

/// Declares [`HookEventName`], [`AnyInput`](super::AnyInput) and [`visit_events`](super::visit_events) from one row for each event.
macro_rules! hook_events {
    ($( $(#[$meta:meta])* $event:ident($input:ident) = $name:literal, )+) => {
        $crate::open_enum::open_enum! {
            /// The name of an event, as in the handshake and in `hook_event_name`.
            pub enum HookEventName {
                $( $(#[$meta])* $event = $name, )+
            }
        }

        $crate::tagged::tagged! {
            /// The input of any event, distinguished by `hook_event_name`.
            ///
            /// The CLI writes that field after the common ones, so decoding buffers those as text first: a handler of one
            /// event reads its [`HookEvent::Input`] instead.
            pub enum AnyInput tag = "hook_event_name" {
                $( $(#[$meta])* $event(Box<$input>) = $name, )+
            }
        }

        /// Calls `visitor` for every event that this version knows, in the order of the CLI's own list.
        pub fn visit_events(visitor: &mut impl $crate::hook::EventVisitor) {
            $( visitor.event::<$event>(); )+
        }
    };
}

pub(super) use hook_events;

/// Code that runs once for each event type.
pub trait EventVisitor {
    /// Called with one event.
    fn event<E: HookEvent>(&mut self);
}

impl HookEventName {
    /// Returns the name of a typed event.
    pub fn of<E: HookEvent>() -> Self {
        Self::from(E::NAME)
    }
}
