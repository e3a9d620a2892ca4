//! The first half: a conversation with a subagent, and what the store then has.

use std::sync::Arc;

use agentwire::{
    Session,
    sessions::{RawEntry, SessionKey, SessionStore, project_key},
};

use super::{
    Failure, check,
    place::{Place, lines},
};
use agentwire_testkit::{ScriptedModel, model::Answer};

/// The stored part of the conversation.
pub(super) struct First {
    pub(super) key: SessionKey,
    pub(super) entries: Vec<RawEntry>,
    /// The key of the subagent's part.
    pub(super) beneath: SessionKey,
    pub(super) beneath_entries: Vec<RawEntry>,
    /// The messages of the last request of the main conversation, by their roles.
    pub(super) roles: Vec<Box<str>>,
}

impl First {
    pub(super) async fn begin(
        place: &Place<'_>,
        model: &ScriptedModel,
        store: &Arc<dyn SessionStore>,
    ) -> Result<Self, Failure> {
        let builder = Session::builder().options(place.options("first"));
        let mut session = builder.session_store(Arc::clone(store)).connect().await?;
        let turn = session.ask("Let an agent say one.").await?;
        let result = turn.finish().await?.ok_or("the first turn has no result")?;
        let id = result.session_id.clone().ok_or("the result names no session")?;
        session.close().await?;
        let key = SessionKey::new(project_key(&place.project()), id)?;
        let entries = load(store, &key).await?;
        let subpaths = store.list_subkeys(&key).ok_or("the store can't list subpaths")?.await?;
        let [subpath] = &subpaths[..] else {
            return Err(format!("the store has {} subpaths, and not one", subpaths.len()).into());
        };
        check(subpath.starts_with("subagents/agent-"), || format!("{subpath} is not a subagent's"))?;
        let beneath = key.with_subpath(subpath.as_str())?;
        let beneath_entries = load(store, &beneath).await?;
        let project = place.home("first").join(".claude/projects").join(key.project());
        let file = project.join(format!("{}.jsonl", key.session_id()));
        same("the session's file", &mirrored(&lines(&file)?)?, &entries)?;
        let file = project.join(key.session_id().as_str()).join(format!("{subpath}.jsonl"));
        same("the subagent's file", &mirrored(&lines(&file)?)?, &without_metadata(&beneath_entries))?;
        Ok(Self { key, entries, beneath, beneath_entries, roles: asked(model)? })
    }
}

/// Returns the lines that the CLI mirrors: all except records of its requests (`api-request`, `api-request-blob`,
/// `api-request-shape`), as seen with 2.1.330.
fn mirrored(lines: &[String]) -> Result<Vec<String>, Failure> {
    let mut all = Vec::new();
    for line in lines {
        if !RawEntry::parse(line.as_str())?.kind().starts_with("api-request") {
            all.push(line.clone());
        }
    }
    Ok(all)
}

/// Returns the stored entries of this key.
pub(super) async fn load(store: &Arc<dyn SessionStore>, key: &SessionKey) -> Result<Vec<RawEntry>, Failure> {
    Ok(store.load(key).await?.ok_or_else(|| format!("the store has nothing under {key}"))?)
}

/// Returns the roles of the messages in the last request to the model of the main conversation.
pub(super) fn asked(model: &ScriptedModel) -> Result<Vec<Box<str>>, Failure> {
    let requests = model.requests();
    let last = requests.into_iter().rev().find(|request| request.answer == Answer::Main);
    Ok(last.ok_or("the model was not asked")?.roles)
}

/// Returns the entries except for those of separate files.
pub(super) fn without_metadata(entries: &[RawEntry]) -> Vec<RawEntry> {
    entries.iter().filter(|entry| entry.kind() != "agent_metadata").cloned().collect()
}

/// Checks that a file holds these entries, as values: a store may write them in another way.
pub(super) fn same(what: &str, lines: &[String], entries: &[RawEntry]) -> Result<(), Failure> {
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text);
    check(lines.len() == entries.len(), || {
        format!("{what} has {} lines, and the store {} entries", lines.len(), entries.len())
    })?;
    for (number, (line, entry)) in lines.iter().zip(entries).enumerate() {
        check(value(line)? == value(entry.as_str())?, || {
            format!("line {} of {what} is not that entry of the store's ({})", number + 1, entry.kind())
        })?;
    }
    Ok(())
}
