//! Tests of sessions in a store, which read like those in the CLI's files.

mod imports;

use std::{
    collections::HashSet,
    sync::atomic::{AtomicUsize, Ordering},
};

use agentwire_protocol::{SessionId, session_info::SessionMessage};
use agentwire_sessions::{
    ChangeError, MemoryStore, Page, RawEntry, SessionKey, SessionStore, SessionSummary, StoreError,
    StoreFuture, StoreSessions, StoredSession, import_session,
};
use serde_json::{Value, json};

use crate::written::{Config, id, raw, user};

#[tokio::test]
async fn a_session_of_a_store_goes_into_the_archive_and_comes_out() {
    let (store, session) = (MemoryStore::new(), SessionId::from(id(1)));
    let stored = StoreSessions::new(&store, "p");
    let key = stored.key(&session).unwrap();
    let say = |uuid: &str, at: &str| {
        let mut entry = user(uuid, None, "words");
        entry["timestamp"] = at.into();
        RawEntry::parse(entry.to_string()).unwrap()
    };
    store.append(&key, &[say("a", "2026-01-01T00:00:00.000Z")]).await.unwrap();
    // Both from the stored summary and from all entries.
    let archived = async || {
        let (listed, info) = (stored.list(Page::ALL).await.unwrap(), stored.info(&session).await.unwrap());
        let listed = listed.iter().find(|listed| listed.session_id == session).unwrap();
        assert_eq!(listed.archived, info.unwrap().archived);
        listed.archived
    };
    assert_eq!(archived().await, None);
    stored.archive(&session).await.unwrap();
    assert_eq!(archived().await, Some(true));
    assert_eq!(stored.messages(&session, Page::ALL).await.unwrap().unwrap().len(), 1);
    let fork = stored.fork(&session, None, None).await.unwrap().unwrap();
    assert_eq!(stored.info(&fork).await.unwrap().unwrap().archived, None);
    stored.unarchive(&session).await.unwrap();
    assert_eq!(archived().await, Some(false));
    stored.archive(&session).await.unwrap();
    store.append(&key, &[say("b", "2999-01-01T00:00:00.000Z")]).await.unwrap();
    assert_eq!(archived().await, Some(false));
    let error = stored.archive(&"../x".into()).await.unwrap_err();
    assert!(error.to_string().starts_with("naming a session"), "{error}");
}

#[tokio::test]
async fn a_list_is_the_same_with_summaries_and_without() {
    let mut lists = Vec::new();
    for (no_sessions, no_summaries) in [(false, false), (false, true), (true, false)] {
        let store = Watched { no_sessions, no_summaries, ..Watched::default() };
        fill(&store, 40).await;
        let stored = StoreSessions::new(&store, PROJECT);
        let list = stored.list(Page::ALL).await.unwrap();
        assert_eq!(list.len(), 40 - 8 - 4, "sidechains, and sessions without messages, are not listed");
        assert!(list.is_sorted_by_key(|info| std::cmp::Reverse(info.last_modified)));
        for page in [Page::first(3), Page::first(20).after(7), Page::ALL.after(30), Page::first(0)] {
            let end = page.limit.map_or(list.len(), |limit| (page.offset + limit).min(list.len()));
            assert_eq!(stored.list(page).await.unwrap(), list[page.offset.min(end)..end], "{page:?}");
        }
        let listed: Vec<_> =
            list.into_iter().map(|info| (info.session_id, info.summary, info.cwd, info.tag)).collect();
        lists.push(listed);
    }
    for list in &mut lists {
        list.sort();
    }
    assert!(lists[0] == lists[1] && lists[1] == lists[2]);
}

#[tokio::test]
async fn only_sessions_without_a_current_summary_are_loaded_up_to_the_page() {
    let store = Watched::default();
    fill(&store, 40).await;
    let stored = StoreSessions::new(&store, PROJECT);
    stored.list(Page::ALL).await.unwrap();
    assert_eq!(store.loaded(), 0, "all summaries are up to date");
    // The summaries of two sessions are stale.
    *store.stale.lock().unwrap() = [id(1), id(2)].map(SessionId::from).into();
    stored.list(Page::ALL).await.unwrap();
    assert_eq!(store.loaded(), 2);

    let store = Watched { no_summaries: true, ..Watched::default() };
    fill(&store, 40).await;
    let stored = StoreSessions::new(&store, PROJECT);
    let list = stored.list(Page::first(5)).await.unwrap();
    assert_eq!(list.len(), 5);
    assert!(store.loaded() < 16, "{}", store.loaded());
    stored.list(Page::ALL).await.unwrap();
    assert_eq!(store.most_at_once.load(Ordering::SeqCst), 16);
}

#[tokio::test]
async fn a_session_that_can_not_be_loaded_is_listed_without_a_summary() {
    let store = Watched { no_summaries: true, broken: Some(id(3).into()), ..Watched::default() };
    fill(&store, 5).await;
    let list = StoreSessions::new(&store, PROJECT).list(Page::ALL).await.unwrap();
    let broken = list.iter().find(|info| info.session_id.as_str() == id(3)).unwrap();
    assert_eq!(broken.summary, "");
    assert!(broken.last_modified > 0 && list.iter().filter(|info| info.summary.is_empty()).count() == 1);
}

#[tokio::test]
async fn missing_methods_are_named_in_errors() {
    let store = Watched { no_sessions: true, no_summaries: true, no_optional: true, ..Watched::default() };
    let stored = StoreSessions::new(&store, PROJECT);
    let session = SessionId::from(id(1));
    let errors = [
        stored.list(Page::ALL).await.map(drop).unwrap_err(),
        stored.subagents(&session).await.map(drop).unwrap_err(),
        stored.delete(&session).await.unwrap_err(),
        stored.messages(&"no uuid".into(), Page::ALL).await.map(drop).unwrap_err(),
    ];
    let errors = errors.map(|error| format!("{error}: {}", std::error::Error::source(&error).unwrap()));
    assert_eq!(
        errors,
        [
            "listing sessions: the store has no `list_sessions`",
            "listing subagents: the store has no `list_subkeys`",
            "deleting a session: the store has no `delete`",
            "naming a session: the session id \"no uuid\" is not a UUID",
        ]
    );
    // A subagent is found at the CLI's default path.
    let key = stored.key(&session).unwrap().with_subpath("subagents/agent-one").unwrap();
    store.append(&key, &[entry(&user("a", None, "hi"))]).await.unwrap();
    assert_eq!(stored.subagent_messages(&session, "one", Page::ALL).await.unwrap().unwrap().len(), 1);
}

/// Appends sessions, some of which are not listed.
async fn fill(store: &Watched, sessions: u32) {
    for number in 0..sessions {
        let first = match number % 5 {
            4 => json!({"type": "user", "isSidechain": true, "uuid": "a", "message": {"content": "aside"}}),
            _ if number % 8 == 7 => json!({"type": "mode"}),
            _ => user("a", None, &format!("prompt {number}")),
        };
        let entries = [entry(&first), entry(&json!({"type": "tag", "tag": format!("t{number}")}))];
        store.append(&SessionKey::new(PROJECT, id(number).into()).unwrap(), &entries).await.unwrap();
    }
}

fn entry(value: &Value) -> RawEntry {
    RawEntry::parse(value.to_string()).unwrap()
}

/// A store that records its calls and implements only some methods.
#[derive(Default)]
struct Watched {
    inner: MemoryStore,
    no_sessions: bool,
    no_summaries: bool,
    no_optional: bool,
    refuses: bool,
    broken: Option<SessionId>,
    stale: std::sync::Mutex<HashSet<SessionId>>,
    batches: std::sync::Mutex<Vec<usize>>,
    loads: AtomicUsize,
    loading: AtomicUsize,
    most_at_once: AtomicUsize,
}

impl Watched {
    fn loaded(&self) -> usize {
        self.loads.load(Ordering::SeqCst)
    }
}

impl SessionStore for Watched {
    fn append<'a>(&'a self, key: &'a SessionKey, entries: &'a [RawEntry]) -> StoreFuture<'a, ()> {
        if self.refuses {
            return Box::pin(async { Err(StoreError::new("appending", "it is full")) });
        }
        self.batches.lock().unwrap().push(entries.len());
        self.inner.append(key, entries)
    }

    fn load<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Option<Vec<RawEntry>>> {
        Box::pin(async move {
            self.loads.fetch_add(1, Ordering::SeqCst);
            self.most_at_once.fetch_max(self.loading.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            self.loading.fetch_sub(1, Ordering::SeqCst);
            if self.broken.as_ref() == Some(key.session_id()) {
                return Err(StoreError::new("loading", "it is broken"));
            }
            self.inner.load(key).await
        })
    }

    fn list_sessions<'a>(&'a self, project: &'a str) -> Option<StoreFuture<'a, Vec<StoredSession>>> {
        self.inner.list_sessions(project).filter(|_| !self.no_sessions)
    }

    fn list_summaries<'a>(&'a self, project: &'a str) -> Option<StoreFuture<'a, Vec<SessionSummary>>> {
        let summaries = self.inner.list_summaries(project).filter(|_| !self.no_summaries)?;
        Some(Box::pin(async move {
            let mut summaries = summaries.await?;
            let stale = self.stale.lock().unwrap();
            for summary in summaries.iter_mut().filter(|summary| stale.contains(&summary.session_id)) {
                summary.modified_ms -= 1;
            }
            Ok(summaries)
        }))
    }

    fn delete<'a>(&'a self, key: &'a SessionKey) -> Option<StoreFuture<'a, ()>> {
        if self.no_optional { None } else { self.inner.delete(key) }
    }

    fn list_subkeys<'a>(&'a self, key: &'a SessionKey) -> Option<StoreFuture<'a, Vec<String>>> {
        self.inner.list_subkeys(key).filter(|_| !self.no_optional)
    }
}

const PROJECT: &str = "-srv-one";

#[tokio::test]
async fn titles_and_tags_are_stored_and_listed() {
    for no_summaries in [false, true] {
        let store = Watched { no_summaries, ..Watched::default() };
        fill(&store, 1).await;
        let stored = StoreSessions::new(&store, PROJECT);
        let session = SessionId::from(id(0));
        stored.rename(&session, " A walk ").await.unwrap();
        stored.tag(&session, Some("red")).await.unwrap();
        let info = stored.list(Page::ALL).await.unwrap().remove(0);
        assert_eq!((info.custom_title.as_deref(), info.tag.as_deref()), (Some("A walk"), Some("red")));
        stored.tag(&session, None).await.unwrap();
        let info = stored.list(Page::ALL).await.unwrap().remove(0);
        assert_eq!((info.summary.as_str(), info.tag), ("A walk", None));
        // Each has an id, so that a repeated append is stored once.
        let entries = store.load(&stored.key(&session).unwrap()).await.unwrap().unwrap();
        assert_eq!(entries.iter().filter(|entry| entry.uuid().is_some()).count(), 4);
        for error in [stored.rename(&session, " ").await, stored.tag(&session, Some("")).await] {
            let error = error.unwrap_err();
            let source = std::error::Error::source(&error).unwrap();
            assert!(source.downcast_ref::<ChangeError>().is_some(), "{source}");
        }
    }
}

#[tokio::test]
async fn a_fork_is_another_session_with_the_same_words() {
    let config = Config::new();
    imports::written(&config);
    let store = MemoryStore::new();
    let session = SessionId::from(id(1));
    let key = import_session(&config.sessions(), &session, &store).await.unwrap().unwrap();
    let stored = StoreSessions::new(&store, key.project());
    let original = stored.messages(&session, Page::ALL).await.unwrap().unwrap();

    let whole = stored.fork(&session, None, None).await.unwrap().unwrap();
    let words = |messages: Vec<SessionMessage>| {
        messages.into_iter().map(|message| message.message).collect::<Vec<_>>()
    };
    let forked = stored.messages(&whole, Page::ALL).await.unwrap().unwrap();
    assert!(forked.iter().zip(&original).all(|(one, other)| one.uuid != other.uuid));
    assert_eq!(words(forked), words(original.clone()));
    assert_eq!(stored.info(&whole).await.unwrap().unwrap().summary, "A walk (fork)");

    let part = stored.fork(&session, Some(&original[1].uuid), Some("Half")).await.unwrap().unwrap();
    assert_eq!(
        words(stored.messages(&part, Page::ALL).await.unwrap().unwrap()),
        words(original[..2].to_vec())
    );
    assert_eq!(stored.list(Page::ALL).await.unwrap().len(), 3);
    assert_eq!(
        stored.messages(&session, Page::ALL).await.unwrap().unwrap(),
        original,
        "the session itself is as it was"
    );

    assert_eq!(stored.fork(&id(9).into(), None, None).await.unwrap(), None);
    let error = stored.fork(&session, Some(&"nowhere".into()), None).await.unwrap_err();
    let source = std::error::Error::source(&error).unwrap();
    assert!(matches!(source.downcast_ref(), Some(ChangeError::UnknownMessage(_))), "{source}");
}

#[tokio::test]
async fn a_fork_in_a_store_has_the_title_or_the_first_prompt_of_its_session() {
    let store = MemoryStore::new();
    let stored = StoreSessions::new(&store, PROJECT);
    let title = |title: &str| json!({"type": "custom-title", "customTitle": title});
    let made = json!({"type": "ai-title", "aiTitle": "Made"});
    let cases = [
        (vec![], "hi"),
        (vec![title("Mine"), title("Other")], "Other"),
        (vec![title("Mine"), title("")], "hi"),
        (vec![title("Mine"), made, title("")], "Made"),
    ];
    for (number, (more, called)) in cases.into_iter().enumerate() {
        let session = SessionId::from(id(number as u32));
        let entries = raw(&[vec![user("a", None, "hi")], more].concat());
        store.append(&stored.key(&session).unwrap(), &entries).await.unwrap();
        assert_eq!(stored.info(&session).await.unwrap().unwrap().summary, called);
        let fork = stored.fork(&session, None, None).await.unwrap().unwrap();
        assert_eq!(stored.info(&fork).await.unwrap().unwrap().summary, format!("{called} (fork)"));
    }
    // The list leaves out a session that begins with a sidechain.
    let session = SessionId::from(id(9));
    let mut aside = user("x", None, "aside");
    aside["isSidechain"] = true.into();
    let entries = raw(&[aside, user("a", None, "hi"), title("Mine")]);
    store.append(&stored.key(&session).unwrap(), &entries).await.unwrap();
    assert_eq!(stored.info(&session).await.unwrap(), None);
    let fork = stored.fork(&session, None, None).await.unwrap().unwrap();
    assert_eq!(stored.info(&fork).await.unwrap().unwrap().summary, "Mine (fork)");
}
