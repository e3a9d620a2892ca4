//! Checks of listed sessions, subkeys and times.

use std::future::poll_fn;
use std::task::Poll;
use std::time::{Duration, Instant, SystemTime};

use super::keys::ODD;
use super::parts::{PROJECT, beneath, key, key_of, session, with_id, without_id};
use super::tested_store::{Stop, TestedStore, Verdict, same};

pub(super) async fn lists_the_sessions_of_a_project(store: TestedStore<'_>) -> Verdict {
    for number in [2, 1, 3] {
        store.append(&key(number)?, &[with_id("a")?]).await?;
        store.append(&key(number)?, &[with_id("b")?]).await?;
    }
    store.append(&key_of("another", 4)?, &[with_id("a")?]).await?;
    same("the sessions", &store.listed(PROJECT).await?, &vec![session(1), session(2), session(3)])?;
    same("the sessions of another project", &store.listed("another").await?, &vec![session(4)])?;
    same("the sessions of an unknown project", &store.listed("unknown").await?, &Vec::new())
}

pub(super) async fn lists_no_sessions_of_like_named_projects(store: TestedStore<'_>) -> Verdict {
    let names: Vec<_> = ["p", "p2", "P"].iter().chain(ODD).collect();
    for (number, project) in names.iter().enumerate() {
        store.append(&key_of(project, number)?, &[with_id("a")?]).await?;
    }
    for (number, project) in names.iter().enumerate() {
        let listed = store.listed(project).await?;
        same(format_args!("the sessions of {project:?}"), &listed, &vec![session(number)])?;
    }
    Ok(())
}

pub(super) async fn lists_no_session_of_subpaths_alone(store: TestedStore<'_>) -> Verdict {
    store.append(&key(1)?, &[with_id("a")?]).await?;
    store.append(&beneath(&key(1)?, "subagents/agent-1")?, &[with_id("a")?]).await?;
    store.append(&beneath(&key(2)?, "subagents/agent-1")?, &[with_id("a")?]).await?;
    same("the sessions", &store.listed(PROJECT).await?, &vec![session(1)])
}

pub(super) async fn lists_no_session_of_an_empty_append(store: TestedStore<'_>) -> Verdict {
    store.append(&key(1)?, &[]).await?;
    same("the sessions", &store.listed(PROJECT).await?, &Vec::new())
}

pub(super) async fn times_are_in_milliseconds(store: TestedStore<'_>) -> Verdict {
    store.append(&key(1)?, &[with_id("a")?]).await?;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |now| now.as_millis());
    for session in store.list_sessions(PROJECT).await? {
        // A day allows for clock differences, and still detects a wrong unit.
        if u128::from(session.modified_ms).abs_diff(now) > DAY_MS {
            return Err(Stop::Failed(format!(
                "written at {} ms, which is not about {now}",
                session.modified_ms
            )));
        }
    }
    Ok(())
}

pub(super) async fn an_append_moves_the_time_on(store: TestedStore<'_>) -> Verdict {
    store.append(&key(1)?, &[with_id("a")?]).await?;
    let first = modified(store).await?;
    let start = Instant::now();
    // The clocks of some stores have a resolution of a second.
    for (number, wait_ms) in [5, 100, 1_100, 2_200].into_iter().enumerate() {
        passed(start + Duration::from_millis(wait_ms)).await;
        store.append(&key(1)?, &[without_id(number)?]).await?;
        match modified(store).await? {
            later if later > first => return Ok(()),
            later if later < first => {
                return Err(Stop::Failed(format!("an append moved the time back from {first} to {later}")));
            }
            _ => {}
        }
    }
    Err(Stop::Failed(format!("the time is {first} still, after appends for two seconds")))
}

pub(super) async fn lists_the_subkeys_of_a_session(store: TestedStore<'_>) -> Verdict {
    let [one, two] = [key(1)?, key(2)?];
    store.append(&one, &[with_id("a")?]).await?;
    for subpath in ["subagents/agent-2", "subagents/agent-1", "subagents/agent-2", "x/y", "x", "x/y/z"] {
        store.append(&beneath(&one, subpath)?, &[without_id(1)?]).await?;
    }
    store.append(&beneath(&two, "subagents/agent-3")?, &[with_id("a")?]).await?;
    store.append(&beneath(&key_of("another", 1)?, "subagents/agent-4")?, &[with_id("a")?]).await?;
    let all = ["subagents/agent-1", "subagents/agent-2", "x", "x/y", "x/y/z"].map(str::to_owned).to_vec();
    same("the subkeys", &store.list_subkeys(&one).await?, &all)?;
    let of_subkey = store.list_subkeys(&beneath(&one, "x")?).await?;
    same("the subkeys of the session, asked with a subpath", &of_subkey, &all)?;
    same(
        "the subkeys of a session without an entry",
        &store.list_subkeys(&two).await?,
        &vec!["subagents/agent-3".to_owned()],
    )
}

pub(super) async fn lists_no_subkeys_where_there_are_none(store: TestedStore<'_>) -> Verdict {
    same("the subkeys of an unknown session", &store.list_subkeys(&key(1)?).await?, &Vec::new())?;
    store.append(&key(1)?, &[with_id("a")?]).await?;
    same("the subkeys of a session without any", &store.list_subkeys(&key(1)?).await?, &Vec::new())?;
    store.append(&beneath(&key(1)?, "subagents/agent-1")?, &[]).await?;
    same("the subkeys after an empty append", &store.list_subkeys(&key(1)?).await?, &Vec::new())
}

pub(super) async fn lists_odd_subkeys_as_they_were(store: TestedStore<'_>) -> Verdict {
    let mut all = Vec::new();
    for odd in ODD {
        all.extend([(*odd).to_owned(), format!("subagents/{odd}/agent-1")]);
    }
    for subpath in &all {
        store.append(&beneath(&key(1)?, subpath)?, &[with_id("a")?]).await?;
    }
    all.sort();
    same("the subkeys", &store.list_subkeys(&key(1)?).await?, &all)
}

/// Returns the modification time of the only session.
async fn modified(store: TestedStore<'_>) -> Result<u64, Stop> {
    let sessions = store.list_sessions(PROJECT).await?;
    let only = sessions.first().filter(|_| sessions.len() == 1);
    let Some(only) = only else {
        return Err(Stop::Failed(format!("`list_sessions` gives {} sessions, and not one", sessions.len())));
    };
    Ok(only.modified_ms)
}

/// Waits without a timer, because no runtime is required.
async fn passed(until: Instant) {
    poll_fn(|context| {
        if Instant::now() >= until {
            return Poll::Ready(());
        }
        std::thread::yield_now();
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

const DAY_MS: u128 = 24 * 60 * 60 * 1_000;
