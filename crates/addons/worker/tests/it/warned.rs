//! A subscriber that keeps the warnings of the worker.

use std::{
    fmt::Debug,
    sync::{Arc, Mutex, OnceLock},
};

use tracing::{
    Dispatch, Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
    subscriber::DefaultGuard,
};

/// The texts of the worker's warnings.
#[derive(Clone, Default)]
pub(crate) struct Warned(Arc<Mutex<Vec<String>>>);

impl Warned {
    /// Keeps the warnings of this thread until the guard is dropped.
    pub(crate) fn here() -> (Self, DefaultGuard) {
        // With only one subscriber, a callsite first used by a thread without one would be disabled for all threads.
        static SECOND: OnceLock<Dispatch> = OnceLock::new();
        SECOND.get_or_init(|| Dispatch::new(Self::default()));
        let warned = Self::default();
        let guard = tracing::subscriber::set_default(warned.clone());
        (warned, guard)
    }

    /// Returns how many warnings contain the text.
    pub(crate) fn count(&self, text: &str) -> usize {
        self.0.lock().unwrap().iter().filter(|warning| warning.contains(text)).count()
    }
}

impl Subscriber for Warned {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() == Level::WARN && metadata.target().starts_with("agentwire_worker")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

impl Visit for Warned {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.0.lock().unwrap().push(format!("{value:?}"));
        }
    }
}
