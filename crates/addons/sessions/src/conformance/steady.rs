//! Checks that a store's set of optional methods does not change.

use super::asked::{Asked, Stop, Verdict};
use super::parts::{PROJECT, beneath, key, with_id};
use super::report::OptionalMethod;

pub(super) async fn optional_methods_are_there_always_or_never(store: Asked<'_>) -> Verdict {
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
fn present(store: Asked<'_>) -> Result<[(OptionalMethod, bool); 4], Stop> {
    Ok([
        (OptionalMethod::ListSessions, store.0.list_sessions(PROJECT).is_some()),
        (OptionalMethod::ListSummaries, store.0.list_summaries(PROJECT).is_some()),
        (OptionalMethod::Delete, store.0.delete(&key(9)?).is_some()),
        (OptionalMethod::ListSubkeys, store.0.list_subkeys(&key(1)?).is_some()),
    ])
}
