//! Checks that a store's set of optional methods does not change.

use super::parts::{PROJECT, beneath, key, with_id};
use super::tested_store::{Stop, TestedStore, Verdict};

pub(super) async fn optional_methods_are_there_always_or_never(store: TestedStore<'_>) -> Verdict {
    let before = present(store)?;
    store.append(&key(1)?, &[with_id("a")?]).await?;
    store.append(&beneath(&key(1)?, "subagents/agent-1")?, &[with_id("a")?]).await?;
    let after = present(store)?;
    for (before, after) in before.into_iter().zip(after) {
        if before != after {
            return Err(Stop::Failed(format!("`{}` is there once, and once not", before.0)));
        }
    }
    Ok(())
}

/// Returns which optional methods return a future; the futures are not polled.
fn present(store: TestedStore<'_>) -> Result<[(&'static str, bool); 4], Stop> {
    Ok([
        ("list_sessions", store.0.list_sessions(PROJECT).is_some()),
        ("list_summaries", store.0.list_summaries(PROJECT).is_some()),
        ("delete", store.0.delete(&key(9)?).is_some()),
        ("list_subkeys", store.0.list_subkeys(&key(1)?).is_some()),
    ])
}
