//! Tests of names and of model-facing forms.

#![expect(clippy::panic, reason = "what the tests share is test code too")]

#[path = "../../../../codec/tests/it/cpu.rs"]
mod cpu;
mod llm;
mod names;
