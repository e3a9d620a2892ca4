//! Ids for prompts that the caller gave none.

use agentwire_protocol::Uuid;

/// Returns a random UUID (version 4): the CLI accepts UUIDs only.
pub(crate) fn fresh() -> Uuid {
    Uuid::from(uuid::Uuid::new_v4().to_string())
}
