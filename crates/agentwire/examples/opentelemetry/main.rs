//! Exports the activities of a session as OpenTelemetry spans.
//!
//! ```text
//! cargo run -p agentwire --example opentelemetry            a recorded session: no CLI, no account, no network
//! ```
//!
//! It prints the spans. Replace `print.rs` by the exporter of your backend, such as `opentelemetry-otlp`.
#![expect(clippy::print_stdout, reason = "it is a program for people")]

#[path = "../quickstart/callbacks.rs"]
mod callbacks;
mod export;
mod print;

use agentwire::{Options, Session};
use agentwire_testkit::{Replay, Transcript};
use opentelemetry::trace::TracerProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let provider = SdkTracerProvider::builder().with_simple_exporter(print::Print::default()).build();
    let mut session = Session::builder()
        .options(Options::new().include_partial_messages().allowed_tools(["mcp__weather__forecast"]))
        .hooks(callbacks::hooks())
        .permissions(callbacks::permissions())
        .mcp_servers(callbacks::mcp_servers())
        // Add `.observe_contents()` to include prompts, tool inputs and outputs.
        .transport(Replay::new(&Transcript::parse(RECORDING)?))
        .connect()
        .await?;
    let export = export::Export::new(provider.tracer("agentwire"));
    let exporting = tokio::spawn(export.run(session.observe()));
    session.ask("What is the weather in Lisbon tomorrow? Keep it in note.txt.").await?.finish().await?;
    session.close().await?;
    println!();
    exporting.await?;
    provider.shutdown()?;
    Ok(())
}

/// The session of the quickstart.
const RECORDING: &[u8] = include_bytes!("../quickstart/session.transcript");
