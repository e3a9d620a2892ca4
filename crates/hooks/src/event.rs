//! What the registry must know of an event, by its type or by its name.

use std::time::Duration;

use agentwire_protocol::{
    RawJson,
    hook::{EventVisitor, HookEvent, visit_events},
};

use crate::strict;

/// What the registry must know of an event.
#[derive(Clone, Copy)]
pub(crate) struct Event {
    /// The refusal; `None` where the event can't refuse.
    pub(crate) refusal: fn(&str) -> Option<RawJson>,
    /// Checks a reply that the caller wrote as JSON.
    pub(crate) check: fn(&RawJson) -> Result<(), String>,
    /// Whether it can refuse: asked of each callback, and a refusal is not written for that.
    pub(crate) can_refuse: bool,
    /// The field that matchers are compared with.
    pub(crate) matched_by: Option<&'static str>,
    /// Whether the CLI refuses by itself where a callback exceeds its limit.
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

    /// The event of this name; `None` where this version does not know it.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let mut find = Find { name, event: None };
        visit_events(&mut find);
        find.event
    }
}

/// Looks for the event of a name.
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
