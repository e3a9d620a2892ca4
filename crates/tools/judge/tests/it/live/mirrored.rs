//! Which entries of a running session its store has, and when: reported by the handle, and after the host was killed.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use agentwire::{
    Incoming, Message, Options, Session, SessionBuilder, SessionStoreFlush, StoreHandle,
    hooks::Hooks,
    protocol::hook::{HookReply, PreToolUse},
    sessions::{FolderStore, MemoryStore, Page, RawEntry, SessionKey, SessionStore, StoreSessions},
};
use agentwire_testkit::eventually;
use serde_json::json;
use tokio::time::{sleep, timeout};

use super::{
    LIMIT, Place,
    killed::Host,
    place::{self, bash},
};

const PROJECT: &str = "p";

fn options(place: &Place) -> Options {
    place.in_project().allowed_tools(["Bash"]).session_store_project(PROJECT)
}

/// Returns all entries of all sessions in the store, including those of subagents.
async fn entries(store: &dyn SessionStore) -> Vec<RawEntry> {
    let mut all = Vec::new();
    for session in store.list_sessions(PROJECT).unwrap().await.unwrap() {
        let key = SessionKey::new(PROJECT, session.session_id).unwrap();
        for subpath in store.list_subkeys(&key).unwrap().await.unwrap() {
            let beneath = key.with_subpath(subpath).unwrap();
            all.extend(store.load(&beneath).await.unwrap().unwrap_or_default());
        }
        all.extend(store.load(&key).await.unwrap().unwrap_or_default());
    }
    all
}

/// Returns whether the store has a message of the model with this tool use.
async fn has(store: &dyn SessionStore, tool_use: &str) -> bool {
    let id = format!("\"{tool_use}\"");
    entries(store).await.iter().any(|entry| entry.kind() == "assistant" && entry.as_str().contains(&id))
}

/// Adds a hook that lets a tool run once the store has its use; `stored` gets its id, and whether the store had it when the
/// hook was asked.
fn write_ahead(
    builder: SessionBuilder,
    stored: impl Fn(&str, bool) + Send + Sync + 'static,
) -> SessionBuilder {
    let handle = builder.store_handle();
    let stored = Arc::new(stored);
    builder.hooks(Hooks::new().on(PreToolUse, move |input, _| {
        let (handle, stored): (StoreHandle, _) = (handle.clone(), Arc::clone(&stored));
        async move {
            let at_once = timeout(Duration::ZERO, handle.stored(&input.tool_use_id)).await.is_ok();
            handle.stored(&input.tool_use_id).await?;
            stored(input.tool_use_id.as_str(), at_once);
            Ok::<_, agentwire::NotStored>(HookReply::proceed())
        }
    }))
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn a_tool_use_is_stored_while_its_hook_is_open() {
    let read = |id: &str| json!({"tool_use": {"id": id, "name": "Read", "input": {"file_path": "${place}/project/a.txt"}}});
    let task = json!({"tool_use": {"id": "toolu_task", "name": "Task", "input": {
        "description": "A task", "prompt": "AGENT-ONE: go.", "subagent_type": "general-purpose",
        "run_in_background": false,
    }}});
    let script = json!({
        "replies": [
            {"blocks": [{"text": "First."}, bash("toolu_1", "echo one"), bash("toolu_2", "echo two")]},
            {"blocks": [read("toolu_3"), read("toolu_4")]},
            {"blocks": [task]},
            {"blocks": [{"text": "Done."}]},
        ],
        "match": [{"marker": "AGENT-ONE", "replies": [
            {"blocks": [bash("toolu_5", "echo five")]}, {"blocks": [{"text": "Five."}]},
        ]}],
    });
    for flush in [SessionStoreFlush::Batched, SessionStoreFlush::Eager] {
        let place = Place::scripted(&script.to_string()).await;
        let store: Arc<dyn SessionStore> = Arc::new(MemoryStore::new());
        let stored = Arc::<Mutex<BTreeMap<String, bool>>>::default();
        let book = Arc::clone(&stored);
        let builder = Session::builder()
            .options(options(&place).session_store_flush(flush))
            .session_store(Arc::clone(&store));
        let builder = write_ahead(builder, move |id, at_once| {
            book.lock().unwrap().insert(id.to_owned(), at_once);
        });
        let mut session = builder.connect().await.unwrap();
        let handle = session.store_handle().unwrap();
        // No task reads meanwhile: the hooks alone bring the turn to its end.
        let prompt = session.send("Go.").await.unwrap();
        session.settled(&prompt).await.unwrap();
        let stored = stored.lock().unwrap().clone();
        let all = ["toolu_1", "toolu_2", "toolu_3", "toolu_4", "toolu_5", "toolu_task"];
        assert_eq!(stored.keys().collect::<Vec<_>>(), all);
        // The CLI asks the hook first, and hands the tool use over after that.
        assert!(stored.values().any(|at_once| !at_once), "{stored:?}");
        handle.message_stored(&prompt).await.unwrap();
        let mut messages = 0;
        loop {
            match session.next().await.unwrap().unwrap() {
                Incoming::Message(Message::Assistant(message), _) => {
                    handle.message_stored(message.uuid.as_ref().unwrap()).await.unwrap();
                    messages += 1;
                }
                Incoming::Message(Message::Result(result), _) => {
                    assert_eq!(result.result.as_deref(), Some("Done."));
                    break;
                }
                _ => {}
            }
        }
        assert!(messages >= 7, "{messages}");
        handle.flushed().await.unwrap();
        session.close().await.unwrap();
    }
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn a_deferred_tool_use_of_a_resumed_session_is_known_to_be_stored() {
    let place = Place::using(&[bash("toolu_1", "echo ran >> ran.txt")]).await;
    let store: Arc<dyn SessionStore> = Arc::new(MemoryStore::new());
    let hooks = Hooks::new().on(PreToolUse, async |_, _| HookReply::defer());
    let builder = Session::builder().options(options(&place)).session_store(Arc::clone(&store));
    let result = place::turn(builder.hooks(hooks), "Go.").await;
    let options = options(&place).resume(result.session_id.unwrap().as_str());
    let builder = Session::builder().options(options).session_store(store);
    let mut session = write_ahead(builder, |_, at_once| assert!(at_once)).connect().await.unwrap();
    session.turn().finish().await.unwrap().unwrap();
    session.close().await.unwrap();
    assert_eq!(fs::read_to_string(place.file("project/ran.txt")).unwrap(), "ran\n");
}

/// How a host that is killed stores its session.
const WAYS: &[&str] = &["batched", "batched, stored()", "eager"];

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn stored_entries_survive_a_killed_host() {
    for way in WAYS {
        let script = json!({"replies": [
            {"blocks": [{"text": "First."}]},
            {"blocks": [bash("toolu_1", "echo began >> ran.txt; exec sleep 30")]},
            {"blocks": [{"text": "Done."}], "times": 9},
        ]});
        let place = Place::scripted(&script.to_string()).await;
        let words = [way, place.root(), place.model.base_url()];
        let mut host = Host::start("live::mirrored::host", HOST, &words);
        eventually(|| place.file("project/ran.txt").exists()).await;
        let store = FolderStore::at(place.file("store"));
        if *way == "eager" {
            let began = Instant::now();
            while !has(&store, "toolu_1").await {
                assert!(began.elapsed() < LIMIT, "it is not stored");
                sleep(Duration::from_millis(10)).await;
            }
        }
        host.kill();
        // The first turn had its result; only an eager or explicitly flushed store has entries of the second one.
        let has_tool_use = has(&store, "toolu_1").await;
        assert_eq!(has_tool_use, *way != "batched", "{way}");
        let sessions = StoreSessions::new(&store, PROJECT);
        let [listed] = &sessions.list(Page::ALL).await.unwrap()[..] else { panic!("one session: {way}") };
        // Another host goes on from there, elsewhere.
        let there = Place::new().await;
        let options = there.in_project().session_store_project(PROJECT);
        let builder = Session::builder().options(options.resume(listed.session_id.as_str()));
        place::turn(builder.session_store(Arc::new(store)), "And now?").await;
        let requests = there.model.requests();
        let request = requests.iter().find(|request| request.tools).unwrap();
        assert_eq!(request.tool_results, usize::from(has_tool_use), "{way}");
    }
}

/// The test that a host process runs; it does nothing unless this process is a host.
#[test]
#[ignore = "is started by the others"]
fn host() {
    let Ok(arguments) = std::env::var(HOST) else { return };
    let mut words = arguments.split('\t');
    let mut word = || words.next().unwrap();
    let (way, root, model) = (word(), Path::new(word()), word());
    let flush = if way == "eager" { SessionStoreFlush::Eager } else { SessionStoreFlush::Batched };
    let options = place::options(root, model)
        .cwd(root.join("project"))
        .allowed_tools(["Bash"])
        .session_store_project(PROJECT)
        .session_store_flush(flush);
    let store = Arc::new(FolderStore::at(root.join("store")));
    let mut builder = Session::builder().options(options).session_store(store);
    if way.contains("stored()") {
        builder = write_ahead(builder, |_, _| {});
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut session = builder.connect().await.unwrap();
        session.ask("Hello.").await.unwrap().finish().await.unwrap();
        session.ask("Go.").await.unwrap().finish().await.unwrap();
    });
}

/// The variable that holds the role of a host: the way, the folder, and the address of the model.
const HOST: &str = "AGENTWIRE_MIRRORED_HOST";
