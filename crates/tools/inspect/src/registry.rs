//! The types as which texts are read, by their names on the wire.

use std::collections::HashMap;
use std::fmt::Debug;

use agentwire_protocol::control::{CallVisitor, ControlCall, visit_calls};
use agentwire_protocol::hook::{EventVisitor, HookAnswer, HookEvent, visit_events};
use serde::{Serialize, de::DeserializeOwned};

use crate::view::{Reader, view};

/// How to read a request of ours, and its reply.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub request: Reader,
    pub reply: Reader,
}

/// The readers of a hook's input, of its event's own output, and of its whole answer.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    pub input: Reader,
    pub output: Reader,
    pub reply: Reader,
}

/// Every request of ours and every hook event that has a type.
#[derive(Debug, Default)]
pub struct Registry {
    pub calls: HashMap<&'static str, Call>,
    pub events: HashMap<&'static str, Event>,
}

impl Registry {
    pub fn new() -> Self {
        let mut registry = Self::default();
        visit_calls(&mut registry);
        visit_events(&mut registry);
        registry
    }
}

impl CallVisitor for Registry {
    fn call<C>(&mut self)
    where
        C: ControlCall + DeserializeOwned + PartialEq + Debug + 'static,
        C::Reply: Serialize + PartialEq + Debug,
    {
        self.calls.insert(C::SUBTYPE, Call { request: view::<C>, reply: view::<C::Reply> });
    }
}

impl EventVisitor for Registry {
    fn event<E: HookEvent>(&mut self) {
        let event =
            Event { input: view::<E::Input>, output: view::<E::Output>, reply: view::<HookAnswer<E>> };
        self.events.insert(E::NAME, event);
    }
}
