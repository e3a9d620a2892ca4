//! A session with a store: which entries are mirrored and when, and the effects of a failing store.

mod choosing;
mod failing;
mod handle;
mod leaving;
mod resuming;
mod store;
mod waiting;

use std::{sync::Arc, time::Duration};

use agentwire::{Error, Message, Options, Session, SessionBuilder, System};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::peer::{Peer, assistant, connected, next_kind, result};
use store::{Act, Lent, TestStore};

/// The session id of these tests.
const ID: &str = "0b0e7a3e-57a1-4a4c-8d3f-0d8c5a2f1b11";

fn main_file() -> String {
    format!("/config/projects/-src-app/{ID}.jsonl")
}

fn agent_file() -> String {
    format!("/config/projects/-src-app/{ID}/subagents/agent-a.jsonl")
}

/// Returns entries with these numbers, as the CLI mirrors them.
fn mirrored(file: &str, numbers: impl IntoIterator<Item = usize>) -> Value {
    let entries = numbers.into_iter().map(|number| json!({"type": "user", "uuid": format!("{number}")}));
    json!({"type": "transcript_mirror", "filePath": file, "entries": entries.collect::<Vec<_>>()})
}

fn options() -> Options {
    Options::new().env("CLAUDE_CONFIG_DIR", "/config")
}

/// Returns options with a small limit on the entries that wait for the store.
fn small() -> Options {
    options().session_store_max_pending_bytes(1000)
}

fn builder(store: &Arc<TestStore>) -> SessionBuilder {
    Session::builder().options(options()).session_store(Arc::new(Lent(Arc::clone(store))))
}

/// Returns a session with a store that performs these acts, one per append, and then works normally.
async fn with(acts: impl IntoIterator<Item = Act>) -> (Session, Peer, Arc<TestStore>) {
    started(acts, options()).await
}

/// Like [`with`], with these options.
async fn started(acts: impl IntoIterator<Item = Act>, options: Options) -> (Session, Peer, Arc<TestStore>) {
    let store = Arc::new(TestStore::new(acts));
    let (session, peer) = connected(builder(&store).options(options)).await;
    (session, peer, store)
}

/// Mirrors entries with these numbers, and ends the turn.
async fn mirror_turn(peer: &Peer, numbers: impl IntoIterator<Item = usize>) {
    peer.say(mirrored(&main_file(), numbers)).await;
    peer.say(result("done")).await;
}

/// Mirrors entries with these numbers, ends the turn, and reads its result.
async fn read_mirrored_turn(session: &mut Session, peer: &Peer, numbers: impl IntoIterator<Item = usize>) {
    mirror_turn(peer, numbers).await;
    assert_eq!(next_kind(session).await, "result");
}

/// Expects the report that the store is late at a result.
async fn is_late(session: &mut Session) {
    let line = mirror_error(session).await;
    assert!(line["error"].as_str().unwrap().contains("within 10s"), "{line}");
}

/// Expects a `mirror_error` and returns its line.
async fn mirror_error(session: &mut Session) -> Value {
    let incoming = session.next().await.expect("a message").unwrap();
    let line: Value = serde_json::from_str(incoming.line().unwrap().to_str().unwrap()).unwrap();
    assert!(matches!(incoming.message(), Some(Message::System(System::MirrorError(_)))), "{line}");
    line
}

#[tokio::test(start_paused = true)]
async fn entries_are_stored_before_the_result_and_are_no_messages() {
    let (mut session, peer, store) = with([]).await;
    let main = |numbers: &[usize]| mirrored(&main_file(), numbers.iter().copied());
    for line in [main(&[1, 2]), assistant("a"), mirrored(&agent_file(), [3]), main(&[4])] {
        peer.say(line).await;
    }
    assert_eq!(next_kind(&mut session).await, "assistant");
    assert!(timeout(Duration::from_secs(9), session.next()).await.is_err());
    assert_eq!(store.calls(), Vec::<String>::new());
    read_mirrored_turn(&mut session, &peer, [5]).await;
    let main = format!("-src-app/{ID}");
    assert_eq!(store.calls(), [format!("{main}: 1 2 4 5"), format!("{main}/subagents/agent-a: 3")]);
}

#[tokio::test(start_paused = true)]
async fn an_eager_mirror_stores_each_frame_at_once() {
    let options = options().session_store_flush(agentwire::SessionStoreFlush::Eager);
    let (mut session, peer, store) = started([], options).await;
    for (calls, numbers) in (1..).zip([1..3, 3..4]) {
        peer.say(mirrored(&main_file(), numbers)).await;
        store.called(calls).await;
    }
    peer.say(assistant("a")).await;
    assert_eq!(next_kind(&mut session).await, "assistant");
    let main = format!("-src-app/{ID}");
    assert_eq!(store.calls(), [format!("{main}: 1 2"), format!("{main}: 3")]);
}

/// A store that is slower than the CLI's frames would fall behind with an append for each.
#[tokio::test(start_paused = true)]
async fn frames_that_arrive_during_an_eager_append_share_the_next_one() {
    let options = options().session_store_flush(agentwire::SessionStoreFlush::Eager);
    let (_session, peer, store) = started([Act::Slow(Duration::from_secs(5))], options).await;
    for number in 1..5 {
        peer.say(mirrored(&main_file(), [number])).await;
        store.called(1).await;
    }
    store.called(2).await;
    let main = format!("-src-app/{ID}");
    assert_eq!(store.calls(), [format!("{main}: 1"), format!("{main}: 2 3 4")]);
}

#[tokio::test(start_paused = true)]
async fn large_batches_are_stored_without_a_result() {
    let (_session, peer, store) = with([]).await;
    peer.say(mirrored(&main_file(), 0..500)).await;
    peer.say(mirrored(&main_file(), [500])).await;
    store.called(1).await;
    assert_eq!(store.stored().await, 501);
}

#[tokio::test(start_paused = true)]
async fn frames_after_the_last_result_and_after_the_end_of_input_are_stored() {
    let (session, mut peer, store) = with([]).await;
    let (closed, ()) = tokio::join!(session.close(), async {
        mirror_turn(&peer, [1]).await;
        peer.say(mirrored(&main_file(), [2])).await;
        peer.input_ended().await;
        peer.say(mirrored(&main_file(), [3])).await;
        peer.exit(agentwire::transport::ExitReport::exited(0));
    });
    closed.unwrap();
    assert_eq!(store.stored().await, 3);
}

#[tokio::test(start_paused = true)]
async fn file_outside_of_the_projects_folder_is_reported_and_not_stored() {
    let (mut session, peer, store) = with([]).await;
    peer.say(mirrored(&format!("/elsewhere/projects/p/{ID}.jsonl"), [1, 2])).await;
    peer.say(mirrored("/config/projects/p/notes.jsonl", [3])).await;
    peer.say(json!({"type": "transcript_mirror"})).await;
    peer.say(result("done")).await;
    let line = mirror_error(&mut session).await;
    assert!(line.get("key").is_none(), "{line}");
    let text = |line: Value| line["error"].as_str().unwrap().to_owned();
    assert!(text(line).starts_with("2 entries were not stored: \"/elsewhere/"));
    assert!(text(mirror_error(&mut session).await).starts_with("1 entry was not stored: "));
    assert!(text(mirror_error(&mut session).await).starts_with("a frame of the mirror can't be read: "));
    assert_eq!(next_kind(&mut session).await, "result");
    assert_eq!(store.calls(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn without_a_store_mirror_frames_are_messages() {
    let (mut session, peer) = connected(Session::builder().session_mirror()).await;
    peer.say(mirrored(&main_file(), [1])).await;
    assert_eq!(next_kind(&mut session).await, "transcript_mirror");
}

#[test]
fn a_store_has_the_cli_mirror_and_its_options_count() {
    let store = Arc::new(TestStore::new([]));
    let options = Options::new().session_store_flush(agentwire::SessionStoreFlush::Eager).load_timeout_ms(5);
    let plan = builder(&store).options(options.clone()).to_launch_plan().unwrap();
    assert!(plan.args.iter().any(|arg| arg == "--session-mirror"));
    assert_eq!(plan.warnings, []);
    assert_eq!(options.to_launch_plan().unwrap().warnings.len(), 2);
}

#[test]
fn session_that_is_not_persisted_has_no_mirror() {
    let store = Arc::new(TestStore::new([]));
    let by_flag = Options::new().extra_arg("no-session-persistence", None);
    let by_variable = Options::new().env("CLAUDE_CODE_SKIP_PROMPT_HISTORY", "1");
    for (options, named) in [
        (Options::new().persist_session(false), "persistSession"),
        (by_flag, "persistSession"),
        (by_variable, "env"),
    ] {
        for builder in [builder(&store), Session::builder().session_mirror()] {
            let refused = builder.options(options.clone()).to_launch_plan();
            assert!(matches!(refused, Err(Error::Options { option, .. }) if option == named), "{refused:?}");
        }
    }
}
