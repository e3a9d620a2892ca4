//! Replies to our requests: each call ends on its own, regardless of the other replies.

use std::time::Duration;

use agentwire::{
    ControlError, Error, Session,
    control::Config,
    protocol::control::{Interrupt, InterruptReply, McpStatus, SetModel},
};
use tokio::task::JoinSet;

use crate::{
    fault_cli::play,
    received::{completes_a_turn, completes_a_turn_and_closes},
    runner::tests,
};

tests!(calls:
    twenty_calls_get_their_own_replies_in_any_order, error_reply_is_typed, call_without_reply_times_out, late_reply_is_ignored, duplicate_or_hollow_reply_is_ignored,
    reply_to_an_unknown_request_is_ignored, reply_without_response_is_a_success, prompt_is_not_sent_to_a_frozen_cli,
);

async fn model_is_set(session: &Session, model: &str) {
    assert_eq!(session.set_model(Some(model)).await.unwrap().model.as_deref(), Some(model));
}

fn twenty_calls_get_their_own_replies_in_any_order() {
    play("reverse-replies=20", async |cli| {
        let session = cli.connect().await;
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
                let (received, asked) = done.unwrap();
                assert_eq!(received.as_deref(), Some(&*asked));
            }
        }
        completes_a_turn_and_closes(session).await;
    });
}

fn error_reply_is_typed() {
    play("error-reply", async |cli| {
        let session = cli.connect().await;
        let error = session.set_model(Some("m")).await.unwrap_err();
        let Error::Control(ControlError::Rejected { subtype, message, code: Some(code) }) = &error else {
            panic!("{error:?}")
        };
        assert_eq!((&**subtype, message.as_str()), ("set_model", "refused by the fault CLI"));
        assert_eq!(code.as_str(), "unsupported_request");
        assert!(error.report().to_string().contains("refused by the fault CLI"), "{}", error.report());
        completes_a_turn_and_closes(session).await;
    });
}

fn call_without_reply_times_out() {
    play("no-reply=mcp_status", async |cli| {
        let session = cli.connect().await;
        times_out(&session).await;
        model_is_set(&session, "m").await;
        completes_a_turn_and_closes(session).await;
    });
}

async fn times_out(session: &Session) {
    let limit = Duration::from_millis(200);
    let error = session.control().within(limit).call(&McpStatus::default()).await.unwrap_err();
    assert!(
        matches!(&error, ControlError::TimedOut { subtype, after, .. } if &**subtype == "mcp_status" && *after == limit),
        "{error:?}"
    );
}

fn late_reply_is_ignored() {
    play("late-reply=mcp_status", async |cli| {
        let session = cli.connect().await;
        times_out(&session).await;
        // The late reply arrives before this one.
        model_is_set(&session, "m").await;
        assert_eq!(session.control().ignored().responses, 1);
        // A dropped call is cancelled, and its reply is late too.
        let asked = session.mcp_status();
        tokio::time::timeout(Duration::from_millis(50), asked).await.unwrap_err();
        model_is_set(&session, "n").await;
        assert_eq!(session.control().ignored().responses, 2);
        completes_a_turn_and_closes(session).await;
    });
}

fn duplicate_or_hollow_reply_is_ignored() {
    for faults in ["double-reply", "hollow-reply"] {
        play(faults, async |cli| {
            let mut session = cli.connect().await;
            for number in 0..20 {
                model_is_set(&session, &format!("m{number}")).await;
            }
            completes_a_turn(&mut session).await;
            // The requests of the handshake and of all calls.
            assert_eq!(session.control().ignored().responses, 21);
            session.close().await.unwrap();
        });
    }
}

fn reply_to_an_unknown_request_is_ignored() {
    play("stray-reply", async |cli| {
        let session = cli.connect().await;
        model_is_set(&session, "m").await;
        assert_eq!(session.control().ignored().responses, 2);
        completes_a_turn_and_closes(session).await;
    });
}

fn reply_without_response_is_a_success() {
    play("empty-reply", async |cli| {
        let session = cli.connect().await;
        let receipt = session.control().call(&Interrupt::default()).await.unwrap();
        assert_eq!(receipt, InterruptReply::default());
        assert_eq!(session.set_model(Some("m")).await.unwrap().model, None);
        completes_a_turn_and_closes(session).await;
    });
}

fn prompt_is_not_sent_to_a_frozen_cli() {
    play("frozen", async |cli| {
        let mut config = Config::default();
        config.call_limit = Duration::from_millis(300);
        let mut session = cli.hasty().config(config).connect().await.unwrap();
        // The first is half written, and the second is queued.
        session.send("x".repeat(1 << 20)).await.unwrap();
        session.send("x".repeat(1 << 20)).await.unwrap();
        for error in
            [session.send("hi").await.map(drop).unwrap_err(), session.ask("hi").await.map(drop).unwrap_err()]
        {
            assert!(matches!(error, Error::Control(ControlError::NotSent { .. })), "{error:?}");
        }
        // Prompts that were sent but not written are lost, and `close` reports it.
        let error = session.close().await.unwrap_err();
        assert!(matches!(error, Error::Ended { .. }), "{error:?}");
    });
}
