//! Properties of an event for the registry, by its type or by its name.

use std::time::Duration;

use agentwire_protocol::{
    RawJson,
    hook::{EventVisitor, HookEvent, visit_events},
};

use crate::strict;

/// The properties of an event.
#[derive(Clone, Copy)]
pub(crate) struct Event {
    /// Returns the refusal, or `None` if the event can't refuse.
    pub(crate) refusal: fn(&str) -> Option<RawJson>,
    /// Checks a raw JSON reply.
    pub(crate) check: fn(&RawJson) -> Result<(), String>,
    /// Whether the event can refuse.
    pub(crate) can_refuse: bool,
    /// The field that matchers are compared with.
    pub(crate) matched_by: Option<&'static str>,
    /// Whether the CLI refuses the event if a callback exceeds its limit.
    pub(crate) refuses_when_late: bool,
    /// The CLI's own limit.
    pub(crate) limit: Duration,
}

impl Event {
    pub(crate) fn of<E: HookEvent>() -> Self {
        Self {
            refusal: |reason| E::refusal(reason).and_then(|refusal| RawJson::encode(&refusal).ok()),
            check: strict::check::<E>,
            can_refuse: E::refusal("").is_some(),
            matched_by: E::MATCHED_BY,
            refuses_when_late: E::REFUSES_WHEN_LATE,
            limit: E::DEFAULT_LIMIT,
        }
    }

    /// Returns the event of this name, or `None` if this version does not know it.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let mut find = Find { name, event: None };
        visit_events(&mut find);
        find.event
    }
}

/// Finds the event with a name.
struct Find<'a> {
    name: &'a str,
    event: Option<Event>,
}

impl EventVisitor for Find<'_> {
    fn event<E: HookEvent>(&mut self) {
        if E::NAME == self.name {
            self.event = Some(Event::of::<E>());
        }
    }
}
