//! Resumes a conversation of the real CLI from PostgreSQL.

use std::sync::Arc;
use std::time::Duration;

use agentwire::Options;
use agentwire_judge::continued;

use crate::server::{config, name, store_at};

#[tokio::test]
#[ignore = "needs PostgreSQL and the real CLI: cargo xtask services --proof"]
async fn conversation_resumes_from_the_store() {
    let store = Arc::new(store_at(config(), &name()).await.unwrap());
    let proof = tokio::time::timeout(LIMIT, continued::prove(store, Options::new())).await;
    if let Err(failure) = proof.unwrap() {
        panic!("{failure}");
    }
}

/// Two sessions with the real CLI on a busy machine.
const LIMIT: Duration = Duration::from_secs(120);
