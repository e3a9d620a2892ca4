//! A subscriber that records spans and events.

use std::{
    collections::BTreeMap,
    fmt::Debug,
    sync::{Arc, Mutex, OnceLock},
};

use tracing::{
    Dispatch, Event, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
    subscriber::DefaultGuard,
};
use tracing_subscriber::{
    Layer, Registry,
    layer::{Context, SubscriberExt},
    registry::LookupSpan,
};

use super::tree;

/// The recorded spans and events.
#[derive(Clone, Default)]
pub(super) struct RecordedSpans(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    spans: Vec<KeptSpan>,
    events: Vec<String>,
}

struct KeptSpan {
    id: u64,
    meta: &'static Metadata<'static>,
    parent: Option<u64>,
    fields: BTreeMap<String, String>,
    is_open: bool,
}

impl RecordedSpans {
    /// Records the events of this thread until the guard is dropped.
    pub(super) fn here() -> (Self, DefaultGuard) {
        // With only one subscriber, a callsite first used by a thread without one would be disabled for all threads.
        static SECOND: OnceLock<Dispatch> = OnceLock::new();
        SECOND.get_or_init(|| Dispatch::new(Registry::default()));
        let spans = Self::default();
        let guard = tracing::subscriber::set_default(Registry::default().with(spans.clone()));
        (spans, guard)
    }

    /// Returns agentwire's spans in the format of [`tree::of`].
    pub(super) fn tree(&self) -> Vec<String> {
        let kept = self.0.lock().unwrap();
        let spans = kept.spans.iter().filter(|span| span.meta.target() == "agentwire");
        let parts: Vec<_> = spans.map(|span| (span.id, span.parent, span.words())).collect();
        tree::draw(&parts)
    }

    /// Returns the number of spans that are not closed.
    pub(super) fn open(&self) -> usize {
        self.0.lock().unwrap().spans.iter().filter(|span| span.is_open).count()
    }

    /// Returns a field of the first span with this name.
    pub(super) fn field(&self, span: &str, field: &str) -> Option<String> {
        let kept = self.0.lock().unwrap();
        kept.spans.iter().find(|kept| kept.meta.name() == span)?.fields.get(field).cloned()
    }

    /// Returns the names of the spans around the first span with this name, from the inside.
    pub(super) fn around(&self, span: &str) -> Vec<&'static str> {
        let kept = self.0.lock().unwrap();
        let mut at = kept.spans.iter().find(|kept| kept.meta.name() == span).and_then(|kept| kept.parent);
        let mut names = Vec::new();
        while let Some(id) = at {
            let span = kept.spans.iter().find(|kept| kept.id == id).unwrap();
            names.push(span.meta.name());
            at = span.parent;
        }
        names
    }

    /// Returns everything recorded, as text.
    pub(super) fn text(&self) -> String {
        self.text_but("nobody")
    }

    /// Returns the same without the events of one crate; the user sets their level.
    pub(super) fn text_but(&self, krate: &str) -> String {
        let kept = self.0.lock().unwrap();
        let spans = kept.spans.iter().map(|span| format!("{} {:?}", span.meta.name(), span.fields));
        let events = kept.events.iter().filter(|event| !event.starts_with(krate)).cloned();
        spans.chain(events).collect::<Vec<_>>().join("\n")
    }
}

impl KeptSpan {
    fn words(&self) -> String {
        let field = |name: &str| self.fields.get(name).cloned();
        let words: Vec<_> = match self.meta.name() {
            "turn" => vec![field("number")],
            "hook" => vec![field("event")],
            "mcp" => vec![field("server"), field("method"), field("tool")],
            _ => vec![field("tool"), field("server"), field("kind"), field("subtype")],
        };
        let outcome = field("outcome").unwrap_or_else(|| "open".to_owned());
        let words = words.into_iter().flatten().chain([outcome]);
        [self.meta.name().to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for RecordedSpans {
    fn on_new_span(&self, span: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        span.record(&mut fields);
        let parent = context.span(id).and_then(|span| Some(span.parent()?.id().into_u64()));
        let (id, meta) = (id.into_u64(), span.metadata());
        self.0.lock().unwrap().spans.push(KeptSpan { id, meta, parent, fields: fields.0, is_open: true });
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, _: Context<'_, S>) {
        let mut fields = Fields::default();
        values.record(&mut fields);
        self.0.lock().unwrap().of(id).fields.extend(fields.0);
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        self.0.lock().unwrap().events.push(format!("{} {:?}", event.metadata().target(), fields.0));
    }

    fn on_close(&self, id: Id, _: Context<'_, S>) {
        self.0.lock().unwrap().of(&id).is_open = false;
    }
}

impl Kept {
    fn of(&mut self, id: &Id) -> &mut KeptSpan {
        self.spans.iter_mut().rev().find(|span| span.id == id.into_u64()).unwrap()
    }
}

#[derive(Default)]
struct Fields(BTreeMap<String, String>);

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }
}
