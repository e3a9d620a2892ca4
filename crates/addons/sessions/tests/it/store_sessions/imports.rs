//! Imports of the CLI's files into a store, once and repeatedly.

use std::fs;

use agentwire_protocol::SessionId;
use agentwire_sessions::{
    FolderStore, ImportError, MemoryStore, Page, RawEntry, SessionError, SessionKey, SessionStore as _,
    StoreSessions, import_session, project_key,
};
use serde_json::{Value, json};

use super::Watched;
use crate::written::{Config, append_too_long, id, mark, user};

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

/// Writes a session with two subagents, one of them in a subfolder.
pub(super) fn written(config: &Config) -> std::path::PathBuf {
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
