//! Replies to our requests: each call has its own end, whatever comes or does not come.

use std::time::Duration;

use agentwire::{
    ControlError, Error, Session,
    control::Config,
    protocol::control::{Interrupt, McpStatus, SetModel},
};
use tokio::task::JoinSet;

use crate::{
    fault_cli::play,
    runner::tests,
    told::{ends_well, goes_on},
};

tests!(calls:
    twenty_at_once_answered_backwards, an_error_reply, no_reply, a_late_reply, a_reply_that_comes_twice,
    a_reply_to_nobody, a_reply_without_a_response, a_hollow_reply, prompt_that_a_frozen_cli_does_not_read_is_not_sent,
);

async fn model_is_set(session: &Session, model: &str) {
    assert_eq!(session.set_model(Some(model)).await.unwrap().model.as_deref(), Some(model));
}

fn twenty_at_once_answered_backwards() {
    play("reverse-replies=20", async |cli| {
        let mut session = cli.connect().await;
        for round in 0..10 {
            let mut calls = JoinSet::new();
            for number in 0..20 {
                let control = session.control().clone();
                calls.spawn(async move {
                    let model = format!("m{round}-{number}");
                    (control.call(&SetModel::new(Some(&model))).await.unwrap().model, model)
                });
            }
            while let Some(done) = calls.join_next().await {
                let (told, asked) = done.unwrap();
                assert_eq!(told.as_deref(), Some(&*asked));
            }
        }
        goes_on(&mut session).await;
        ends_well(session).await;
    });
}

fn an_error_reply() {
    play("error-reply", async |cli| {
        let mut session = cli.connect().await;
        let error = session.set_model(Some("m")).await.unwrap_err();
        let Error::Control(ControlError::Rejected { subtype, message, code: Some(code) }) = &error else {
            panic!("{error:?}")
        };
        assert_eq!((&**subtype, message.as_str()), ("set_model", "refused by the fault CLI"));
        assert_eq!(code.as_str(), "unsupported_request");
        assert!(error.report().to_string().contains("refused by the fault CLI"), "{}", error.report());
        goes_on(&mut session).await;
        ends_well(session).await;
    });
}

fn no_reply() {
    play("no-reply=mcp_status", async |cli| {
        let mut session = cli.connect().await;
        times_out(&session).await;
        model_is_set(&session, "m").await;
        goes_on(&mut session).await;
        ends_well(session).await;
    });
}

async fn times_out(session: &Session) {
    let limit = Duration::from_millis(200);
    let error = session.control().call_within(limit, &McpStatus::default()).await.unwrap_err();
    assert!(
        matches!(&error, ControlError::TimedOut { subtype, after } if &**subtype == "mcp_status" && *after == limit),
        "{error:?}"
    );
}

fn a_late_reply() {
    play("late-reply=mcp_status", async |cli| {
        let mut session = cli.connect().await;
        times_out(&session).await;
        // The late reply comes before this one.
        model_is_set(&session, "m").await;
        assert_eq!(session.control().ignored().responses, 1);
        // A call that is dropped is cancelled, and its reply is as late.
        let asked = session.mcp_status();
        tokio::time::timeout(Duration::from_millis(50), asked).await.unwrap_err();
        model_is_set(&session, "n").await;
        assert_eq!(session.control().ignored().responses, 2);
        goes_on(&mut session).await;
        ends_well(session).await;
    });
}

fn a_reply_that_comes_twice() {
    play("double-reply", async |cli| {
        let mut session = cli.connect().await;
        for number in 0..20 {
            model_is_set(&session, &format!("m{number}")).await;
        }
        goes_on(&mut session).await;
        // Those of the handshake and of all calls.
        assert_eq!(session.control().ignored().responses, 21);
        ends_well(session).await;
    });
}

fn a_reply_to_nobody() {
    play("stray-reply", async |cli| {
        let mut session = cli.connect().await;
        model_is_set(&session, "m").await;
        assert_eq!(session.control().ignored().responses, 2);
        goes_on(&mut session).await;
        ends_well(session).await;
    });
}

fn a_reply_without_a_response() {
    play("empty-reply", async |cli| {
        let mut session = cli.connect().await;
        let receipt = session.control().call(&Interrupt::default()).await.unwrap();
        assert!(receipt.still_queued.is_empty());
        assert_eq!(session.set_model(Some("m")).await.unwrap().model, None);
        goes_on(&mut session).await;
        ends_well(session).await;
    });
}

fn a_hollow_reply() {
    play("hollow-reply", async |cli| {
        let mut session = cli.connect().await;
        for number in 0..20 {
            model_is_set(&session, &format!("m{number}")).await;
        }
        goes_on(&mut session).await;
        assert_eq!(session.control().ignored().responses, 21);
        ends_well(session).await;
    });
}

fn prompt_that_a_frozen_cli_does_not_read_is_not_sent() {
    play("frozen", async |cli| {
        let mut config = Config::default();
        config.call_limit = Duration::from_millis(300);
        let mut session = cli.hasty().config(config).connect().await.unwrap();
        // The first is half written, the second waits behind it.
        session.send("x".repeat(1 << 20)).await.unwrap();
        session.send("x".repeat(1 << 20)).await.unwrap();
        for error in
            [session.send("hi").await.map(drop).unwrap_err(), session.ask("hi").await.map(drop).unwrap_err()]
        {
            assert!(matches!(error, Error::Control(ControlError::NotSent { .. })), "{error:?}");
        }
        // What was sent and not written is lost, and `close` says so.
        let error = session.close().await.unwrap_err();
        assert!(matches!(error, Error::Ended { .. }), "{error:?}");
    });
}
