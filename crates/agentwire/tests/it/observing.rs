//! Observations of a session: as a stream and as spans.

mod failures;
mod privacy;
mod recorded;
mod spans;
mod stream;
mod tree;

use agentwire::{Observation, Observations, Session};

/// Returns the rest of a stream.
async fn rest(mut observations: Observations) -> Vec<Observation> {
    let mut all = Vec::new();
    while let Some(observation) = observations.next().await {
        all.push(observation);
    }
    all
}

/// Sends a prompt and reads the turn to its result.
async fn ask(session: &mut Session, prompt: &str) {
    session.ask(prompt).await.unwrap().finish().await.unwrap();
}
