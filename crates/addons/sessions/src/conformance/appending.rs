//! Checks of order, ids and concurrent appends.

use super::canonical::canonical;
use super::parts::{beneath, entries, entry, key, key_of, saying, with_id, without_id};
use super::tested_store::{Stop, TestedStore, Verdict, alike, same};
use crate::{RawEntry, SessionKey};

pub(super) async fn order_within_an_append(store: TestedStore<'_>) -> Verdict {
    let batch = [with_id("b")?, with_id("a")?, without_id(9)?, with_id("c")?, without_id(1)?];
    store.append(&key(1)?, &batch).await?;
    store.keeps(&key(1)?, &batch).await
}

pub(super) async fn order_across_appends(store: TestedStore<'_>) -> Verdict {
    let batches =
        [vec![with_id("z")?], vec![with_id("a")?, without_id(1)?], vec![without_id(0)?], vec![with_id("m")?]];
    for batch in &batches {
        store.append(&key(1)?, batch).await?;
    }
    store.keeps(&key(1)?, &batches.concat()).await
}

pub(super) async fn an_unknown_key_is_none(store: TestedStore<'_>) -> Verdict {
    store.keeps_nothing(&key(1)?).await?;
    store.append(&key(1)?, &[with_id("a")?]).await?;
    store.keeps_nothing(&key(2)?).await?;
    store.keeps_nothing(&key_of("another", 1)?).await?;
    store.keeps_nothing(&beneath(&key(1)?, "subagents/agent-1")?).await
}

pub(super) async fn an_empty_append_changes_nothing(store: TestedStore<'_>) -> Verdict {
    store.append(&key(1)?, &[with_id("a")?]).await?;
    store.append(&key(1)?, &[]).await?;
    store.keeps(&key(1)?, &[with_id("a")?]).await
}

pub(super) async fn an_empty_append_makes_no_key_known(store: TestedStore<'_>) -> Verdict {
    store.append(&key(1)?, &[]).await?;
    store.append(&beneath(&key(2)?, "subagents/agent-1")?, &[]).await?;
    store.keeps_nothing(&key(1)?).await?;
    store.keeps_nothing(&beneath(&key(2)?, "subagents/agent-1")?).await
}

pub(super) async fn a_repeated_id_is_loaded_once(store: TestedStore<'_>) -> Verdict {
    let batch = [with_id("b")?, with_id("a")?];
    for _ in 0..3 {
        store.append(&key(1)?, &batch).await?;
    }
    store.append(&key(1)?, &batch[1..]).await?;
    store.keeps(&key(1)?, &batch).await
}

pub(super) async fn an_id_repeated_in_a_batch_is_loaded_once(store: TestedStore<'_>) -> Verdict {
    let [a, b] = [with_id("a")?, with_id("b")?];
    store.append(&key(1)?, &[a.clone(), b.clone(), a.clone(), b.clone()]).await?;
    store.keeps(&key(1)?, &[a, b]).await
}

pub(super) async fn a_retry_that_overlaps_is_completed(store: TestedStore<'_>) -> Verdict {
    let batch = [with_id("d")?, with_id("b")?, with_id("c")?, with_id("a")?];
    store.append(&key(1)?, &batch[..2]).await?;
    store.append(&key(1)?, &batch).await?;
    store.keeps(&key(1)?, &batch).await
}

pub(super) async fn the_same_id_elsewhere_is_another_entry(store: TestedStore<'_>) -> Verdict {
    let keys = [key(1)?, key(2)?, key_of("another", 1)?, beneath(&key(1)?, "subagents/agent-1")?];
    for key in &keys {
        store.append(key, &[with_id("a")?]).await?;
    }
    for key in &keys {
        store.keeps(key, &[with_id("a")?]).await?;
    }
    Ok(())
}

pub(super) async fn ids_are_compared_exactly(store: TestedStore<'_>) -> Verdict {
    let ids = ["a", "A", "a ", " a", "aa", "a%", "_", "*", "é", "e\u{301}", "a'b", "0", "00", ""];
    let batch = ids.iter().map(with_id).collect::<Result<Vec<_>, Stop>>()?;
    store.append(&key(1)?, &batch).await?;
    store.keeps(&key(1)?, &batch).await
}

pub(super) async fn entries_without_an_id_are_always_added(store: TestedStore<'_>) -> Verdict {
    let batch = [without_id(1)?, without_id(1)?];
    store.append(&key(1)?, &batch).await?;
    store.append(&key(1)?, &batch).await?;
    store.keeps(&key(1)?, &[&batch[..], &batch[..]].concat()).await
}

pub(super) async fn an_id_that_is_no_text_is_none(store: TestedStore<'_>) -> Verdict {
    let batch =
        entries(&[r#"{"uuid":null}"#, r#"{"uuid":7}"#, r#"{"uuid":["a"]}"#, r#"{"in":{"uuid":"a"}}"#])?;
    store.append(&key(1)?, &batch).await?;
    store.append(&key(1)?, &batch).await?;
    store.keeps(&key(1)?, &[&batch[..], &batch[..]].concat()).await
}

pub(super) async fn appends_at_once_lose_nothing(store: TestedStore<'_>) -> Verdict {
    let batches = batches()?;
    store.append_all(&batches).await?;
    let mut is: Vec<_> =
        loaded(store, &key(1)?).await?.iter().map(|entry| canonical(entry.as_str())).collect();
    let mut should: Vec<_> =
        batches.iter().flat_map(|(_, batch)| batch).map(|entry| canonical(entry.as_str())).collect();
    is.sort();
    should.sort();
    let lost: Vec<_> = should.iter().filter(|entry| is.binary_search(entry).is_err()).collect();
    same("what is lost", &lost, &Vec::new())?;
    same("the number of entries", &is.len(), &should.len())
}

pub(super) async fn appends_at_once_stay_together_each(store: TestedStore<'_>) -> Verdict {
    let batches = batches()?;
    store.append_all(&batches).await?;
    let loaded = loaded(store, &key(1)?).await?;
    let mut open = loaded.as_slice();
    while let Some(first) = open.first() {
        let Some((_, batch)) = batches.iter().find(|(_, batch)| alike(&batch[0], first)) else {
            return Err(Stop::Failed(format!(
                "{first:?} is not the first of a batch, and stands where one begins"
            )));
        };
        let (together, rest) = open.split_at(batch.len().min(open.len()));
        if !all_alike(together, batch) {
            return Err(Stop::Failed(format!("a batch of {} is kept as {together:?}", batch.len())));
        }
        open = rest;
    }
    Ok(())
}

pub(super) async fn appends_at_once_to_many_keys_stay_apart(store: TestedStore<'_>) -> Verdict {
    let mut batches = Vec::new();
    for writer in 0..WRITERS {
        let session = key(writer / 2)?;
        let key = if writer % 2 == 0 { session } else { beneath(&session, "subagents/agent-1")? };
        batches.push((key, writings(writer)?));
    }
    store.append_all(&batches).await?;
    for (key, batch) in &batches {
        store.keeps(key, batch).await?;
    }
    Ok(())
}

pub(super) async fn the_same_batch_at_once_is_loaded_once(store: TestedStore<'_>) -> Verdict {
    let batch = [with_id("b")?, with_id("a")?, with_id("c")?];
    let batches = vec![(key(1)?, batch.to_vec()); 8];
    store.append_all(&batches).await?;
    store.keeps(&key(1)?, &batch).await
}

pub(super) async fn a_large_entry_is_kept(store: TestedStore<'_>) -> Verdict {
    let kilobyte = format!("{}é\"\\", "0123456789abcdef".repeat(64));
    let batch = [saying("before")?, saying(&kilobyte.repeat(1_000))?, saying("after")?];
    store.append(&key(1)?, &batch).await?;
    store.keeps(&key(1)?, &batch).await
}

pub(super) async fn many_entries_are_kept(store: TestedStore<'_>) -> Verdict {
    let all = (0..2_000)
        .map(|number| entry(&format!(r#"{{"uuid":"{:04}","number":{number}}}"#, number * 7 % 2_000)))
        .collect::<Result<Vec<_>, Stop>>()?;
    for batch in [&all[..1_500], &all[1_500..1_501], &all[1_501..]] {
        store.append(&key(1)?, batch).await?;
    }
    store.keeps(&key(1)?, &all).await
}

/// Returns the batches that all writers append to one session.
fn batches() -> Result<Vec<(SessionKey, Vec<RawEntry>)>, Stop> {
    (0..WRITERS).map(|writer| Ok((key(1)?, writings(writer)?))).collect()
}

/// Returns the entries that one of several writers appends.
fn writings(writer: usize) -> Result<Vec<RawEntry>, Stop> {
    (0..5)
        .map(|number| match number {
            2 => entry(&format!(r#"{{"type":"mode","writer":{writer}}}"#)),
            _ => entry(&format!(r#"{{"type":"user","uuid":"{writer}-{number}"}}"#)),
        })
        .collect()
}

async fn loaded(store: TestedStore<'_>, key: &SessionKey) -> Result<Vec<RawEntry>, Stop> {
    Ok(store.load(key).await?.unwrap_or_default())
}

fn all_alike(some: &[RawEntry], others: &[RawEntry]) -> bool {
    some.len() == others.len() && some.iter().zip(others).all(|(one, other)| alike(one, other))
}

/// How many appends run concurrently.
const WRITERS: usize = 16;
