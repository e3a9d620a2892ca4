//! The process that holds them all.

use std::{error::Error, io, sync::Arc, time::Duration};

use agentwire::{Message, Session};
use agentwire_codec::Incoming;
use agentwire_testkit::{
    Replay, ReplayHandle,
    replay::{ReplayPeer, ReplaySink, ReplaySource},
};
use agentwire_transport::{ByteSink, ByteSource, Connected, Transport};
use tokio::{runtime, task::JoinSet, time::Instant};

use super::{
    recording::Recording,
    seen::{Play, Seen},
};
use crate::{
    clock,
    memory::{HEAP, resident},
};

/// Plays so many, and tells what they took.
///
/// # Errors
///
/// When one of them goes otherwise than recorded, or this system does not tell a process its memory.
pub fn run(play: Play, count: usize) -> Result<Seen, Box<dyn Error>> {
    let recordings = Arc::new(Recording::all()?);
    let runtime = runtime::Builder::new_multi_thread().enable_all().build()?;
    let seen = runtime.block_on(async {
        match play {
            Play::Sessions => sessions(recordings, count).await,
            Play::Replays => replays(&recordings, count).await,
        }
    });
    seen.map_err(|error| -> Box<dyn Error> { error })
}

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// All shake hands, then all are idle, then all do their turns.
async fn sessions(recordings: Arc<Vec<Recording>>, count: usize) -> Outcome<Seen> {
    // What the runtime and the process make once is not a session's.
    for number in 0..recordings.len() {
        play(connect(&recordings, number).await?, &recordings).await?;
    }
    let before = Held::now()?;
    let (started, cpu) = (Instant::now(), clock::of_process());
    let mut connecting = JoinSet::new();
    for number in 0..count {
        let recordings = Arc::clone(&recordings);
        connecting.spawn(async move { connect(&recordings, number).await });
    }
    let mut open = Vec::with_capacity(count);
    while let Some(session) = connecting.join_next().await {
        open.push(session??);
    }
    drop(connecting);
    let connected = Instant::now();
    let idle = Held::now()?;
    let measured = Instant::now();
    let mut playing = JoinSet::new();
    for session in open {
        let recordings = Arc::clone(&recordings);
        playing.spawn(async move { play(session, &recordings).await });
    }
    let mut played = 0;
    while let Some(done) = playing.join_next().await {
        done??;
        played += 1;
    }
    if played != count {
        return Err(format!("{played} of {count} sessions were played").into());
    }
    Ok(Seen {
        resident: idle.resident - before.resident,
        heap: idle.heap - before.heap,
        connecting: (connected - started).as_secs_f64(),
        playing: measured.elapsed().as_secs_f64(),
        cpu: (clock::of_process() - cpu).as_secs_f64(),
    })
}

struct Open {
    session: Session,
    handle: ReplayHandle,
    number: usize,
}

fn recording(recordings: &[Recording], number: usize) -> &Recording {
    &recordings[number % recordings.len()]
}

fn replay(recording: &Recording) -> Replay {
    // The ids of the recorded host are not ours; and a thousand sessions wait for one another.
    Replay::new(&recording.transcript).foreign().limit(LIMIT)
}

async fn connect(recordings: &[Recording], number: usize) -> Outcome<Open> {
    let replay = replay(recording(recordings, number));
    let handle = replay.handle();
    Ok(Open { session: Session::builder().transport(replay).connect().await?, handle, number })
}

/// All turns of a session, as they were recorded, and its end.
async fn play(open: Open, recordings: &[Recording]) -> Outcome<()> {
    let Open { mut session, handle, number } = open;
    let recording = recording(recordings, number);
    let fail = |why: String| format!("session {number}, {}: {why}", recording.name);
    let mut messages = 0;
    for asked in &recording.turns {
        let mut turn = session.ask(&*asked.prompt).await?;
        let mut answer = None;
        while let Some(incoming) = turn.next().await {
            let Incoming::Message(message, _) = incoming? else {
                return Err(fail("a line that is no message".to_owned()).into());
            };
            messages += 1;
            if let Message::Result(result) = message {
                answer = result.result;
            }
        }
        if answer.as_deref() != Some(&*asked.answer) {
            return Err(fail(format!("{answer:?} instead of {:?}", asked.answer)).into());
        }
        messages += session.leftovers().len();
    }
    if messages != recording.messages {
        return Err(fail(format!("{messages} messages instead of {}", recording.messages)).into());
    }
    session.close().await?;
    let report = handle.report();
    if report.is_complete() { Ok(()) } else { Err(fail(report.to_string()).into()) }
}

/// As many replays, without sessions: each has taken the handshake, and given its reply.
async fn replays(recordings: &[Recording], count: usize) -> Outcome<Seen> {
    drop(shake(recordings, 0).await?);
    let before = Held::now()?;
    let mut held = Vec::with_capacity(count);
    for number in 0..count {
        held.push(shake(recordings, number).await?);
    }
    let idle = Held::now()?;
    Ok(Seen { resident: idle.resident - before.resident, heap: idle.heap - before.heap, ..Seen::default() })
}

type Opened = Connected<ReplaySource, ReplaySink, ReplayPeer>;

async fn shake(recordings: &[Recording], number: usize) -> Outcome<Opened> {
    let recording = recording(recordings, number);
    let mut link = replay(recording).open().await?;
    link.sink.write(recording.handshake.clone().into()).await?;
    while link.source.read().await?.is_some_and(|piece| piece.last() != Some(&b'\n')) {}
    Ok(link)
}

/// What this process holds at a moment.
struct Held {
    resident: f64,
    heap: f64,
}

impl Held {
    fn now() -> io::Result<Self> {
        let unknown = || io::Error::new(io::ErrorKind::Unsupported, "no memory told");
        Ok(Self { resident: resident().ok_or_else(unknown)? as f64, heap: HEAP.current_usage() as f64 })
    }
}

const LIMIT: Duration = Duration::from_secs(120);
