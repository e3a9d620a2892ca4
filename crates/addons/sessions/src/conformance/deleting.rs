//! Checks of deletion.

use super::keys::ODD;
use super::parts::{PROJECT, beneath, key, key_of, session, with_id, without_id};
use super::tested_store::{Stop, TestedStore, Verdict, same};
use crate::SessionKey;

pub(super) async fn deletes_a_session(store: TestedStore<'_>) -> Verdict {
    store.append(&key(1)?, &[with_id("a")?, without_id(1)?]).await?;
    store.delete(&key(1)?).await?;
    store.keeps_nothing(&key(1)?).await
}

pub(super) async fn deletes_what_is_not_there(store: TestedStore<'_>) -> Verdict {
    store.delete(&key(1)?).await?;
    store.delete(&beneath(&key(1)?, "subagents/agent-1")?).await?;
    store.append(&key(1)?, &[with_id("a")?]).await?;
    store.delete(&beneath(&key(1)?, "subagents/agent-1")?).await?;
    store.keeps(&key(1)?, &[with_id("a")?]).await
}

pub(super) async fn deletes_all_beneath_a_session(store: TestedStore<'_>) -> Verdict {
    let subkeys = subkeys(&key(1)?, &["subagents/agent-1", "subagents/workflows/x/agent-1", "x", "x/y"])?;
    store.append(&key(1)?, &[with_id("a")?]).await?;
    fill(store, &subkeys).await?;
    store.delete(&key(1)?).await?;
    for key in &subkeys {
        store.keeps_nothing(key).await?;
    }
    Ok(())
}

pub(super) async fn deletes_a_session_of_subpaths_alone(store: TestedStore<'_>) -> Verdict {
    let subkeys = subkeys(&key(1)?, &["subagents/agent-1"])?;
    fill(store, &subkeys).await?;
    store.delete(&key(1)?).await?;
    store.keeps_nothing(&subkeys[0]).await
}

pub(super) async fn deletes_no_other_session(store: TestedStore<'_>) -> Verdict {
    let mut others = vec![key(2)?, key_of("another", 1)?, key_of(&format!("{PROJECT}2"), 1)?];
    others.extend(subkeys(&key(2)?, &["subagents/agent-1", session(1).as_str()])?);
    others.extend(subkeys(&key_of("another", 1)?, &["subagents/agent-1"])?);
    store.append(&key(1)?, &[with_id("a")?]).await?;
    fill(store, &others).await?;
    store.delete(&key(1)?).await?;
    kept(store, &others).await
}

pub(super) async fn deletes_by_no_pattern(store: TestedStore<'_>) -> Verdict {
    let mut keys = Vec::new();
    for project in ODD {
        keys.push(key_of(project, 1)?);
        keys.extend(subkeys(&key_of(project, 1)?, &["x"])?);
    }
    fill(store, &keys).await?;
    for project in ["*", "%", "?", "a_b", "a b", "a.b", "[ab]", "{a,b}"] {
        let gone = key_of(project, 1)?;
        store.delete(&gone).await?;
        keys.retain(|key| key.session() != gone);
    }
    kept(store, &keys).await
}

pub(super) async fn deletes_one_subpath_alone(store: TestedStore<'_>) -> Verdict {
    let gone = beneath(&key(1)?, "x")?;
    let mut others = vec![key(1)?];
    others.extend(subkeys(&key(1)?, &["x/y", "x2", "X", "y/x", "subagents/agent-1"])?);
    store.append(&gone, &[with_id("a")?]).await?;
    fill(store, &others).await?;
    store.delete(&gone).await?;
    store.keeps_nothing(&gone).await?;
    kept(store, &others).await
}

pub(super) async fn what_is_deleted_begins_anew(store: TestedStore<'_>) -> Verdict {
    let keys = [key(1)?, beneath(&key(1)?, "subagents/agent-1")?];
    fill(store, &keys).await?;
    store.delete(&key(1)?).await?;
    fill(store, &keys).await?;
    kept(store, &keys).await
}

pub(super) async fn what_is_deleted_is_not_listed(store: TestedStore<'_>) -> Verdict {
    fill(store, &[key(1)?, key(2)?]).await?;
    store.delete(&key(1)?).await?;
    same("the sessions", &store.listed(PROJECT).await?, &vec![session(2)])
}

pub(super) async fn what_is_deleted_is_no_subkey(store: TestedStore<'_>) -> Verdict {
    let subkeys = subkeys(&key(1)?, &["subagents/agent-1", "subagents/agent-2"])?;
    fill(store, &[key(1)?]).await?;
    fill(store, &subkeys).await?;
    store.delete(&subkeys[0]).await?;
    same("the subkeys", &store.list_subkeys(&key(1)?).await?, &vec!["subagents/agent-2".to_owned()])?;
    store.delete(&key(1)?).await?;
    same("the subkeys of a deleted session", &store.list_subkeys(&key(1)?).await?, &Vec::new())
}

pub(super) async fn what_is_deleted_has_no_summary(store: TestedStore<'_>) -> Verdict {
    fill(store, &[key(1)?, key(2)?]).await?;
    store.delete(&key(1)?).await?;
    let left: Vec<_> = store.list_summaries(PROJECT).await?.into_iter().map(|left| left.session_id).collect();
    same("the sessions with a summary", &left, &vec![session(2)])
}

fn subkeys(session: &SessionKey, subpaths: &[&str]) -> Result<Vec<SessionKey>, Stop> {
    subpaths.iter().map(|subpath| beneath(session, subpath)).collect()
}

async fn fill(store: TestedStore<'_>, keys: &[SessionKey]) -> Verdict {
    for key in keys {
        store.append(key, &[with_id("a")?]).await?;
    }
    Ok(())
}

async fn kept(store: TestedStore<'_>, keys: &[SessionKey]) -> Verdict {
    for key in keys {
        store.keeps(key, &[with_id("a")?]).await?;
    }
    Ok(())
}
