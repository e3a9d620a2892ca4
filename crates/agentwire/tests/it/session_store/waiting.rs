//! How long a result waits for the store, for early and late readers; and the effects of a small limit.

use std::time::Duration;

use agentwire::Error;
use tokio::time::{Instant, timeout};

use super::{
    Act, ID, agent_file, is_late, main_file, mirror_error, mirror_turn, mirrored, options,
    read_mirrored_turn, small, started, store::passed, with,
};
use crate::peer::{next_kind, result};

#[tokio::test(start_paused = true)]
async fn late_reader_does_not_extend_the_wait() {
    let (mut session, peer, _store) = with([Act::Slow(Duration::from_secs(11)), Act::Hang]).await;
    peer.say(mirrored(&main_file(), [1])).await;
    peer.say(mirrored(&agent_file(), [2])).await;
    peer.say(result("done")).await;
    let began = Instant::now();
    assert!(timeout(Duration::from_millis(1), session.next()).await.is_err());
    // The first append ends between the limit and the reader's next poll.
    passed(Duration::from_secs(12)).await;
    is_late(&mut session).await;
    assert_eq!(next_kind(&mut session).await, "result");
    assert_eq!(began.elapsed().as_secs(), 12);
}

#[tokio::test(start_paused = true)]
async fn close_releases_a_waiting_result() {
    let (mut session, mut peer, store) = with([Act::Hang]).await;
    mirror_turn(&peer, [1]).await;
    assert!(timeout(Duration::from_millis(1), session.next()).await.is_err());
    let began = Instant::now();
    assert!(matches!(peer.close(session).await, Err(Error::SessionStore { .. })));
    assert_eq!(began.elapsed().as_secs(), 10);
    store.returned().await;
}

/// The unread report of a store that was late and then accepted everything is no loss.
#[tokio::test(start_paused = true)]
async fn close_succeeds_if_a_late_store_has_everything() {
    let (mut session, mut peer, store) = with([Act::Slow(Duration::from_secs(12))]).await;
    mirror_turn(&peer, [1]).await;
    assert!(timeout(Duration::from_millis(1), session.next()).await.is_err());
    passed(Duration::from_secs(20)).await;
    peer.close(session).await.unwrap();
    assert_eq!(store.stored().await, 1);
}

#[tokio::test(start_paused = true)]
async fn idle_store_loses_nothing_with_a_small_limit() {
    let (mut session, peer, store) = started([], small()).await;
    for number in 0..40 {
        peer.say(mirrored(&main_file(), [number])).await;
        passed(Duration::from_millis(1)).await;
    }
    peer.say(result("done")).await;
    assert_eq!(next_kind(&mut session).await, "result");
    assert_eq!(store.stored().await, 40);
}

#[tokio::test(start_paused = true)]
async fn full_queue_triggers_a_flush() {
    let (_session, peer, store) = started([], small()).await;
    peer.say(mirrored(&main_file(), [1])).await;
    passed(Duration::from_millis(1)).await;
    peer.say(mirrored(&main_file(), 0..100)).await;
    store.called(1).await;
    assert_eq!(store.calls(), [format!("-src-app/{ID}: 1")]);
}

#[tokio::test(start_paused = true)]
async fn panic_of_an_abandoned_append_counts_as_timeout() {
    let (mut session, peer, store) = with([Act::HangAndPanic]).await;
    mirror_turn(&peer, [1]).await;
    is_late(&mut session).await;
    assert_eq!(next_kind(&mut session).await, "result");
    let line = mirror_error(&mut session).await;
    assert_eq!(line["error"], "1 entry was not stored: the session store took longer than 60s");
    read_mirrored_turn(&mut session, &peer, [2]).await;
    assert_eq!(store.stored().await, 1);
}

#[tokio::test(start_paused = true)]
async fn overlong_frame_is_reported_as_mirror_error() {
    let options = options().max_buffer_size(2000);
    let (mut session, peer, _) = started([], options).await;
    peer.say(format!(
        r#"{{"type":"transcript_mirror","filePath":"{}","entries":[{{"type":"{}"}}]}}"#,
        main_file(),
        "x".repeat(3000)
    ))
    .await;
    peer.say(result("done")).await;
    let line = mirror_error(&mut session).await;
    assert!(line.get("key").is_none(), "{line}");
    assert!(line["error"].as_str().unwrap().contains("maxBufferSize"), "{line}");
    assert_eq!(next_kind(&mut session).await, "result");
}

#[tokio::test(start_paused = true)]
async fn relative_file_names_are_resolved() {
    let options = options().env("CLAUDE_CONFIG_DIR", "../config").cwd("/src/app");
    let (mut session, peer, store) = started([], options).await;
    peer.say(mirrored(&format!("../config/projects/-src-app/{ID}.jsonl"), [1])).await;
    peer.say(result("done")).await;
    assert_eq!(next_kind(&mut session).await, "result");
    assert_eq!(store.stored().await, 1);
}
