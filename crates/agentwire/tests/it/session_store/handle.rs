//! The handle that reports which entries of a session are stored.

use std::{sync::Arc, time::Duration};

use agentwire::{
    Error, NotStored, Session, SessionStoreFlush, StoreHandle,
    hooks::Hooks,
    protocol::{
        ToolUseId,
        hook::{HookReply, PreToolUse},
    },
    transport::ExitReport,
};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use super::{
    Act, TestStore, agent_file, builder, main_file, mirrored, options, small, started, store::passed, with,
};
use crate::peer::{Peer, assistant, connected, next_kind, pre_tool_use, result};

/// Returns a mirror frame with a message that contains this tool use.
fn asks(tool_use: &str) -> Value {
    json!({"type": "transcript_mirror", "filePath": main_file(), "entries": [
        {"type": "assistant", "uuid": format!("u-{tool_use}"), "message": {"content": [
            {"type": "text", "text": "So be it."}, {"type": "tool_use", "id": tool_use, "name": "T", "input": {}},
        ]}},
    ]})
}

fn id(text: &str) -> ToolUseId {
    ToolUseId::from(text)
}

async fn handled(acts: impl IntoIterator<Item = Act>) -> (Session, Peer, Arc<TestStore>, StoreHandle) {
    let (session, peer, store) = with(acts).await;
    let handle = session.store_handle().unwrap();
    (session, peer, store, handle)
}

fn lost(outcome: Result<(), NotStored>, with: &str) {
    match outcome {
        Err(NotStored::Lost { why }) => assert!(why.contains(with), "{why}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn hook_waits_for_its_tool_use_in_an_unread_session() {
    let store = Arc::new(TestStore::new([Act::Slow(Duration::from_secs(3))]));
    let builder = builder(&store);
    let handle = builder.store_handle();
    assert_eq!(handle.flushed().await, Err(NotStored::NotRunning));
    let hooks = Hooks::new().on(PreToolUse, move |input, _| {
        let handle = handle.clone();
        async move { handle.stored(&input.tool_use_id).await.map(|()| HookReply::allow()) }
    });
    let (_session, mut peer) = connected(builder.hooks(hooks)).await;
    peer.ask("h1", pre_tool_use("T")).await;
    peer.is_left_alone().await;
    // Far more than is read ahead of an idle reader, except while a hook is open.
    peer.say(assistant(&"x".repeat(400 << 10))).await;
    // The CLI mirrors the message after it has called the hook.
    peer.say(mirrored(&main_file(), [1])).await;
    store.called(1).await;
    peer.say(asks("toolu_1")).await;
    let asked = Instant::now();
    let response = peer.response("h1").await;
    assert_eq!(response["response"]["hookSpecificOutput"]["permissionDecision"], "allow", "{response}");
    assert_eq!((asked.elapsed().as_secs(), store.calls().len()), (3, 2));
}

/// The mirror and the check of deferrals read the same lines.
#[tokio::test(start_paused = true)]
async fn deferral_of_a_message_without_a_stream_is_denied_in_a_mirrored_session() {
    let store = Arc::new(TestStore::new([]));
    let hooks = Hooks::new().on(PreToolUse, async |_, _| HookReply::defer());
    let (mut session, mut peer) = connected(builder(&store).hooks(hooks)).await;
    let block = |id: &str| json!({"type": "tool_use", "id": id, "name": "T", "input": {}});
    let mut whole = assistant("");
    whole["message"]["content"] = json!([block("toolu_1"), block("toolu_2")]);
    whole["message"]["stop_reason"] = json!("tool_use");
    peer.say(whole).await;
    peer.say(mirrored(&main_file(), [1])).await;
    peer.ask("h1", pre_tool_use("T")).await;
    let response = peer.response("h1").await;
    assert_eq!(response["response"]["hookSpecificOutput"]["permissionDecision"], "deny", "{response}");
    peer.say(result("")).await;
    assert_eq!(next_kind(&mut session).await, "assistant");
    assert_eq!(next_kind(&mut session).await, "result");
    assert_eq!(store.stored().await, 1);
}

#[tokio::test(start_paused = true)]
async fn stored_entry_is_reported_while_a_later_append_hangs() {
    let (_session, peer, _store, handle) = handled([Act::Slow(Duration::from_secs(1)), Act::Hang]).await;
    peer.say(mirrored(&main_file(), [1])).await;
    peer.say(mirrored(&agent_file(), [2])).await;
    passed(Duration::from_secs(1)).await;
    handle.message_stored(&"1".into()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn flush_stores_entries_without_a_result() {
    let (mut session, peer, store, handle) = handled([]).await;
    peer.say(mirrored(&main_file(), [1, 2])).await;
    peer.say(assistant("a")).await;
    assert_eq!(next_kind(&mut session).await, "assistant");
    passed(Duration::from_secs(1)).await;
    assert_eq!(store.calls().len(), 0);
    handle.flushed().await.unwrap();
    assert_eq!(store.stored().await, 2);
    // Nothing new: everything is stored already.
    handle.clone().flushed().await.unwrap();
    handle.message_stored(&"2".into()).await.unwrap();
    assert_eq!(store.calls().len(), 1);
    // After it, entries wait for a result again.
    peer.say(mirrored(&main_file(), [3])).await;
    passed(Duration::from_secs(1)).await;
    assert_eq!(store.calls().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn wait_times_out_for_hanging_stores_and_missing_messages() {
    let (_session, peer, _, handle) = handled([Act::Hang]).await;
    peer.say(asks("t1")).await;
    passed(Duration::from_secs(1)).await;
    let began = Instant::now();
    let (first, second) = (id("t1"), id("t2"));
    let (one, other, flushed) = tokio::join!(handle.stored(&first), handle.stored(&second), handle.flushed());
    let after = Duration::from_secs(10);
    for outcome in [one, other, flushed] {
        assert_eq!(outcome, Err(NotStored::TimedOut { after }));
    }
    assert_eq!(began.elapsed(), after);
}

#[tokio::test(start_paused = true)]
async fn refused_entries_are_errors_until_they_are_stored() {
    for eager in [false, true] {
        let flush = if eager { SessionStoreFlush::Eager } else { SessionStoreFlush::Batched };
        let (session, peer, store) = started([Act::Fail; 6], options().session_store_flush(flush)).await;
        let handle = session.store_handle().unwrap();
        peer.say(asks("t1")).await;
        lost(handle.stored(&id("t1")).await, "the disk is full");
        lost(handle.message_stored(&"u-t1".into()).await, "the disk is full");
        // It asks the store again.
        lost(handle.flushed().await, "1 entry was not stored");
        assert_eq!(store.calls().len(), 6);
        handle.flushed().await.unwrap();
        handle.stored(&id("t1")).await.unwrap();
        peer.say(asks("t2")).await;
        handle.stored(&id("t2")).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn frames_without_room_or_too_long_are_losses() {
    let (session, peer, _) = started([Act::Hang], small()).await;
    let handle = session.store_handle().unwrap();
    peer.say(mirrored(&main_file(), [1])).await;
    peer.say(mirrored(&main_file(), 0..40)).await;
    passed(Duration::from_secs(1)).await;
    lost(handle.flushed().await, "more than 1000 bytes");
    let (kind, long) = (r#""type":"transcript_mirror""#, "x".repeat(3000));
    let fields = format!(r#""filePath":"{}","entries":["{long}"]"#, main_file());
    // The CLI writes the type first.
    for frame in [format!("{{{kind},{fields}}}"), format!("{{{fields},{kind}}}")] {
        let (session, peer, _) = started([], options().max_buffer_size(2000)).await;
        let handle = session.store_handle().unwrap();
        peer.say(frame).await;
        passed(Duration::from_secs(1)).await;
        lost(handle.flushed().await, "maxBufferSize");
    }
}

#[tokio::test(start_paused = true)]
async fn frames_with_another_order_of_keys_are_stored() {
    let (mut session, peer, store) = with([]).await;
    let file = main_file();
    let fields = |id: &str| format!(r#""filePath":"{file}","entries":[{{"type":"user","uuid":"{id}"}}]"#);
    peer.say(format!(r#"{{{},"type":"transcript_mirror"}}"#, fields("1"))).await;
    peer.say(format!(r#"{{ {}, "type" : "transcript\u005fmirror"}}"#, fields("2"))).await;
    peer.say(result("done")).await;
    assert_eq!(next_kind(&mut session).await, "result");
    assert_eq!(store.stored().await, 2);
}

#[tokio::test(start_paused = true)]
async fn end_of_the_session_ends_waits() {
    let (session, mut peer, _, handle) = handled([]).await;
    let never = id("t9");
    let (closed, waited, ()) = tokio::join!(session.close(), handle.stored(&never), async {
        peer.say(asks("t1")).await;
        peer.say(result("done")).await;
        peer.input_ended().await;
        peer.exit(ExitReport::exited(0));
    });
    closed.unwrap();
    assert_eq!(waited, Err(NotStored::Ended));
    // Stored entries are still known after the end.
    handle.stored(&id("t1")).await.unwrap();
    handle.flushed().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn entries_pending_at_the_end_are_lost() {
    let (session, mut peer, _, handle) = handled([Act::Hang]).await;
    peer.say(asks("t1")).await;
    assert!(matches!(peer.close(session).await, Err(Error::SessionStore { .. })));
    lost(handle.stored(&id("t1")).await, "the session ended before");
    lost(handle.flushed().await, "the session ended before");
}

#[tokio::test(start_paused = true)]
async fn dropped_wait_does_not_change_the_mirror() {
    let (_session, peer, store, handle) = handled([]).await;
    assert!(timeout(Duration::from_secs(1), handle.stored(&id("t1"))).await.is_err());
    peer.say(asks("t1")).await;
    passed(Duration::from_secs(1)).await;
    assert_eq!(store.calls().len(), 0);
    handle.stored(&id("t1")).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_session_without_a_store_has_no_handle() {
    let builder = Session::builder();
    let handle = builder.store_handle();
    let (session, _peer) = connected(builder).await;
    assert!(session.store_handle().is_none());
    assert_eq!(handle.stored(&id("t1")).await, Err(NotStored::NotRunning));
}
