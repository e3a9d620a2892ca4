//! The replay transport: its output, the lines that it accepts as equal, and its reports.

use std::{fs, time::Duration};

use agentwire_testkit::{Replay, ReplayHandle, Splits, Transcript, transcript::Entry};
use agentwire_transport::{ByteSink, ByteSource, Connected, PeerHandle, Signal, Transport};

/// A permission request within a turn, and a second request that is open at the same time.
const SESSION: &str = r#"# agentwire-transcript 1
# cli 2.1.330
$ []
> {"type":"control_request","request_id":"r1","request":{"subtype":"initialize","hooks":{"PreToolUse":[{"hookCallbackIds":["a","b"]}]}}}
< {"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"request_id":"r1"}}}
> {"type":"user","uuid":"u1","message":{"role":"user","content":"hi"},"n":1.0}
< {"type":"control_request","request_id":"q1","request":{"subtype":"hook_callback","callback_id":"b"}}
< {"type":"control_request","request_id":"q2","request":{"subtype":"can_use_tool"}}
> {"type":"control_response","response":{"subtype":"success","request_id":"q1","response":{}}}
> {"type":"control_response","response":{"subtype":"error","request_id":"q2","error":"no"}}
< {"type":"result","user_message_uuids":["u1"]}
| end of input
! a warning
= exit 3
"#;

const INITIALIZE: &str = r#"{"request_id":"x","type":"control_request","request":{"subtype":"initialize","hooks":{"PreToolUse":[{"hookCallbackIds":["a","b"]}]}}}"#;
const PROMPT: &str = r#"{"n":1.0,"type":"user","uuid":"v1","message":{"content":"hi","role":"user"}}"#;
const HOOK: &str = r#"{"type":"control_response","response":{"request_id":"q1","subtype":"success"}}"#;
const DENIAL: &str =
    r#"{"type":"control_response","response":{"request_id":"q2","subtype":"error","error":"no"}}"#;

struct Playing {
    source: <Replay as Transport>::Source,
    sink: <Replay as Transport>::Sink,
    peer: <Replay as Transport>::Handle,
    handle: ReplayHandle,
    read: Vec<u8>,
}

impl Playing {
    async fn start(replay: Replay) -> Self {
        let handle = replay.handle();
        let Connected { source, sink, handle: peer } = replay.open().await.unwrap();
        Self { source, sink, peer, handle, read: Vec::new() }
    }

    async fn session() -> Self {
        Self::start(Replay::new(&Transcript::parse(SESSION).unwrap())).await
    }

    async fn say(&mut self, line: &str) -> bool {
        self.sink.write(format!("{line}\n").into()).await.is_ok()
    }

    /// Reads one whole line, however it is cut.
    async fn line(&mut self) -> String {
        loop {
            if let Some(end) = self.read.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.read.drain(..=end).collect();
                return String::from_utf8_lossy(&line[..end]).into_owned();
            }
            let piece = self.source.read().await.unwrap().unwrap();
            self.read.extend_from_slice(&piece);
        }
    }

    /// Sends everything up to the answers.
    async fn ask(&mut self) {
        self.say(INITIALIZE).await;
        self.line().await;
        self.say(PROMPT).await;
        self.line().await;
        self.line().await;
    }

    fn report(&self) -> String {
        self.handle.report().to_string()
    }
}

#[track_caller]
fn check(playing: &Playing, expected: &[&str]) {
    let report = playing.report();
    for part in expected {
        assert!(report.contains(part), "{part:?} is not in: {report}");
    }
}

#[tokio::test]
async fn ids_are_bound_by_position_and_answers_come_in_any_order() {
    for splits in Splits::SAMPLES {
        let replay = Replay::new(&Transcript::parse(SESSION).unwrap()).splits(splits);
        let mut playing = Playing::start(replay).await;
        assert!(playing.say(INITIALIZE).await);
        let reply = playing.line().await;
        assert_eq!(
            reply,
            r#"{"type":"control_response","response":{"subtype":"success","request_id":"x","response":{"request_id":"r1"}}}"#
        );
        assert!(playing.say(PROMPT).await);
        assert!(playing.line().await.contains(r#""callback_id":"b""#));
        assert!(playing.line().await.contains("can_use_tool"));
        assert!(playing.say(DENIAL).await && playing.say(HOOK).await);
        assert_eq!(playing.line().await, r#"{"type":"result","user_message_uuids":["v1"]}"#);
        playing.sink.finish().await.unwrap();
        assert_eq!(playing.source.read().await.unwrap(), None);
        let exit = playing.peer.wait().await;
        assert_eq!((exit.code, exit.stderr_tail.as_str()), (Some(3), "a warning\n"));
        assert!(playing.handle.report().is_complete(), "{}", playing.report());
    }
}

#[tokio::test]
async fn different_line_ends_the_replay_and_names_the_place() {
    let mut playing = Playing::session().await;
    assert!(playing.say(INITIALIZE).await);
    playing.line().await;
    // The text of a number counts.
    assert!(!playing.say(&PROMPT.replace("1.0", "1")).await);
    check(&playing, &["line 6", "differs at .n", "expected: 1.0", "actual: 1"]);
    let error = playing.source.read().await.unwrap_err();
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(cause.contains("line 6"), "{cause}");
    assert_eq!(playing.source.read().await.unwrap(), None);
    assert!(playing.peer.wait().await.stderr_tail.contains("line 6"));
    check(
        &playing,
        &[
            "missing, line 6",
            "missing, line 9",
            "missing, line 12: end of input",
            "3 lines of the CLI's not played",
        ],
    );
}

#[tokio::test]
async fn early_or_unrecorded_line_is_a_mismatch() {
    let mut early = Playing::session().await;
    assert!(early.say(INITIALIZE).await);
    assert!(!early.say(HOOK).await);
    check(&early, &["line 9", "an answer came before its request"]);

    let mut extra = Playing::session().await;
    extra.ask().await;
    assert!(!extra.say(&HOOK.replace("q1", "q9")).await);
    check(&extra, &["line 9", "an answer came that was not recorded", "not recorded: {"]);

    let mut twice = Playing::session().await;
    twice.ask().await;
    assert!(twice.say(HOOK).await);
    assert!(!twice.say(HOOK).await);
    check(&twice, &["line 10", "an answer came that was not recorded"]);

    let mut more = Playing::session().await;
    more.ask().await;
    assert!(!more.say(PROMPT).await);
    check(&more, &["a line came that was not recorded"]);

    let mut other = Playing::session().await;
    other.ask().await;
    assert!(!other.say(&DENIAL.replace("\"no\"", "\"yes\"")).await);
    check(&other, &["line 10", "differs at error", "expected: \"no\"", "actual: \"yes\""]);
}

#[tokio::test]
async fn difference_is_shown_once_also_by_unwrap() {
    let long = "the same words, ".repeat(100);
    let recorded = SESSION.replace("\"error\":\"no\"", &format!("\"error\":\"{long} no, {long}\""));
    let mut playing = Playing::start(Replay::new(&Transcript::parse(recorded).unwrap())).await;
    playing.ask().await;
    let actual = DENIAL.replace("\"no\"", &format!("\"{long} yes, {long}\""));
    assert!(!playing.say(&actual).await);
    let shown = playing.handle.report().mismatch.unwrap();
    let (expected, actual) = (shown.expected.clone().unwrap(), shown.actual.clone().unwrap());
    assert!(expected.contains("words,  no, the") && actual.contains("words,  yes, the"), "{shown}");
    assert!(expected.len() < 300 && actual.len() < 300, "{shown}");
    assert_eq!(format!("{shown:?}"), shown.to_string());
    let error = playing.source.read().await.unwrap_err();
    let unwrapped = format!("{error:?}");
    assert!(unwrapped.contains(&shown.to_string()), "{unwrapped}");
    assert_eq!(unwrapped.matches(" yes, ").count(), 1, "{unwrapped}");
    let tail = playing.peer.wait().await.stderr_tail;
    assert_eq!(tail.trim(), "at line 10 of the transcript");
}

#[tokio::test]
async fn missing_value_is_shown_as_nothing() {
    let mut playing = Playing::session().await;
    assert!(playing.say(INITIALIZE).await);
    playing.line().await;
    assert!(!playing.say(&PROMPT.replace("\"n\":1.0,", "")).await);
    check(&playing, &["differs at .n", "expected: 1.0", "actual: nothing"]);
}

/// The message of a denial is missing because we allow.
#[tokio::test]
async fn different_value_is_shown_before_a_missing_one() {
    let error = r#""subtype":"error","request_id":"q2","error":"no""#;
    let success = |response: &str| format!(r#""subtype":"success","request_id":"q2","response":{response}"#);
    let denied = SESSION.replace(error, &success(r#"{"behavior":"deny","message":"no"}"#));
    let mut playing = Playing::start(Replay::new(&Transcript::parse(denied).unwrap())).await;
    playing.ask().await;
    let allowed = success(r#"{"behavior":"allow","updatedInput":{}}"#);
    assert!(!playing.say(&format!(r#"{{"type":"control_response","response":{{{allowed}}}}}"#)).await);
    let expected = ["line 10", "differs at response.behavior", "expected: \"deny\"", "actual: \"allow\""];
    check(&playing, &expected);
}

#[tokio::test]
async fn the_end_of_input_must_come_in_its_place() {
    let mut playing = Playing::session().await;
    playing.ask().await;
    playing.sink.finish().await.unwrap();
    check(&playing, &["line 9", "the input was ended first"]);

    let mut dropped = Playing::session().await;
    dropped.ask().await;
    drop(dropped.sink);
    assert!(dropped.handle.report().mismatch.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_wait_for_a_line_of_ours_is_bounded() {
    let replay = Replay::new(&Transcript::parse(SESSION).unwrap()).limit(Duration::from_secs(3600));
    let mut playing = Playing::start(replay).await;
    assert!(playing.source.read().await.is_err());
    check(&playing, &["line 4", "nothing came within 3600s", "expected: > {\"type\":\"control_request\""]);
}

#[tokio::test(start_paused = true)]
async fn each_line_of_ours_begins_another_wait() {
    let text = "# agentwire-transcript 1\n> {\"n\":1}\n> {\"n\":2}\n< {}\n";
    let replay = Replay::new(&Transcript::parse(text).unwrap()).limit(Duration::from_secs(10));
    let Playing { mut source, mut sink, peer, handle, .. } = Playing::start(replay).await;
    let read = tokio::spawn(async move { source.read().await });
    for number in [1, 2] {
        // The wait begins before the time goes on, and its limit is seen before the line comes.
        tokio::task::yield_now().await;
        tokio::time::advance(Duration::from_secs(6)).await;
        tokio::task::yield_now().await;
        sink.write(format!("{{\"n\":{number}}}\n").into()).await.unwrap();
    }
    let line = read.await.unwrap().unwrap();
    assert_eq!(line.as_deref(), Some(&b"{}\n"[..]), "{}", handle.report());
    drop(peer);
}

#[tokio::test]
async fn replay_without_its_recorded_signal_is_not_complete() {
    let text = "# agentwire-transcript 1\n> {}\n< {}\n^ SIGTERM\n= signal SIGTERM\n";
    let mut playing = Playing::start(Replay::new(&Transcript::parse(text).unwrap())).await;
    assert!(playing.say("{}").await);
    playing.line().await;
    assert!(!playing.handle.report().is_complete());
    check(&playing, &["missing, line 4"]);
    playing.peer.signal(Signal::Term).unwrap();
    assert!(playing.handle.report().is_complete(), "{}", playing.report());
}

#[tokio::test]
async fn replay_waits_for_a_recorded_signal() {
    let text = "# agentwire-transcript 1\n# cli 1\n$ []\n^ SIGTERM\n< {}\n= signal SIGTERM\n";
    let mut playing = Playing::start(Replay::new(&Transcript::parse(text).unwrap())).await;
    playing.peer.signal(Signal::Term).unwrap();
    assert_eq!(playing.line().await, "{}");
    assert_eq!(playing.peer.wait().await.signal, Some(15));
    assert!(playing.handle.report().is_complete());

    let playing = Playing::session().await;
    playing.peer.signal(Signal::Kill).unwrap();
    check(&playing, &["line 4", "the peer was asked to stop"]);
}

#[tokio::test]
async fn lines_that_a_dropped_session_leaves_are_played() {
    let session = |end: &str| {
        let ask = r#"< {"type":"control_request","request_id":"q2","request":{"subtype":"can_use_tool"}}"#;
        Transcript::parse(format!("# agentwire-transcript 1\n{ask}\n{end}")).unwrap()
    };
    let mut dropped = Playing::start(Replay::new(&session(&format!("> {DENIAL}\n^ SIGTERM\n")))).await;
    dropped.line().await;
    dropped.sink.flush_detached(format!("{DENIAL}\n").into());
    dropped.peer.signal(Signal::Term).unwrap();
    drop((dropped.sink, dropped.peer));
    assert!(dropped.handle.report().is_complete(), "{}", dropped.handle.report());

    let mut dead = Playing::start(Replay::new(&session("= exit 3\n"))).await;
    dead.line().await;
    dead.sink.flush_detached(format!("{DENIAL}\n").into());
    assert!(dead.handle.report().is_complete(), "{}", dead.report());
    // A line that is written, and not left, is a mismatch also then.
    assert!(!dead.say(DENIAL).await);
    check(&dead, &["an answer came that was not recorded"]);
}

#[tokio::test]
async fn last_line_that_was_cut_is_played_without_a_line_feed() {
    for splits in Splits::SAMPLES {
        let text = "# agentwire-transcript 1\n< {}\n# the line above has no line feed\n< {\"a\"\n# the line above has no line feed\n= exit 0\n";
        let replay = Replay::new(&Transcript::parse(text).unwrap()).splits(splits);
        let mut playing = Playing::start(replay).await;
        while let Some(piece) = playing.source.read().await.unwrap() {
            playing.read.extend_from_slice(&piece);
        }
        assert_eq!(playing.read, b"{}{\"a\"");
        assert!(playing.handle.report().is_complete(), "{}", playing.report());
    }
    // A cut line of ours changes nothing of the CLI's.
    let text = "# agentwire-transcript 1\n< {}\n> {\n# the line above has no line feed\n= exit 0\n";
    let mut playing = Playing::start(Replay::new(&Transcript::parse(text).unwrap())).await;
    assert_eq!(playing.line().await, "{}");
    playing.sink.write("{".into()).await.unwrap();
    playing.sink.finish().await.unwrap();
    assert!(playing.handle.report().is_complete(), "{}", playing.report());
}

#[tokio::test]
async fn report_names_the_last_line_of_a_transcript_without_the_end_of_the_cli() {
    let text = "# agentwire-transcript 1\n> {}\n< {}\n";
    let mut playing = Playing::start(Replay::new(&Transcript::parse(text).unwrap())).await;
    assert_eq!(playing.handle.report().last_line, None);
    assert!(playing.say("{}").await);
    assert!(playing.handle.report().is_complete());
    assert_eq!(playing.handle.report().last_line, Some(3));
    check(&playing, &["the replay is complete", "the transcript ends at line 3, without the end of the CLI"]);

    let whole = Replay::new(&Transcript::parse(format!("{text}= exit 0\n")).unwrap());
    let mut playing = Playing::start(whole).await;
    assert!(playing.say("{}").await);
    assert_eq!(playing.report(), "the replay is complete");
}

#[tokio::test]
async fn recorded_signal_is_no_mismatch() {
    for name in ["sigterm-idle", "sigterm-in-turn", "session-end-sigterm"] {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../fixtures/sessions/2.1.330");
        let session = Transcript::parse(fs::read(format!("{folder}/{name}.transcript")).unwrap()).unwrap();
        for replay in [Replay::new(&session), Replay::new(&session).foreign()] {
            let mut playing = Playing::start(replay).await;
            for entry in &session.entries {
                match entry {
                    Entry::Outbound(line) => assert!(playing.say(str::from_utf8(line).unwrap()).await),
                    Entry::Inbound(_) => drop(playing.line().await),
                    Entry::Signal(_) => playing.peer.signal(Signal::Term).unwrap(),
                    Entry::EndOfInput => playing.sink.finish().await.unwrap(),
                    _ => {}
                }
            }
            assert!(playing.handle.report().is_complete(), "{name}: {}", playing.report());
            assert_eq!(playing.peer.wait().await.code, Some(143));
        }
    }
}

#[tokio::test]
async fn prompt_may_come_before_the_handshake_of_mcp_is_answered() {
    let ask = |id: &str, method: &str| {
        format!(
            r#"{{"type":"control_request","request_id":"{id}","request":{{"subtype":"mcp_message","message":{{"method":"{method}"}}}}}}"#
        )
    };
    let answer = |id: &str| HOOK.replace("q1", id);
    let (prompt, steps) =
        (r#"{"type":"user","message":{"role":"user","content":"hi"}}"#, ["initialize", "tools/list"]);
    let session = |second: &str| {
        let text = format!(
            "# agentwire-transcript 1\n< {}\n> {}\n< {}\n> {}\n> {prompt}\n< {{}}\n| end of input\n= exit 0\n",
            ask("q1", steps[0]),
            answer("q1"),
            ask("q2", second),
            answer("q2"),
        );
        Replay::new(&Transcript::parse(text).unwrap())
    };
    let mut playing = Playing::start(session(steps[1])).await;
    assert!(playing.say(prompt).await, "{}", playing.report());
    for id in ["q1", "q2"] {
        assert!(playing.line().await.contains(id));
        assert!(playing.say(&answer(id)).await, "{}", playing.report());
    }
    playing.line().await;
    playing.sink.finish().await.unwrap();
    assert!(playing.handle.report().is_complete(), "{}", playing.report());

    let mut playing = Playing::start(session("tools/call")).await;
    assert!(!playing.say(prompt).await);
    check(&playing, &["a line came too early"]);
}

#[tokio::test]
async fn answer_to_a_cancelled_request_is_optional() {
    let text = r#"# agentwire-transcript 1
# cli 1
$ []
< {"type":"control_request","request_id":"q1","request":{"subtype":"hook_callback"}}
< {"type":"control_cancel_request","request_id":"q1"}
| end of input
= exit 0
"#;
    let recorded_late = text.replace("| end", &format!("> {HOOK}\n| end"));
    for (text, answers, late) in [
        (text, true, 1),
        (text, false, 0),
        (recorded_late.as_str(), true, 0),
        (recorded_late.as_str(), false, 0),
    ] {
        let mut playing = Playing::start(Replay::new(&Transcript::parse(text).unwrap())).await;
        if answers {
            assert!(playing.say(HOOK).await);
        }
        playing.sink.finish().await.unwrap();
        let report = playing.handle.report();
        assert!(report.is_complete(), "{report}");
        assert_eq!(report.late, late);
    }
}

#[tokio::test]
async fn handshake_of_another_host_is_compared_by_its_hooks() {
    let ours = r#"{"type":"control_request","request_id":"x","request":{"subtype":"initialize","more":true,"hooks":{"PreToolUse":[{"hookCallbackIds":["h0"]},{"hookCallbackIds":["h1"]}]}}}"#;
    let mut strict = Playing::session().await;
    assert!(!strict.say(ours).await);
    let mut playing = Playing::start(Replay::new(&Transcript::parse(SESSION).unwrap()).foreign()).await;
    assert!(playing.say(ours).await);
    playing.line().await;
    let prompt = r#"{"type":"user","message":{"role":"user","content":[{"type":"text","text":"hi"}]},"session_id":""}"#;
    assert!(playing.say(prompt).await, "{}", playing.report());
    assert!(playing.line().await.contains(r#""callback_id":"h1""#));
    playing.line().await;
    assert!(playing.say(&DENIAL.replace("\"no\"", "\"another text\"")).await);

    let mut fewer = Playing::start(Replay::new(&Transcript::parse(SESSION).unwrap()).foreign()).await;
    assert!(!fewer.say(&ours.replace(r#",{"hookCallbackIds":["h1"]}"#, "")).await);
    check(&fewer, &["1 hooks for `PreToolUse`, and the recorded one has 2"]);
}

#[tokio::test]
async fn stand_ins_match_what_they_replaced() {
    let recorded = "Read <cwd>/a b, <redacted-1> and /home/user/tmp/1.a1B2c3 at 2026-01-01T00:00:00.000Z";
    let text = SESSION.replace("hi", recorded).replace("2.1.330", "2.1.330  redacted yes");
    let session = Transcript::parse(text).unwrap();
    for (ours, is_same) in [
        ("Read /srv/x/a b, hunter2 and /x/build.Zz9Yy8 at 2026-11-27T02:30:00.123Z", true),
        (recorded, true),
        ("Read /srv/x/a b, hunter2", false),
        ("Write /srv/x/a b, hunter2 at noon", false),
        ("Read /srv/x/b, hunter2 at noon", false),
    ] {
        let mut playing = Playing::start(Replay::new(&session)).await;
        playing.say(INITIALIZE).await;
        playing.line().await;
        assert_eq!(playing.say(&PROMPT.replace("hi", ours)).await, is_same, "{ours}");
    }
}

#[tokio::test]
async fn id_alone_matches_any_id_unless_it_is_that_of_a_prompt() {
    let stable = |number| format!("00000000-0000-4000-8000-{number:012}");
    let answered = |id: &str| format!(r#""response":{{"id":"{id}"}}"#);
    let cancel = |id: &str| {
        let request = format!(r#"{{"subtype":"cancel_async_message","message_uuid":"{id}"}}"#);
        format!(r#"{{"type":"control_request","request_id":"r2","request":{request}}}"#)
    };
    let recorded = SESSION
        .replace("2.1.330", "2.1.330  redacted yes")
        .replace("u1", &stable(1))
        .replace(r#""response":{}"#, &answered(&stable(7)))
        .replace("| end", &format!("> {}\n| end", cancel(&stable(1))));
    let session = Transcript::parse(recorded).unwrap();
    let hook = |id: &str| HOOK.replace(r#""success""#, &format!(r#""success",{}"#, answered(id)));
    for id in ["", "undefined"] {
        let mut playing = Playing::start(Replay::new(&session)).await;
        playing.ask().await;
        assert!(!playing.say(&hook(id)).await, "{id}");
    }
    for (cancelled, is_same) in [("v1", true), ("v2", false)] {
        let mut playing = Playing::start(Replay::new(&session)).await;
        playing.ask().await;
        assert!(playing.say(&hook("1b4e28ba-2fa1-41d2-883f-0016d3cca427")).await, "{}", playing.report());
        assert!(playing.say(DENIAL).await, "{}", playing.report());
        playing.line().await;
        assert_eq!(playing.say(&cancel(cancelled)).await, is_same, "{}", playing.report());
    }
}

#[tokio::test]
async fn text_of_a_recording_without_a_redaction_stands_for_itself() {
    for (header, is_same) in
        [("2.1.330", false), ("2.1.330  redacted no", true), ("2.1.330  redacted yes", true)]
    {
        let recorded =
            SESSION.replace("hi", "delete 127.0.0.1:8080 now, <cwd> too").replace("2.1.330", header);
        for (ours, is_same) in
            [("delete everything now, /srv too", is_same), ("delete 127.0.0.1:8080 now, /srv too", true)]
        {
            let mut playing = Playing::start(Replay::new(&Transcript::parse(&recorded).unwrap())).await;
            playing.say(INITIALIZE).await;
            playing.line().await;
            assert_eq!(playing.say(&PROMPT.replace("hi", ours)).await, is_same, "{header}: {ours}");
        }
    }
}
