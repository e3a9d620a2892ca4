//! Stores that fail, hang, panic or are slow: the failure is reported, and the session continues.

use std::{sync::Arc, time::Duration};

use agentwire::{Decision, hooks::PermissionHandler};
use serde_json::json;
use tokio::time::{Instant, timeout};

use super::{
    Act, ID, TestStore, agent_file, builder, is_late, main_file, mirror_error, mirror_turn, mirrored,
    read_mirrored_turn, small, started, with,
};
use crate::peer::{assistant, can_use_tool, connected, next_kind, result};

#[tokio::test(start_paused = true)]
async fn failing_append_is_tried_three_times() {
    for act in [Act::Fail, Act::Panic, Act::PanicLater] {
        let (mut session, peer, store) = with([act, act]).await;
        read_mirrored_turn(&mut session, &peer, [1]).await;
        assert_eq!((store.calls().len(), store.stored().await), (3, 1), "{act:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn refused_entries_are_reported_before_the_result_and_stored_before_the_next_ones() {
    for (act, why) in [
        (Act::Fail, "the session store failed: writing: the disk is full"),
        (Act::Panic, "the session store panicked: as told"),
        (Act::PanicLater, "the session store panicked: as told"),
    ] {
        let (mut session, peer, store) = with([act, act, act]).await;
        mirror_turn(&peer, [1, 2]).await;
        let line = mirror_error(&mut session).await;
        assert_eq!(line["error"], format!("2 entries were not stored: {why}"));
        assert_eq!(line["key"], json!({"projectKey": "-src-app", "sessionId": ID}));
        assert_eq!(line["session_id"], ID);
        assert_eq!(line["uuid"].as_str().unwrap().len(), 36);
        assert_eq!(next_kind(&mut session).await, "result");
        read_mirrored_turn(&mut session, &peer, [3]).await;
        assert_eq!(store.calls()[3..], [format!("-src-app/{ID}: 1 2 3")]);
        assert_eq!(store.stored().await, 3);
    }
}

#[tokio::test(start_paused = true)]
async fn refused_entries_are_reported_once_and_count_as_pending() {
    let (mut session, mut peer, store) = started([Act::Fail; 6], small()).await;
    let mut reports = Vec::new();
    for numbers in [0..2, 2..3, 3..60] {
        mirror_turn(&peer, numbers).await;
        reports.push(mirror_error(&mut session).await["error"].as_str().unwrap().to_owned());
        assert_eq!(next_kind(&mut session).await, "result");
    }
    let why = "not stored: the session store failed: writing: the disk is full";
    assert_eq!(reports[..2], [format!("2 entries were {why}"), format!("1 entry was {why}")]);
    assert!(reports[2].starts_with("57 entries were not stored: the store is too slow"), "{}", reports[2]);
    // The lack of room caused another attempt.
    assert_eq!(store.stored().await, 3);
    peer.close(session).await.unwrap();
    assert_eq!(store.stored().await, 3);
}

#[tokio::test(start_paused = true)]
async fn refused_entries_do_not_delay_those_of_other_keys() {
    let (mut session, peer, store) = with([Act::Fail; 3]).await;
    mirror_turn(&peer, [1]).await;
    mirror_error(&mut session).await;
    assert_eq!(next_kind(&mut session).await, "result");
    peer.say(mirrored(&main_file(), [2])).await;
    peer.say(mirrored(&agent_file(), [3])).await;
    peer.say(result("again")).await;
    assert_eq!(next_kind(&mut session).await, "result");
    let main = format!("-src-app/{ID}");
    assert_eq!(store.calls()[3..], [format!("{main}/subagents/agent-a: 3"), format!("{main}: 1 2")]);
}

#[tokio::test(start_paused = true)]
async fn result_waits_ten_seconds_for_a_hanging_store_and_requests_are_answered() {
    let store = Arc::new(TestStore::new([Act::Hang]));
    let permissions = PermissionHandler::new(async |_, _| Decision::allow());
    let (mut session, mut peer) = connected(builder(&store).permissions(permissions)).await;
    let began = Instant::now();
    mirror_turn(&peer, [1]).await;
    peer.say(assistant("later")).await;
    // Far more than is read ahead of an idle reader.
    peer.say(assistant(&"x".repeat(400 << 10))).await;
    let control = session.control().clone();
    let (line, ()) = tokio::join!(mirror_error(&mut session), async {
        peer.ask("r1", can_use_tool("T")).await;
        assert_eq!(peer.response("r1").await["response"]["behavior"], "allow");
        let (asked, ()) = tokio::join!(control.mcp_status(), async {
            peer.answer("mcp_status", json!({"mcpServers": []})).await;
        });
        asked.unwrap();
        assert!(began.elapsed() < Duration::from_secs(10));
    });
    assert_eq!(began.elapsed().as_secs(), 10);
    assert!(line["error"].as_str().unwrap().contains("within 10s"), "{line}");
    for expected in ["result", "assistant", "assistant"] {
        assert_eq!(next_kind(&mut session).await, expected);
    }
    // While the store hangs, no other result waits.
    read_mirrored_turn(&mut session, &peer, [2]).await;
    assert_eq!(began.elapsed().as_secs(), 10);
    // An append gets its full time and is not retried.
    let line = mirror_error(&mut session).await;
    assert_eq!(began.elapsed().as_secs(), 60);
    assert_eq!(line["error"], "1 entry was not stored: the session store took longer than 60s");
    let main = format!("-src-app/{ID}");
    store.called(2).await;
    assert_eq!(store.calls(), [format!("{main}: 1"), format!("{main}: 2")]);
}

#[tokio::test(start_paused = true)]
async fn slow_store_delays_a_result_only_until_it_is_done() {
    let (mut session, peer, _) = with([Act::Slow(Duration::from_secs(3))]).await;
    let began = Instant::now();
    read_mirrored_turn(&mut session, &peer, [1]).await;
    assert_eq!(began.elapsed().as_secs(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_result_that_waits_is_not_lost_with_the_future() {
    let (mut session, peer, _) = with([Act::Slow(Duration::from_secs(3))]).await;
    mirror_turn(&peer, [1]).await;
    for _ in 0..4 {
        assert!(timeout(Duration::from_millis(500), session.next()).await.is_err());
    }
    assert_eq!(next_kind(&mut session).await, "result");
}

#[tokio::test(start_paused = true)]
async fn entries_without_room_are_counted_and_reported() {
    let (mut session, peer, store) = started([Act::Hang], small()).await;
    let began = Instant::now();
    peer.say(mirrored(&main_file(), 0..600)).await;
    for _ in 0..50 {
        peer.say(mirrored(&main_file(), 0..2)).await;
    }
    peer.say(mirrored(&agent_file(), 0..3)).await;
    peer.say(result("done")).await;
    let (main, beneath) = (mirror_error(&mut session).await, mirror_error(&mut session).await);
    assert_eq!(began.elapsed(), Duration::ZERO);
    let why = "the store is too slow: more than 1000 bytes would be pending";
    assert_eq!(main["error"], format!("100 entries were not stored: {why}"));
    assert_eq!(beneath["error"], format!("3 entries were not stored: {why}"));
    assert_eq!(beneath["key"]["subpath"], "subagents/agent-a");
    is_late(&mut session).await;
    assert_eq!(next_kind(&mut session).await, "result");
    // The append still fails by its own limit after most of an hour.
    tokio::time::advance(Duration::from_secs(3000)).await;
    let line = mirror_error(&mut session).await;
    assert_eq!(line["error"], "600 entries were not stored: the session store took longer than 60s");
    read_mirrored_turn(&mut session, &peer, [7]).await;
    assert_eq!(store.stored().await, 1);
}

#[tokio::test(start_paused = true)]
async fn a_turn_ends_with_its_result_also_where_the_store_fails() {
    let (mut session, mut peer, _) = with([Act::Fail, Act::Fail, Act::Fail]).await;
    let asked = async { session.ask("hello").await.unwrap().text().await.unwrap() };
    let (answer, ()) = tokio::join!(asked, async {
        peer.prompt().await;
        peer.say(mirrored(&main_file(), [1])).await;
        peer.complete_turn("hi").await;
    });
    assert_eq!(answer, "hi");
}
