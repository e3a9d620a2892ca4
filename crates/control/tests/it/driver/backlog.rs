//! Unread messages and unanswered requests: bounded, and nothing is lost.

use std::future::pending;

use agentwire_control::{CallContext, ControlError, NoResponder, Reply, Responder};
use agentwire_protocol::InboundRequest;

use super::{Cli, Session, ask, news, next, settings, start, start_with, waits};
use crate::script::{cancel, inbound, success};

#[tokio::test(start_paused = true)]
async fn reading_stops_at_the_quiet_limit_and_goes_on_as_the_user_reads() {
    let settings = settings(|settings| settings.parked_quiet = 4096);
    let Session { control: _control, mut messages, cli, driver: _driver } =
        start(NoResponder::default(), settings).await;
    let mut speaking = tokio::spawn(speak(cli, 500));
    assert!(waits(&mut speaking).await);
    for number in 0..500 {
        assert_eq!(next(&mut messages).await, news(number));
    }
    speaking.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn past_the_open_limit_calls_are_given_up_and_nothing_is_lost() {
    let settings = settings(|settings| {
        settings.parked_quiet = 4096;
        settings.parked_open = 32_768;
    });
    let Session { control, mut messages, cli, driver: _driver } =
        start(NoResponder::default(), settings).await;
    let mut speaking = tokio::spawn(speak(cli.clone(), 1000));
    let error = ask(&control).await.unwrap_err();
    assert!(matches!(error, ControlError::Backlogged { parked, .. } if parked > 32_768), "{error:?}");
    // So does one that is made while reading stands still.
    let error = ask(&control).await.unwrap_err();
    assert!(matches!(error, ControlError::Backlogged { .. }), "{error:?}");
    assert!(waits(&mut speaking).await);
    for number in 0..1000 {
        assert_eq!(next(&mut messages).await, news(number));
    }
    speaking.await.unwrap();
    let call = tokio::spawn(async move { ask(&control).await });
    loop {
        let line = cli.hear().await.unwrap();
        if line["type"] == "control_request" && line["request_id"] == "req_3" {
            break cli.say(&success("req_3", "{}")).await;
        }
    }
    call.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn requests_without_end_are_bounded_too() {
    struct Never;
    impl Responder for Never {
        fn respond(&self, _: InboundRequest, _: CallContext) -> Option<Reply> {
            Some(Box::pin(pending()))
        }
    }
    let settings = settings(|settings| {
        settings.parked_quiet = 1024;
        settings.parked_open = 64 * 1024;
    });
    let Session { control: _control, messages: _messages, cli, driver: _driver } =
        start(Never, settings).await;
    let asking = async {
        for number in 0..1000 {
            cli.say(&inbound(&number.to_string())).await;
        }
    };
    assert!(waits(asking).await);
}

#[tokio::test(start_paused = true)]
async fn answers_that_are_not_read_are_bounded_and_all_are_given() {
    struct Large;
    impl Responder for Large {
        fn respond(&self, _: InboundRequest, _: CallContext) -> Option<Reply> {
            Some(Box::pin(async { Err("x".repeat(1000)) }))
        }
    }
    let settings = settings(|settings| {
        settings.parked_quiet = 1024;
        settings.parked_open = 16 * 1024;
    });
    let Session { control: _control, messages: _messages, cli, driver: _driver } =
        start(Large, settings).await;
    let asking = cli.clone();
    let mut asking = tokio::spawn(async move {
        for number in 0..200 {
            asking.say(&inbound(&number.to_string())).await;
        }
    });
    assert!(waits(&mut asking).await);
    for _ in 0..200 {
        assert_eq!(cli.hear().await.unwrap()["response"]["subtype"], "error");
    }
    asking.await.unwrap();
}

/// Asks the CLI before it answers, and says how that ended.
struct Nested;

impl Responder for Nested {
    fn respond(&self, _: InboundRequest, context: CallContext) -> Option<Reply> {
        Some(Box::pin(async move { ask(&context.control).await.map_err(|error| format!("{error:?}")) }))
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_larger_than_the_open_limit_may_ask_in_turn() {
    let settings = settings(|settings| (settings.parked_quiet, settings.parked_open) = (1024, 4096));
    let Session { control: _control, messages: _messages, cli, driver: _driver } =
        start(Nested, settings).await;
    cli.say(&large("a")).await;
    let id = cli.asked().await;
    cli.say(&success(&id, "[1]")).await;
    assert_eq!(cli.hear().await.unwrap()["response"]["response"].to_string(), "[1]");
}

#[tokio::test(start_paused = true)]
async fn calls_from_requests_that_stop_reading_are_given_up() {
    let settings = settings(|settings| (settings.parked_quiet, settings.parked_open) = (1024, 4096));
    let Session { control: _control, messages: _messages, cli, driver: _driver } =
        start_with(1 << 20, Nested, settings).await;
    cli.say(&large("a")).await;
    cli.say(&large("b")).await;
    let mut answers = Vec::new();
    while answers.len() < 2 {
        let line = cli.hear().await.unwrap();
        if line["type"] == "control_response" {
            answers.push(line["response"]["error"].to_string());
        } else if line["type"] == "control_request" {
            cli.say(&success(line["request_id"].as_str().unwrap(), "{}")).await;
        }
    }
    // Once the first has its error, the other one is alone, and may have its reply.
    assert!(answers[0].contains("Backlogged"), "{answers:?}");
    assert!(!answers[1].contains("TimedOut"), "{answers:?}");
}

fn large(id: &str) -> String {
    inbound(id).replace("new_thing", &format!(r#"new_thing","x":"{}"#, "x".repeat(8192)))
}

#[tokio::test(start_paused = true)]
async fn where_nobody_reads_messages_any_more_the_rest_goes_on() {
    let settings = settings(|settings| settings.parked_quiet = 4096);
    let Session { control, messages, cli, driver: _driver } = start(NoResponder::default(), settings).await;
    let mut speaking = tokio::spawn(speak(cli.clone(), 500));
    assert!(waits(&mut speaking).await);
    drop(messages);
    speaking.await.unwrap();
    cli.say(&inbound("a")).await;
    assert_eq!(cli.hear().await.unwrap()["response"]["request_id"], "a");
    cli.say(&cancel("a")).await;
    let call = tokio::spawn(async move { ask(&control).await });
    let id = cli.asked().await;
    cli.say(&success(&id, "{}")).await;
    call.await.unwrap().unwrap();
}

async fn speak(cli: Cli, count: usize) {
    for number in 0..count {
        cli.say(&news(number)).await;
    }
}
