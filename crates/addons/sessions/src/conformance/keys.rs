//! Checks that entries under one key are not visible under a similar key.

use agentwire_protocol::SessionId;

use super::parts::{PROJECT, beneath, key, key_of, saying, session};
use super::tested_store::{Stop, TestedStore, Verdict};
use crate::SessionKey;

pub(super) async fn projects_are_apart(store: TestedStore<'_>) -> Verdict {
    let keys = ["p", "p2", "p-", "pp", "-p", "2"].map(|project| key_of(project, 1));
    apart(store, keys.into_iter().collect::<Result<_, _>>()?).await
}

pub(super) async fn odd_project_names_are_apart(store: TestedStore<'_>) -> Verdict {
    let mut keys = ODD.iter().map(|project| key_of(project, 1)).collect::<Result<Vec<_>, _>>()?;
    keys.push(key_of(&"long-".repeat(60), 1)?);
    keys.push(key_of(&format!("{}x", "long-".repeat(60)), 1)?);
    apart(store, keys).await
}

pub(super) async fn sessions_and_subpaths_are_apart(store: TestedStore<'_>) -> Verdict {
    let mut keys = vec![key(1)?, key(2)?];
    for subpath in ["subagents/agent-1", "subagents/agent-2", "subagents/workflows/x/agent-1", "agent-1"] {
        keys.push(beneath(&key(1)?, subpath)?);
        keys.push(beneath(&key(2)?, subpath)?);
    }
    apart(store, keys).await
}

pub(super) async fn a_subpath_is_apart_from_those_beneath_it(store: TestedStore<'_>) -> Verdict {
    let session = key(1)?;
    let mut keys = vec![session.clone()];
    for subpath in ["x/y", "x", "x/y/z", "x2", "x.jsonl", "x.jsonl/y", "x.json", "y"] {
        keys.push(beneath(&session, subpath)?);
    }
    apart(store, keys).await
}

pub(super) async fn odd_subpaths_are_apart(store: TestedStore<'_>) -> Verdict {
    let session = key(1)?;
    let mut keys = Vec::new();
    for odd in ODD {
        keys.push(beneath(&session, odd)?);
        keys.push(beneath(&session, &format!("subagents/{odd}/agent-1"))?);
    }
    apart(store, keys).await
}

pub(super) async fn case_tells_keys_apart(store: TestedStore<'_>) -> Verdict {
    let upper = SessionId::from(session(0xabc).as_str().to_uppercase());
    let upper = SessionKey::new(PROJECT, upper).map_err(|error| Stop::Failed(error.to_string()))?;
    let lower = key(0xabc)?;
    let mut keys = vec![key_of("Project", 1)?, key_of("project", 1)?, key_of("PROJECT", 1)?];
    keys.extend([beneath(&lower, "Agent")?, beneath(&lower, "agent")?, lower, upper]);
    apart(store, keys).await
}

pub(super) async fn the_parts_of_a_key_do_not_run_together(store: TestedStore<'_>) -> Verdict {
    let (one, two) = (session(1), session(2));
    let mut keys = Vec::new();
    for separator in [":", "|", "#", "-", "_", ".", " ", "%2F", "/"] {
        keys.push(beneath(&key_of("p", 1)?, &format!("{two}{separator}x"))?);
        if separator != "/" {
            keys.push(beneath(&key_of(&format!("p{separator}{one}"), 2)?, "x")?);
            keys.push(key_of(&format!("p{separator}{one}"), 2)?);
            keys.push(beneath(&key_of("p", 1)?, &format!("a{separator}b"))?);
        }
    }
    keys.extend([beneath(&key_of("p", 1)?, "a/b")?, beneath(&key_of("p", 1)?, two.as_str())?]);
    apart(store, keys).await
}

/// Appends a different entry under each key, and requires that each key has only its own.
async fn apart(store: TestedStore<'_>, keys: Vec<SessionKey>) -> Verdict {
    for key in &keys {
        store.append(key, &[saying(&key.to_string())?]).await?;
    }
    for key in &keys {
        store.keeps(key, &[saying(&key.to_string())?]).await?;
    }
    Ok(())
}

/// Allowed names that a store may handle wrongly.
pub(super) const ODD: &[&str] = &[
    "a b",
    " a",
    "a ",
    "a.b",
    ".a",
    "a.",
    "...",
    "a%b",
    "a%20b",
    "a%2Fb",
    "%",
    "%%",
    "%00",
    "a_b",
    "a-b",
    "aXb",
    "*",
    "a*",
    "?",
    "[ab]",
    "{a,b}",
    "~",
    "~a",
    "$HOME",
    "a$b",
    "a&b=c",
    "a#b",
    "a:b",
    "a;b",
    "a|b",
    "a'b",
    "a\"b",
    "a`b",
    "<a>",
    "(a)",
    "a,b",
    "a+b",
    "a=b",
    "a@b",
    "a!b",
    "a^b",
    "con",
    "nul.txt",
    "-",
    "--help",
    "é",
    "e\u{301}",
    "日本語",
    "😀",
    "\u{200b}",
    "null",
    "0",
    "1e3",
    "main",
    "summary",
    "__proto__",
];
