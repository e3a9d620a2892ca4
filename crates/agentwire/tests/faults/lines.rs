//! Lines that break other clients are kept and delivered, and the session continues.

use agentwire::{Block, Error, Incoming, Message, Session, codec::Limits, control::Config};

use crate::{
    fault_cli::play,
    received::{Received, completes_a_turn_and_closes},
    runner::tests,
};

tests!(lines:
    stray_lines_are_delivered, odd_line_ends_have_no_effect, unknown_kinds_are_kept, undecodable_lines_are_kept, undecodable_result_ends_its_turn, overlong_result_ends_its_turn,
    turn_without_a_result_ends_when_the_cli_is_idle, long_lines_are_delivered, overlong_line_is_reported_once,
    characters_across_reads_are_intact, lone_surrogates_are_kept, invalid_utf8_is_kept,
);

fn stray_lines_are_delivered() {
    play("stray-line", async |cli| {
        let (session, received) = cli.turn().await;
        assert_eq!(received.kinds(), ["noise", "noise", "noise", "noise", "assistant", "result"]);
        let noise = received.all.iter().filter(|incoming| matches!(incoming, Incoming::NonJson(_)));
        let noise: Vec<_> = noise.map(|incoming| incoming.line().unwrap().to_str().unwrap()).collect();
        assert_eq!(noise, ["a stray print", "[1, 2]", "\"quoted\"", "12"]);
        session.close().await.unwrap();
    });
}

fn odd_line_ends_have_no_effect() {
    play("odd-ends permission", async |cli| {
        let mut session = cli.connect().await;
        assert!(session.set_model(Some("m")).await.unwrap().model.is_some());
        let received = Received::turn(&mut session, "hi").await;
        assert_eq!(
            received.kinds(),
            ["assistant", "unhandled control_request", "fault_report", "user", "assistant", "result"]
        );
        session.close().await.unwrap();
    });
}

fn unknown_kinds_are_kept() {
    play("unknown", async |cli| {
        let (session, received) = cli.turn().await;
        assert_eq!(
            received.words,
            [
                "system session_state_changed",
                "system init",
                "from_the_future",
                "system from_the_future",
                "assistant",
                "stream_event",
                "system session_state_changed",
                "assistant",
                "assistant",
                "result"
            ]
        );
        assert_eq!(
            received.all[2].line().unwrap().to_str().unwrap(),
            r#"{"type":"from_the_future","payload":{"a":1.10}}"#
        );
        let Some(Message::Assistant(message)) = received.all[4].message() else { panic!("{received:?}") };
        assert!(matches!(&message.message.content[..], [Block::Unknown(block), Block::Text(text)]
            if block.kind.as_deref() == Some("hologram") && block.raw.as_str().contains("[1]") && text.text == "known"));
        let Some(Message::StreamEvent(event)) = received.all[5].message() else { panic!("{received:?}") };
        assert!(format!("{event:?}").contains("from_the_future"), "{event:?}");
        assert!(format!("{:?}", received.all[6].message()).contains("dreaming"), "{received:?}");
        assert!(format!("{:?}", received.all[7].message()).contains("from_the_future"), "{received:?}");
        completes_a_turn_and_closes(session).await;
    });
}

fn undecodable_lines_are_kept() {
    play("undecodable", async |cli| {
        let (session, received) = cli.turn().await;
        let broken: Vec<_> = received
            .all
            .iter()
            .filter_map(|incoming| match incoming {
                Incoming::Undecodable(error, line) => Some((error.to_string(), line.to_str().unwrap())),
                _ => None,
            })
            .collect();
        let lines: Vec<&str> = broken.iter().map(|(_, line)| *line).collect();
        assert_eq!(
            lines,
            [
                r#"{"type":"assistant"}"#,
                r#"{"type":"user","message":7}"#,
                r#"{"type":"stream_event","session_id":[7]}"#,
                r#"{"type":"assistant","message":{"cut"#
            ]
        );
        assert!(broken.iter().all(|(error, _)| !error.is_empty()));
        assert_eq!(received.kinds()[4..], ["assistant", "result"]);
        completes_a_turn_and_closes(session).await;
    });
}

fn undecodable_result_ends_its_turn() {
    play("broken-result", async |cli| {
        let mut session = cli.connect().await;
        for _ in 0..2 {
            let error = session.ask("hi").await.unwrap().finish().await.unwrap_err();
            let Error::UnreadableResult { line: Some(line), .. } = &error else { panic!("{error:?}") };
            assert!(line.to_str().unwrap().contains(r#""subtype":[7]"#), "{error:?}");
        }
        session.close().await.unwrap();
    });
}

/// The CLI writes `type` after the text of most results.
fn overlong_result_ends_its_turn() {
    play("long-result=2000000", async |cli| {
        let options = cli.options().max_buffer_size(1 << 20);
        let mut session = Session::builder().options(options.clone()).connect().await.unwrap();
        for _ in 0..2 {
            let error = session.ask("hi").await.unwrap().finish().await.unwrap_err();
            let Error::UnreadableResult { why, line: None } = &error else { panic!("{error:?}") };
            assert!(why.contains("longer than the limit of 1048576 bytes"), "{why}");
        }
        session.close().await.unwrap();
        let mut query = agentwire::query("hi", options).await.unwrap();
        let mut too_long = 0;
        while let Some(incoming) = query.next().await {
            too_long += usize::from(matches!(incoming, Ok(Incoming::TooLong(_))));
        }
        assert_eq!(too_long, 1);
    });
}

fn turn_without_a_result_ends_when_the_cli_is_idle() {
    play("no-result", async |cli| {
        let mut session = cli.connect().await;
        for _ in 0..2 {
            assert!(session.ask("hi").await.unwrap().finish().await.unwrap().is_none());
        }
        session.close().await.unwrap();
        let mut query = agentwire::query("hi", cli.options()).await.unwrap();
        while let Some(incoming) = query.next().await {
            incoming.unwrap();
        }
    });
}

fn long_lines_are_delivered() {
    for bytes in [5_000_000, 25_000_000] {
        play(&format!("long-line={bytes}"), async |cli| {
            let mut session = cli.connect().await;
            let received = Received::turn(&mut session, "hi").await;
            assert_eq!(received.kinds(), ["assistant", "assistant", "result"]);
            assert_eq!(received.texts()[0].len(), bytes);
            completes_a_turn_and_closes(session).await;
        });
    }
}

fn overlong_line_is_reported_once() {
    play("long-line=3000000", async |cli| {
        let mut config = Config::default();
        config.limits = Limits::max_line(1_000_000);
        let mut session = cli.builder().config(config).connect().await.unwrap();
        for _ in 0..2 {
            let received = Received::turn(&mut session, "hi").await;
            assert_eq!(received.kinds(), ["too long", "assistant", "result"]);
            assert!(received.error.is_none());
        }
        session.close().await.unwrap();
    });
}

fn characters_across_reads_are_intact() {
    play("split-utf8", async |cli| {
        let (session, received) = cli.turn().await;
        assert_eq!(received.texts(), ["€".repeat(100_000).as_str(), "äöü€😀", "hello"]);
        assert_eq!(received.kinds(), ["assistant", "assistant", "assistant", "result"]);
        session.close().await.unwrap();
    });
}

fn lone_surrogates_are_kept() {
    play("surrogate", async |cli| {
        let (session, received) = cli.turn().await;
        assert_eq!(received.kinds(), ["assistant", "assistant", "result"]);
        let incoming =
            received.all.iter().find(|incoming| crate::received::word(incoming) == "assistant").unwrap();
        assert!(incoming.line().unwrap().to_str().unwrap().contains(r"a\ud800b"));
        let Some(Message::Assistant(message)) = incoming.message() else { panic!("{incoming:?}") };
        assert!(matches!(&message.message.content[..], [Block::Text(text)] if text.text == "a\u{fffd}b"));
        completes_a_turn_and_closes(session).await;
    });
}

fn invalid_utf8_is_kept() {
    play("bad-utf8", async |cli| {
        let (session, received) = cli.turn().await;
        let broken = received
            .all
            .iter()
            .find(|incoming| incoming.line().unwrap().to_str().is_err())
            .expect("the line");
        assert!(broken.line().unwrap().as_bytes().contains(&0xff));
        assert_eq!(received.kinds(), ["undecodable", "assistant", "result"]);
        completes_a_turn_and_closes(session).await;
    });
}
