//! Ids for prompts and messages that have none.

use agentwire_protocol::Uuid;

/// Returns a random UUID (version 4): the CLI accepts UUIDs only.
pub(crate) fn random() -> Uuid {
    Uuid::from(uuid::Uuid::new_v4().to_string())
}
