//! Tests of sessions in a store, which read like those in the CLI's files, and of imports.

use std::collections::HashSet;
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use agentwire_protocol::SessionId;
use agentwire_protocol::session_info::SessionMessage;
use agentwire_sessions::{
    ChangeError, FolderStore, ImportError, MemoryStore, Page, RawEntry, SessionError, SessionKey,
    SessionStore, SessionSummary, StoreError, StoreFuture, StoreSessions, StoredSession, import_session,
    project_key,
};
use serde_json::{Value, json};

use crate::written::{Config, append_too_long, id, mark, raw, user};

#[tokio::test]
async fn an_import_copies_the_journals_of_workflows() {
    let config = Config::new();
    let path = written(&config);
    let folder = path.with_extension("").join("subagents");
    let line = "{\"type\":\"result\",\"key\":\"k\"}\n";
    fs::write(folder.join("workflows/run-1/journal.jsonl"), line).unwrap();
    // An entry without an id beside others.
    let agent = folder.join("agent-one.jsonl");
    fs::write(&agent, fs::read_to_string(&agent).unwrap() + line).unwrap();
    let store = MemoryStore::new();
    for _ in 0..2 {
        let key = import_session(&config.sessions(), &id(1).into(), &store).await.unwrap().unwrap();
        // The message of the subagent, the line and the metadata.
        for (subpath, entries) in [("subagents/workflows/run-1/journal", 1), ("subagents/agent-one", 3)] {
            let key = key.with_subpath(subpath).unwrap();
            assert_eq!(store.load(&key).await.unwrap().unwrap().len(), entries);
        }
    }
}

#[tokio::test]
async fn an_import_refuses_to_fill_a_gap_at_the_end() {
    let config = Config::new();
    let parents = [("a", None), ("b", Some("a")), ("c", Some("b"))];
    let entries = parents.map(|(uuid, parent)| user(uuid, parent, uuid));
    config.write("/srv/one", &id(1), 1, &entries);
    let (session, store) = (SessionId::from(id(1)), MemoryStore::new());
    let key = SessionKey::new(project_key("/srv/one".as_ref()), session.clone()).unwrap();
    let entry = |value: &Value| RawEntry::parse(value.to_string()).unwrap();
    store.append(&key, &[entry(&entries[0]), entry(&entries[2])]).await.unwrap();
    let error = import_session(&config.sessions(), &session, &store).await.unwrap_err();
    assert!(matches!(&error, ImportError::Gap(of) if *of == key), "{error}");
    assert_eq!(store.load(&key).await.unwrap().unwrap().len(), 2);
}

#[tokio::test]
async fn an_entry_that_the_file_repeats_is_no_gap() {
    let config = Config::new();
    let [a, b, c] =
        [("a", None), ("b", Some("a")), ("c", Some("b"))].map(|(uuid, parent)| user(uuid, parent, uuid));
    let (session, store) = (SessionId::from(id(1)), MemoryStore::new());
    for (entries, stored) in [(&[a.clone(), b.clone()][..], "a b"), (&[a.clone(), b, c, a][..], "a b c")] {
        config.write("/srv/one", &id(1), 1, entries);
        let key = import_session(&config.sessions(), &session, &store).await.unwrap().unwrap();
        let loaded = store.load(&key).await.unwrap().unwrap();
        let ids: Vec<_> = loaded.iter().map(|entry| entry.uuid().unwrap().as_str()).collect();
        assert_eq!(ids.join(" "), stored);
    }
}

#[tokio::test]
async fn an_imported_session_reads_as_the_file_does() {
    let config = Config::new();
    let path = written(&config);
    let store = MemoryStore::new();
    let session = SessionId::from(id(1));
    let sessions = config.sessions();
    let key = import_session(&sessions, &session, &store).await.unwrap().unwrap();
    assert_eq!(key.to_string(), format!("{}/{}", project_key("/srv/one".as_ref()), id(1)));

    let stored = StoreSessions::new(&store, key.project());
    let local = sessions.messages(&session, Page::ALL).unwrap().unwrap();
    assert_eq!(local.len(), 3);
    assert_eq!(stored.messages(&session, Page::ALL).await.unwrap().unwrap(), local);
    let page = Page::first(1).after(1);
    assert_eq!(stored.messages(&session, page).await.unwrap().unwrap(), local[1..2]);
    let mut agents = sessions.subagents(&session).unwrap().unwrap();
    agents.sort();
    assert_eq!(agents, ["deep", "one"]);
    assert_eq!(stored.subagents(&session).await.unwrap(), agents);
    for agent in agents {
        let local = sessions.subagent_messages(&session, &agent, Page::ALL).unwrap().unwrap();
        let kept = stored.subagent_messages(&session, &agent, Page::ALL).await.unwrap().unwrap();
        assert!(!kept.is_empty() && kept == local, "{agent}: {kept:?} {local:?}");
    }
    assert_eq!(stored.subagent_messages(&session, "two", Page::ALL).await.unwrap(), None);

    let local = sessions.info(&session).unwrap().unwrap();
    let info = stored.info(&session).await.unwrap().unwrap();
    let mut same = local.clone();
    (same.file_size, same.last_modified) = (None, 1_767_225_600_000);
    assert_eq!(info, same);
    let listed = stored.list(Page::ALL).await.unwrap();
    same.last_modified = listed[0].last_modified;
    assert_eq!(listed, [same]);

    // Imports again after more lines.
    let before = store.load(&key).await.unwrap().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}{}\n{{\"type\":\"us", user("d", Some("c"), "more"))).unwrap();
    import_session(&sessions, &session, &store).await.unwrap().unwrap();
    let after = store.load(&key).await.unwrap().unwrap();
    assert_eq!(after.len(), before.len() + 1);
    assert_eq!(stored.messages(&session, Page::ALL).await.unwrap().unwrap().len(), 4);

    stored.delete(&session).await.unwrap();
    assert_eq!(stored.messages(&session, Page::ALL).await.unwrap(), None);
    assert_eq!(stored.info(&session).await.unwrap(), None);
    assert_eq!(stored.subagents(&session).await.unwrap(), Vec::<String>::new());
}

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
async fn an_import_keeps_the_archive_mark() {
    let config = Config::new();
    let path = written(&config);
    let (sessions, session) = (config.sessions(), SessionId::from(id(1)));
    for archived in [true, false] {
        mark(&path, archived, "2026-02-01T00:00:00.000Z");
        let store = MemoryStore::new();
        let key = import_session(&sessions, &session, &store).await.unwrap().unwrap();
        let stored = StoreSessions::new(&store, key.project());
        assert_eq!(stored.info(&session).await.unwrap().unwrap().archived, Some(archived));
        // A repeated import does not undo a later change in the store.
        if archived { stored.unarchive(&session).await } else { stored.archive(&session).await }.unwrap();
        import_session(&sessions, &session, &store).await.unwrap().unwrap();
        assert_eq!(stored.info(&session).await.unwrap().unwrap().archived, Some(!archived));
        assert_eq!(stored.list(Page::ALL).await.unwrap()[0].archived, Some(!archived));
        let marks = store.load(&key).await.unwrap().unwrap();
        assert_eq!(marks.iter().filter(|entry| entry.kind() == "archived").count(), 2);
    }
}

#[tokio::test]
async fn a_repeated_import_adds_only_missing_entries() {
    let config = Config::new();
    let path = written(&config);
    let (sessions, session) = (config.sessions(), SessionId::from(id(1)));
    let folder = tempfile::tempdir().unwrap();
    let store = FolderStore::at(folder.path());
    import_session(&sessions, &session, &store).await.unwrap().unwrap();
    let stored = || {
        let project = fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        let files = fs::read_dir(project).unwrap().map(|file| file.unwrap().path());
        let file = files.into_iter().find(|file| file.is_file()).unwrap();
        let text = fs::read_to_string(file).unwrap();
        text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    let before = stored();
    import_session(&sessions, &session, &store).await.unwrap().unwrap();
    assert_eq!(stored(), before);
    let more = [r#"{"type":"mode"}"#, r#"{"type":"mode"}"#, r#"{"uuid":"new"}"#].map(str::to_owned);
    fs::write(&path, format!("{}{}\n", fs::read_to_string(&path).unwrap(), more.join("\n"))).unwrap();
    for _ in 0..2 {
        import_session(&sessions, &session, &store).await.unwrap().unwrap();
        assert_eq!(stored(), [&before[..], &more].concat());
    }
}

#[tokio::test]
async fn a_repeated_import_does_not_undo_a_new_title_in_the_store() {
    let config = Config::new();
    written(&config);
    let (sessions, session, store) = (config.sessions(), SessionId::from(id(1)), MemoryStore::new());
    let key = import_session(&sessions, &session, &store).await.unwrap().unwrap();
    let stored = StoreSessions::new(&store, key.project());
    stored.rename(&session, "In the park").await.unwrap();
    import_session(&sessions, &session, &store).await.unwrap().unwrap();
    assert_eq!(stored.info(&session).await.unwrap().unwrap().summary, "In the park");
}

#[tokio::test]
async fn a_missing_title_does_not_follow_a_later_one_in_the_store() {
    let config = Config::new();
    let path = written(&config);
    let (sessions, session, store) = (config.sessions(), SessionId::from(id(1)), MemoryStore::new());
    let key = import_session(&sessions, &session, &store).await.unwrap().unwrap();
    let stored = StoreSessions::new(&store, key.project());
    sessions.rename(&session, "Old").unwrap();
    let old = fs::read_to_string(&path).unwrap();
    sessions.rename(&session, "New").unwrap();
    let newer = fs::read_to_string(&path).unwrap()[old.len()..].to_owned();
    // A mirror that did not see the first title.
    store.append(&key, &[RawEntry::parse(&newer).unwrap()]).await.unwrap();
    for _ in 0..2 {
        import_session(&sessions, &session, &store).await.unwrap().unwrap();
        assert_eq!(stored.info(&session).await.unwrap().unwrap().summary, "New");
    }
}

#[tokio::test]
async fn a_repeated_import_adds_the_metadata_of_a_subagent_only_if_it_has_changed() {
    let config = Config::new();
    let path = written(&config);
    let (store, session) = (MemoryStore::new(), SessionId::from(id(1)));
    let import = async || {
        let key = import_session(&config.sessions(), &session, &store).await.unwrap().unwrap();
        let agent = key.with_subpath("subagents/agent-one").unwrap();
        let entries = store.load(&agent).await.unwrap().unwrap();
        entries.into_iter().filter(|entry| entry.kind() == "agent_metadata").collect::<Vec<_>>()
    };
    let first = import().await;
    assert_eq!(first.len(), 1);
    assert_eq!(import().await, first);
    let metadata = path.with_extension("").join("subagents/agent-one.meta.json");
    fs::write(metadata, r#"{"toolUseId":"toolu_2"}"#).unwrap();
    for _ in 0..2 {
        let all = import().await;
        assert_eq!((all.len(), &all[0]), (2, &first[0]));
        assert!(all[1].as_str().contains("toolu_2"), "{all:?}");
    }
}

#[tokio::test]
async fn an_imported_session_with_only_pictures_or_documents_is_listed() {
    let config = Config::new();
    let store = MemoryStore::new();
    for (number, kind) in ["image", "document"].into_iter().enumerate() {
        let mut prompt = user("a", None, "");
        prompt["message"]["content"] = json!([{"type": kind}]);
        let session = SessionId::from(id(number as u32));
        config.write("/srv/one", session.as_str(), 10, &[prompt]);
        let key = import_session(&config.sessions(), &session, &store).await.unwrap().unwrap();
        let local = config.sessions().info(&session).unwrap().unwrap();
        let stored = StoreSessions::new(&store, key.project());
        assert_eq!(stored.info(&session).await.unwrap().unwrap().summary, local.summary);
        assert_eq!(stored.list(Page::ALL).await.unwrap().len(), number + 1);
    }
}

#[tokio::test]
async fn an_import_refuses_a_line_beyond_the_limit() {
    let config = Config::new();
    let path = config.write("/srv/one", &id(1), 10, &[user("a", None, "hi")]);
    let start = append_too_long(&path);
    let store = MemoryStore::new();
    let error = import_session(&config.sessions(), &id(1).into(), &store).await.unwrap_err();
    let ImportError::Local(SessionError::LineTooLong { offset, .. }) = error else { panic!("{error:?}") };
    assert_eq!(offset, start);
}

#[tokio::test]
async fn an_import_appends_bounded_batches_and_skips_invalid_lines() {
    let config = Config::new();
    let path = config.write("/srv/one", &id(1), 1, &[]);
    let mut text = String::new();
    for number in 0..1_200 {
        text.push_str(&format!("{{\"uuid\":\"{number}\"}}\n\nnot json\n"));
    }
    for number in 0..5 {
        text.push_str(&format!("{{\"uuid\":\"large {number}\",\"text\":\"{}\"}}\n", "x".repeat(600_000)));
    }
    fs::write(path, format!("{text}{}", "no entry\n".repeat(300_000))).unwrap();
    let store = Watched::default();
    let key = import_session(&config.sessions(), &id(1).into(), &store).await.unwrap().unwrap();
    assert_eq!(store.load(&key).await.unwrap().unwrap().len(), 1_205);
    assert_eq!(*store.batches.lock().unwrap(), [500, 500, 202, 2, 1]);
}

#[tokio::test]
async fn failed_imports_are_reported() {
    let config = Config::new();
    let store = MemoryStore::new();
    assert_eq!(import_session(&config.sessions(), &id(1).into(), &store).await.unwrap(), None);
    let error = import_session(&config.sessions(), &"../x".into(), &store).await.unwrap_err();
    assert!(matches!(error, ImportError::Local(_)), "{error:?}");
    config.write("/srv/one", &id(1), 1, &[json!({})]);
    let failing = Watched { refuses: true, ..Watched::default() };
    let error = import_session(&config.sessions(), &id(1).into(), &failing).await.unwrap_err();
    assert!(matches!(error, ImportError::Store(_)), "{error:?}");
    let agents = config.write("/srv/one", &id(2), 1, &[json!({})]).with_extension("").join("subagents");
    fs::create_dir_all(&agents).unwrap();
    fs::write(agents.join("agent-a\nb.jsonl"), "{}\n").unwrap();
    let error = import_session(&config.sessions(), &id(2).into(), &store).await.unwrap_err();
    assert!(matches!(error, ImportError::Key(_)), "{error:?}");
}

#[tokio::test]
async fn a_list_is_the_same_with_summaries_and_without() {
    let mut lists = Vec::new();
    for (sessions, summaries) in [(true, true), (true, false), (false, true)] {
        let store = Watched { sessions, summaries, ..Watched::default() };
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

    let store = Watched { summaries: false, ..Watched::default() };
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
    let store = Watched { summaries: false, broken: Some(id(3).into()), ..Watched::default() };
    fill(&store, 5).await;
    let list = StoreSessions::new(&store, PROJECT).list(Page::ALL).await.unwrap();
    let broken = list.iter().find(|info| info.session_id.as_str() == id(3)).unwrap();
    assert_eq!(broken.summary, "");
    assert!(broken.last_modified > 0 && list.iter().filter(|info| info.summary.is_empty()).count() == 1);
}

#[tokio::test]
async fn missing_methods_are_named_in_errors() {
    let store = Watched { sessions: false, summaries: false, optional: false, ..Watched::default() };
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

/// Writes a session with two subagents, one of them in a subfolder.
fn written(config: &Config) -> std::path::PathBuf {
    let entries = [
        user("a", None, "hi"),
        json!({"type": "assistant", "uuid": "b", "parentUuid": "a", "sessionId": id(1), "isSidechain": false,
            "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/srv/one", "gitBranch": "main",
            "message": {"role": "assistant", "content": [{"type": "text", "text": "hello"}]}}),
        json!({"type": "custom-title", "customTitle": "A walk", "sessionId": id(1)}),
        user("c", Some("b"), "and on"),
    ];
    let path = config.write("/srv/one", &id(1), 1, &entries);
    // In files a tag is identified by the start of its line.
    let tag = r#"{"type":"tag","tag":"red"}"#;
    fs::write(&path, format!("{}{tag}\n", fs::read_to_string(&path).unwrap())).unwrap();
    let agents = path.with_extension("").join("subagents");
    fs::create_dir_all(agents.join("workflows/run-1")).unwrap();
    for (name, text) in [("agent-one", "first"), ("workflows/run-1/agent-deep", "second")] {
        fs::write(agents.join(format!("{name}.jsonl")), format!("{}\n", user("a", None, text))).unwrap();
    }
    let metadata = r#"{"toolUseId":"toolu_1","type":"stray","agentType":"Explore"}"#;
    fs::write(agents.join("agent-one.meta.json"), metadata).unwrap();
    fs::write(agents.join("workflows/run-1/agent-deep.meta.json"), "[]").unwrap();
    path
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
struct Watched {
    inner: MemoryStore,
    sessions: bool,
    summaries: bool,
    optional: bool,
    refuses: bool,
    broken: Option<SessionId>,
    stale: std::sync::Mutex<HashSet<SessionId>>,
    batches: std::sync::Mutex<Vec<usize>>,
    loads: AtomicUsize,
    loading: AtomicUsize,
    most_at_once: AtomicUsize,
}

impl Default for Watched {
    fn default() -> Self {
        Self {
            inner: MemoryStore::new(),
            sessions: true,
            summaries: true,
            optional: true,
            refuses: false,
            broken: None,
            stale: Default::default(),
            batches: Default::default(),
            loads: AtomicUsize::new(0),
            loading: AtomicUsize::new(0),
            most_at_once: AtomicUsize::new(0),
        }
    }
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
        self.inner.list_sessions(project).filter(|_| self.sessions)
    }

    fn list_summaries<'a>(&'a self, project: &'a str) -> Option<StoreFuture<'a, Vec<SessionSummary>>> {
        let summaries = self.inner.list_summaries(project).filter(|_| self.summaries)?;
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
        if self.optional { self.inner.delete(key) } else { None }
    }

    fn list_subkeys<'a>(&'a self, key: &'a SessionKey) -> Option<StoreFuture<'a, Vec<String>>> {
        self.inner.list_subkeys(key).filter(|_| self.optional)
    }
}

const PROJECT: &str = "-srv-one";

#[tokio::test]
async fn titles_and_tags_are_stored_and_listed() {
    for summaries in [true, false] {
        let store = Watched { summaries, ..Watched::default() };
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
    written(&config);
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
