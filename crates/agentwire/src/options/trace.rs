//! The trace that a session is a part of, as W3C trace context.

use std::fmt;

use agentwire_protocol::Hidden;
use serde::{Deserialize, Serialize};

/// The trace that a session is a part of, as W3C trace context: the CLI's own spans become children of it.
///
/// With the feature `opentelemetry`, a span that is active when the session is started is taken where the option is not set.
/// `Debug` does not show what vendors say of it.
#[derive(Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TraceContext {
    /// The parent span (`TRACEPARENT`), such as `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01`.
    pub traceparent: String,
    /// What vendors say of the trace (`TRACESTATE`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tracestate: Option<String>,
}

impl fmt::Debug for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TraceContext")
            .field("traceparent", &self.traceparent)
            .field("tracestate", &self.tracestate.as_ref().map(Hidden))
            .finish()
    }
}

impl TraceContext {
    /// This parent span.
    pub fn new(traceparent: impl Into<String>) -> Self {
        Self { traceparent: traceparent.into(), tracestate: None }
    }

    /// The span that is active here and now, where it is one of a recorded trace.
    #[cfg(feature = "opentelemetry")]
    pub fn active() -> Option<Self> {
        use opentelemetry::trace::TraceContextExt;

        let context = opentelemetry::Context::current();
        let span = context.span();
        let span = span.span_context();
        span.is_valid().then(|| Self {
            traceparent: format!(
                "00-{}-{}-{:02x}",
                span.trace_id(),
                span.span_id(),
                span.trace_flags().to_u8()
            ),
            tracestate: Some(span.trace_state().header()).filter(|state| !state.is_empty()),
        })
    }

    /// Whether it has the shape of the W3C's recommendation: version, trace, span and flags, in lower-case hexadecimals.
    pub(super) fn is_well_formed(&self) -> bool {
        let parts: Vec<&str> = self.traceparent.split('-').collect();
        let hex = |part: &&str| part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        parts.iter().map(|part| part.len()).eq([2, 32, 16, 2]) && parts.iter().all(hex)
    }
}
