//! Lines that clients stumble over: each is kept and shown, and the session goes on.

use std::time::{Duration, Instant};

use agentwire::{Block, Error, Incoming, Message, Session, codec::Limits, control::Config};
use serde_json::Value;

use crate::{
    fault_cli::play,
    runner::tests,
    told::{Told, ends_well, goes_on},
};

tests!(lines:
    stray_lines, odd_ends, unknown_kinds, undecodable, a_result_that_cannot_be_read, a_result_past_the_limit_ends_its_turn,
    a_turn_without_a_result_ends_when_the_cli_is_idle, long_lines, a_line_past_the_limit,
    characters_across_reads, lone_surrogates, invalid_utf8,
);

fn stray_lines() {
    play("stray-line", async |cli| {
        let mut session = cli.connect().await;
        let told = Told::turn(&mut session, "hi").await;
        assert_eq!(told.said(), ["noise", "noise", "noise", "noise", "assistant", "result"]);
        let noise = told.all.iter().filter(|incoming| matches!(incoming, Incoming::NonJson(_)));
        let noise: Vec<_> = noise.map(|incoming| incoming.line().unwrap().to_str().unwrap()).collect();
        assert_eq!(noise, ["a stray print", "[1, 2]", "\"quoted\"", "12"]);
        ends_well(session).await;
    });
}

fn odd_ends() {
    play("odd-ends permission", async |cli| {
        let mut session = cli.connect().await;
        assert!(session.set_model(Some("m")).await.unwrap().model.is_some());
        let told = Told::turn(&mut session, "hi").await;
        assert_eq!(
            told.said(),
            ["assistant", "unhandled control_request", "fault_report", "user", "assistant", "result"]
        );
        ends_well(session).await;
    });
}

fn unknown_kinds() {
    play("unknown", async |cli| {
        let mut session = cli.connect().await;
        let told = Told::turn(&mut session, "hi").await;
        assert_eq!(
            told.words,
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
            told.all[2].line().unwrap().to_str().unwrap(),
            r#"{"type":"from_the_future","payload":{"a":1.10}}"#
        );
        let Some(Message::Assistant(said)) = told.all[4].message() else { panic!("{told:?}") };
        assert!(matches!(&said.message.content[..], [Block::Unknown(block), Block::Text(text)]
            if block.kind.as_deref() == Some("hologram") && block.raw.as_str().contains("[1]") && text.text == "known"));
        let Some(Message::StreamEvent(event)) = told.all[5].message() else { panic!("{told:?}") };
        assert!(format!("{event:?}").contains("from_the_future"), "{event:?}");
        assert!(format!("{:?}", told.all[6].message()).contains("dreaming"), "{told:?}");
        assert!(format!("{:?}", told.all[7].message()).contains("from_the_future"), "{told:?}");
        goes_on(&mut session).await;
        ends_well(session).await;
    });
}

fn undecodable() {
    play("undecodable", async |cli| {
        let mut session = cli.connect().await;
        let told = Told::turn(&mut session, "hi").await;
        let broken: Vec<_> = told
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
        assert_eq!(told.said()[4..], ["assistant", "result"]);
        goes_on(&mut session).await;
        ends_well(session).await;
    });
}

fn a_result_that_cannot_be_read() {
    play("broken-result", async |cli| {
        let mut session = cli.connect().await;
        for _ in 0..2 {
            let error = session.ask("hi").await.unwrap().finish().await.unwrap_err();
            let Error::UnreadableResult { line: Some(line), .. } = &error else { panic!("{error:?}") };
            assert!(line.to_str().unwrap().contains(r#""subtype":[7]"#), "{error:?}");
        }
        ends_well(session).await;
    });
}

/// The CLI writes `type` behind the text of most results.
fn a_result_past_the_limit_ends_its_turn() {
    play("long-result=2000000", async |cli| {
        let options = cli.options().max_buffer_size(1 << 20);
        let mut session = Session::builder().options(options.clone()).connect().await.unwrap();
        for _ in 0..2 {
            let error = session.ask("hi").await.unwrap().finish().await.unwrap_err();
            let Error::UnreadableResult { why, line: None } = &error else { panic!("{error:?}") };
            assert!(why.contains("longer than the limit of 1048576 bytes"), "{why}");
        }
        ends_well(session).await;
        let mut query = agentwire::query("hi", options).await.unwrap();
        let mut too_long = 0;
        while let Some(incoming) = query.next().await {
            too_long += usize::from(matches!(incoming, Ok(Incoming::TooLong(_))));
        }
        assert_eq!(too_long, 1);
    });
}

fn a_turn_without_a_result_ends_when_the_cli_is_idle() {
    play("no-result", async |cli| {
        let mut session = cli.connect().await;
        for _ in 0..2 {
            assert!(session.ask("hi").await.unwrap().finish().await.unwrap().is_none());
        }
        ends_well(session).await;
        let mut query = agentwire::query("hi", cli.options()).await.unwrap();
        while let Some(incoming) = query.next().await {
            incoming.unwrap();
        }
    });
}

fn long_lines() {
    for bytes in [5_000_000, 25_000_000] {
        play(&format!("long-line={bytes}"), async |cli| {
            let mut session = cli.connect().await;
            let start = Instant::now();
            let told = Told::turn(&mut session, "hi").await;
            assert_eq!(told.said(), ["assistant", "assistant", "result"]);
            assert_eq!(told.texts()[0].len(), bytes);
            assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
            goes_on(&mut session).await;
            ends_well(session).await;
        });
    }
}

fn a_line_past_the_limit() {
    play("long-line=3000000", async |cli| {
        let mut config = Config::default();
        config.limits = Limits::max_line(1_000_000);
        let mut session = cli.builder().config(config).connect().await.unwrap();
        for _ in 0..2 {
            let told = Told::turn(&mut session, "hi").await;
            assert_eq!(told.said(), ["too long", "assistant", "result"]);
            assert!(told.error.is_none());
        }
        ends_well(session).await;
    });
}

fn characters_across_reads() {
    play("split-utf8", async |cli| {
        let mut session = cli.connect().await;
        let told = Told::turn(&mut session, "hi").await;
        assert_eq!(told.texts(), ["€".repeat(100_000).as_str(), "äöü€😀", "hello"]);
        assert_eq!(told.said(), ["assistant", "assistant", "assistant", "result"]);
        ends_well(session).await;
    });
}

fn lone_surrogates() {
    play("surrogate", async |cli| {
        let mut session = cli.connect().await;
        let told = Told::turn(&mut session, "hi").await;
        assert_eq!(told.said(), ["assistant", "assistant", "result"]);
        let incoming = told.all.iter().find(|incoming| crate::told::word(incoming) == "assistant").unwrap();
        assert!(incoming.line().unwrap().to_str().unwrap().contains(r"a\ud800b"));
        let Some(Message::Assistant(said)) = incoming.message() else { panic!("{incoming:?}") };
        assert!(matches!(&said.message.content[..], [Block::Text(text)] if text.text == "a\u{fffd}b"));
        goes_on(&mut session).await;
        ends_well(session).await;
    });
}

fn invalid_utf8() {
    play("bad-utf8", async |cli| {
        let mut session = cli.connect().await;
        let told = Told::turn(&mut session, "hi").await;
        let broken =
            told.all.iter().find(|incoming| incoming.line().unwrap().to_str().is_err()).expect("the line");
        assert!(broken.line().unwrap().as_bytes().contains(&0xff));
        let good = |text: &Value| serde_json::to_string(text).is_ok();
        assert!(told.lines().all(|line| good(&line)));
        assert_eq!(told.said().last(), Some(&"result"));
        assert_eq!(told.said().len(), 3, "{:?}", told.words);
        goes_on(&mut session).await;
        ends_well(session).await;
    });
}
