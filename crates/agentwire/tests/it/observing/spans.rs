//! A subscriber that records spans and events.

use std::{
    cell::RefCell,
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

use tracing_core::span::Current;

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
    meta: &'static Metadata<'static>,
    parent: Option<u64>,
    fields: BTreeMap<String, String>,
    handles: usize,
}

thread_local! {
    static ENTERED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

impl RecordedSpans {
    /// Records the events of this thread until the guard is dropped.
    pub(super) fn here() -> (Self, DefaultGuard) {
        // With only one subscriber, a callsite first used by a thread without one would be disabled for all threads.
        static SECOND: OnceLock<Dispatch> = OnceLock::new();
        SECOND.get_or_init(|| Dispatch::new(Self::default()));
        let spans = Self::default();
        let guard = tracing::subscriber::set_default(spans.clone());
        (spans, guard)
    }

    /// Returns agentwire's spans in the format of [`tree::of`].
    pub(super) fn tree(&self) -> Vec<String> {
        let kept = self.0.lock().unwrap();
        let spans = kept.spans.iter().zip(1..).filter(|(span, _)| span.meta.target() == "agentwire");
        let parts: Vec<_> = spans.map(|(span, id)| (id, span.parent, span.words())).collect();
        tree::draw(&parts)
    }

    /// Returns the number of spans that are not closed.
    pub(super) fn open(&self) -> usize {
        self.0.lock().unwrap().spans.iter().filter(|span| span.handles > 0).count()
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
            let span = &kept.spans[usize::try_from(id).unwrap() - 1];
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

impl Subscriber for RecordedSpans {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut kept = self.0.lock().unwrap();
        let current = || ENTERED.with_borrow(|entered| entered.last().copied());
        let parent = span.parent().map(Id::into_u64).or_else(|| span.is_contextual().then(current).flatten());
        let mut fields = Fields::default();
        span.record(&mut fields);
        kept.spans.push(KeptSpan { meta: span.metadata(), parent, fields: fields.0, handles: 1 });
        Id::from_u64(kept.spans.len() as u64)
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        let mut fields = Fields::default();
        values.record(&mut fields);
        self.0.lock().unwrap().of(id).fields.extend(fields.0);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        self.0.lock().unwrap().events.push(format!("{} {:?}", event.metadata().target(), fields.0));
    }

    fn enter(&self, id: &Id) {
        ENTERED.with_borrow_mut(|entered| entered.push(id.into_u64()));
    }

    fn exit(&self, id: &Id) {
        ENTERED.with_borrow_mut(|entered| {
            let at = entered.iter().rposition(|entered| *entered == id.into_u64()).unwrap();
            entered.remove(at);
        });
    }

    fn clone_span(&self, id: &Id) -> Id {
        self.0.lock().unwrap().of(id).handles += 1;
        id.clone()
    }

    fn try_close(&self, id: Id) -> bool {
        let mut kept = self.0.lock().unwrap();
        let span = kept.of(&id);
        span.handles -= 1;
        span.handles == 0
    }

    fn current_span(&self) -> Current {
        let Some(id) = ENTERED.with_borrow(|entered| entered.last().copied()) else { return Current::none() };
        let meta = self.0.lock().unwrap().of(&Id::from_u64(id)).meta;
        Current::new(Id::from_u64(id), meta)
    }
}

impl Kept {
    fn of(&mut self, id: &Id) -> &mut KeptSpan {
        &mut self.spans[usize::try_from(id.into_u64()).unwrap() - 1]
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
