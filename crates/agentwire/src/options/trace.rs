//! The trace that contains a session, as W3C trace context.

use std::fmt;

use agentwire_protocol::Hidden;
use serde::{Deserialize, Serialize};

/// The trace that contains a session, as W3C trace context: the CLI's own spans become children of it.
///
/// With the feature `opentelemetry`, the span that is active at the start of the session is the default.
/// `Debug` does not show `tracestate`.
#[derive(Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TraceContext {
    /// The parent span (`TRACEPARENT`), such as `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01`.
    pub traceparent: String,
    /// The vendors' data about the trace (`TRACESTATE`).
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
    /// Returns a context with this parent span.
    pub fn new(traceparent: impl Into<String>) -> Self {
        Self { traceparent: traceparent.into(), tracestate: None }
    }

    /// Returns the active span, if it belongs to a valid trace.
    #[cfg(feature = "opentelemetry")]
    pub fn active() -> Option<Self> {
        use opentelemetry::trace::TraceContextExt;

        let context = opentelemetry::Context::current();
        let span = context.span();
        let span = span.span_context();
        let (trace, id, flags) = (span.trace_id(), span.span_id(), span.trace_flags().to_u8());
        span.is_valid().then(|| Self {
            traceparent: format!("00-{trace}-{id}-{flags:02x}"),
            tracestate: Some(span.trace_state().header()).filter(|state| !state.is_empty()),
        })
    }

    /// Returns whether it has the W3C format: version, trace, span and flags, in lower-case hexadecimals, with valid ids.
    pub(super) fn is_well_formed(&self) -> bool {
        let parts: Vec<&str> = self.traceparent.split('-').collect();
        let hex = |part: &&str| part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        // The CLI ignores ids of zeros, which a tracer that does nothing has.
        let is_id = |part: &&str| part.bytes().any(|byte| byte != b'0');
        parts.iter().map(|part| part.len()).eq([2, 32, 16, 2])
            && parts.iter().all(hex)
            && parts[1..3].iter().all(is_id)
    }
}
