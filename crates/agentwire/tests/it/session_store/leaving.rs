//! Ends of sessions with a store: pending entries are stored or reported, and nothing hangs.

use std::{sync::Arc, time::Duration};

use agentwire::{Error, transport::ExitReport};
use tokio::time::Instant;

use super::{Act, agent_file, is_late, main_file, mirror_error, mirror_turn, mirrored, with};
use crate::peer::{assistant, next_kind};

#[tokio::test(start_paused = true)]
async fn dropped_session_stores_read_entries() {
    let (mut session, peer, store) = with([]).await;
    peer.say(mirrored(&main_file(), [1, 2])).await;
    peer.say(assistant("a")).await;
    assert_eq!(next_kind(&mut session).await, "assistant");
    assert_eq!(store.calls(), Vec::<String>::new());
    drop(session);
    store.returned().await;
    assert_eq!(store.stored().await, 2);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_session_gives_a_hanging_store_the_time_of_a_flush() {
    let (mut session, peer, store) = with([Act::Hang]).await;
    peer.say(mirrored(&main_file(), [1])).await;
    peer.say(assistant("a")).await;
    assert_eq!(next_kind(&mut session).await, "assistant");
    let began = Instant::now();
    drop(session);
    store.returned().await;
    assert_eq!((began.elapsed().as_secs(), store.calls().len()), (10, 1));
}

#[tokio::test(start_paused = true)]
async fn entries_pending_at_the_end_are_reported() {
    let (mut session, mut peer, store) = with([Act::Hang]).await;
    mirror_turn(&peer, [1]).await;
    let began = Instant::now();
    is_late(&mut session).await;
    assert_eq!(next_kind(&mut session).await, "result");
    peer.say(mirrored(&main_file(), [2, 3])).await;
    session.end_input();
    peer.exit_after_input().await;
    let line = mirror_error(&mut session).await;
    assert_eq!(line["error"], "3 entries were not stored: the session ended before the store had taken it");
    assert!(session.next().await.is_none());
    assert_eq!(began.elapsed().as_secs(), 20);
    store.returned().await;
}

#[tokio::test(start_paused = true)]
async fn close_waits_once_for_a_hanging_store_and_reports_lost_entries() {
    let (session, mut peer, store) = with([Act::Hang]).await;
    for number in 0..5 {
        mirror_turn(&peer, [number]).await;
    }
    let began = Instant::now();
    let error = peer.close(session).await.unwrap_err();
    let Error::SessionStore { why } = &error else { panic!("{error:?}") };
    assert_eq!(why, "5 entries were not stored: the session ended before the store had taken it");
    assert_eq!(began.elapsed().as_secs(), 10);
    store.returned().await;
}

#[tokio::test(start_paused = true)]
async fn close_counts_the_lost_entries_of_all_keys() {
    let (session, mut peer, _) = with([Act::Hang]).await;
    peer.say(mirrored(&main_file(), [1])).await;
    peer.say(mirrored(&agent_file(), [2, 3])).await;
    let error = peer.close(session).await.unwrap_err();
    let Error::SessionStore { why } = &error else { panic!("{error:?}") };
    let first = "1 entry was not stored: the session ended before the store had taken it";
    assert_eq!(*why, format!("entries that are not stored: 3; a failure: {first}"));
}

#[tokio::test(start_paused = true)]
async fn close_does_not_count_refused_entries_that_are_stored_since() {
    // At the result both keys are refused; at the end only the second one.
    let acts = [Act::Fail; 6].into_iter().chain([Act::Slow(Duration::ZERO)]).chain([Act::Fail; 3]);
    let (session, mut peer, store) = with(acts).await;
    peer.say(mirrored(&agent_file(), [2, 3])).await;
    mirror_turn(&peer, [1]).await;
    store.called(6).await;
    let error = peer.close(session).await.unwrap_err();
    let Error::SessionStore { why } = &error else { panic!("{error:?}") };
    let first = "2 entries were not stored: the session store failed: writing: the disk is full";
    assert_eq!(*why, format!("entries that are not stored: 1; a failure: {first}"));
}

#[tokio::test(start_paused = true)]
async fn close_reports_a_failure_that_no_caller_saw_unless_the_entries_are_stored_since() {
    // Each flush makes three attempts: the one at the result, and the one at the end.
    for (failures, ends_well) in [(3, true), (6, false)] {
        for reads_text in [true, false] {
            let (mut session, mut peer, _) = with(vec![Act::Fail; failures]).await;
            let turn = session.ask("hello").await.unwrap();
            let read = async {
                if reads_text { turn.text().await.map(drop) } else { turn.finish().await.map(drop) }
            };
            let (read, ()) = tokio::join!(read, async {
                peer.prompt().await;
                peer.say(mirrored(&main_file(), [1])).await;
                peer.complete_turn("hi").await;
            });
            read.unwrap();
            match peer.close(session).await {
                Ok(_) => assert!(ends_well),
                Err(Error::SessionStore { why }) => {
                    assert!(!ends_well && why.contains("the disk is full"), "{why}");
                }
                Err(error) => panic!("{error:?}"),
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_end_waits_for_the_last_append_of_refused_entries() {
    for reads_to_the_end in [true, false] {
        let acts = [Act::Fail, Act::Fail, Act::Fail, Act::Slow(Duration::from_secs(1))];
        let (mut session, mut peer, store) = with(acts).await;
        mirror_turn(&peer, [1]).await;
        mirror_error(&mut session).await;
        assert_eq!(next_kind(&mut session).await, "result");
        if reads_to_the_end {
            session.end_input();
            peer.exit_after_input().await;
            assert!(session.next().await.is_none());
        } else {
            peer.close(session).await.unwrap();
        }
        assert_eq!(store.stored().await, 1, "{reads_to_the_end}");
    }
}

#[tokio::test(start_paused = true)]
async fn crashed_cli_has_its_entries_stored() {
    let (mut session, peer, store) = with([]).await;
    peer.say(mirrored(&main_file(), [1])).await;
    // Half a frame.
    peer.raw.write(r#"{"type":"transcript_mirror","filePath":"#).await.unwrap();
    peer.exit(ExitReport::exited(3));
    let line = mirror_error(&mut session).await;
    assert!(line["error"].as_str().unwrap().starts_with("a frame of the mirror can't be read"), "{line}");
    assert!(session.next().await.unwrap().is_err());
    assert_eq!(store.stored().await, 1);
}

#[test]
fn a_runtime_that_ends_takes_the_worker_with_it() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (session, peer, store) = runtime.block_on(async {
        let (mut session, peer, store) = with([Act::Hang]).await;
        mirror_turn(&peer, [1]).await;
        store.called(1).await;
        assert!(tokio::time::timeout(Duration::from_millis(1), session.next()).await.is_err());
        (session, peer, store)
    });
    drop(runtime);
    assert_eq!(Arc::strong_count(&store), 1);
    drop((session, peer));
}
