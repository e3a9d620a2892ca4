//! An exporter that prints; replace it by your backend's.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use opentelemetry::trace::{SpanId, Status};
use opentelemetry_sdk::{
    error::OTelSdkResult,
    trace::{SpanData, SpanExporter},
};

/// Collects spans and prints them as a tree when the root span ends.
#[derive(Debug, Default)]
pub(crate) struct Print(Mutex<HashMap<SpanId, Vec<SpanData>>>);

impl SpanExporter for Print {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let mut parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for span in batch {
            if span.parent_span_id == SpanId::INVALID {
                print(&span, &parts, 0);
            }
            parts.entry(span.parent_span_id).or_default().push(span);
        }
        Ok(())
    }
}

fn print(span: &SpanData, parts: &HashMap<SpanId, Vec<SpanData>>, depth: usize) {
    let took = span.end_time.duration_since(span.start_time).unwrap_or_default();
    let fault = if matches!(span.status, Status::Error { .. }) { "  ERROR" } else { "" };
    println!("{}{} ({took:.1?}){fault}", "  ".repeat(depth), span.name);
    for attribute in &span.attributes {
        println!("{}  . {} = {}", "  ".repeat(depth), attribute.key, attribute.value);
    }
    let mut below: Vec<_> = parts.get(&span.span_context.span_id()).into_iter().flatten().collect();
    below.sort_by_key(|span| span.start_time);
    below.into_iter().for_each(|span| print(span, parts, depth + 1));
}
