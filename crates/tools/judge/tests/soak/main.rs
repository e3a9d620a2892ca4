//! A thousand sessions at once leave nothing behind. They have a program of their own, because the counts cover the
//! whole process.

#![expect(clippy::unwrap_used, reason = "what the tests share is test code too")]

use std::time::{Duration, Instant};

use agentwire::Session;
use agentwire_judge::census::Census;
use agentwire_testkit::{Replay, ReplayHandle, Splits, Transcript};
use tokio::{runtime::Handle, task::JoinSet};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_sessions_at_once_leave_nothing() {
    let file =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../../fixtures/sessions/2.1.330/two-turns.transcript");
    let transcript = Transcript::parse(std::fs::read(file).unwrap()).unwrap();
    // The runtime starts threads of its own when it is first used.
    play(connect(&transcript, 0).await).await;
    let runtime = Handle::current();
    let before = Census::settled(Census::default(), &runtime, Duration::from_millis(100)).await.unwrap();
    let start = Instant::now();

    let mut connecting = JoinSet::new();
    for number in 0..SESSIONS {
        let transcript = transcript.clone();
        connecting.spawn(async move { connect(&transcript, number).await });
    }
    let sessions = connecting.join_all().await;
    assert_eq!(sessions.len(), SESSIONS);
    let open = Census::take(&runtime).unwrap();
    assert!(open.tasks >= before.tasks + SESSIONS, "all are open at this moment: {open}");

    let mut playing = JoinSet::new();
    sessions.into_iter().for_each(|session| drop(playing.spawn(play(session))));
    assert_eq!(playing.join_all().await.len(), SESSIONS);

    let after = Census::settled(before, &runtime, Duration::from_secs(10)).await.unwrap();
    println!(
        "{SESSIONS} sessions in {:.1?}\nbefore: {before}\nopen:   {open}\nafter:  {after}",
        start.elapsed()
    );
    assert!(after.is_within(before), "before: {before}; after: {after}");
}

async fn connect(transcript: &Transcript, number: usize) -> (Session, ReplayHandle, usize) {
    let splits = Splits::SAMPLES[number % Splits::SAMPLES.len()];
    // Another test reads byte by byte.
    let splits = if splits == Splits::Every(1) { Splits::Every(100) } else { splits };
    let replay = Replay::new(transcript).foreign().splits(splits).limit(Duration::from_secs(120));
    let handle = replay.handle();
    (Session::builder().transport(replay).connect().await.unwrap(), handle, number)
}

/// A third of the sessions is closed, a third only dropped, and a third dropped in the middle of its second turn.
async fn play((mut session, handle, number): (Session, ReplayHandle, usize)) {
    let first = session.ask("A first question.").await.unwrap().finish().await.unwrap().unwrap();
    assert_eq!(first.result.as_deref(), Some("The first answer."));
    let mut second = session.ask("A second question.").await.unwrap();
    if number % 3 == 2 {
        second.next().await.unwrap().unwrap();
        return drop(session);
    }
    let second = second.finish().await.unwrap().unwrap();
    assert_eq!(second.result.as_deref(), Some("The second answer."));
    if number % 3 == 1 {
        return drop(session);
    }
    session.close().await.unwrap();
    assert!(handle.report().is_complete(), "{}", handle.report());
}

const SESSIONS: usize = 1000;
