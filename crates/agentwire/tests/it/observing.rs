//! What is observed of a session: as a stream, and the same as spans.

mod failures;
mod privacy;
mod recorded;
mod spans;
mod stream;
mod tree;

use agentwire::{Observation, Observations, Session};

/// All that is left of a stream, to its end.
async fn rest(mut observations: Observations) -> Vec<Observation> {
    let mut all = Vec::new();
    while let Some(observation) = observations.next().await {
        all.push(observation);
    }
    all
}

/// Asks, and reads the turn to its result.
async fn ask(session: &mut Session, prompt: &str) {
    session.ask(prompt).await.unwrap().finish().await.unwrap();
}
