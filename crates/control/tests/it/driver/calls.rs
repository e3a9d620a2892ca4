//! Calls: each gets its own reply, and a dropped one is cancelled.

use std::{sync::Arc, time::Duration};

use agentwire_control::{Config, Connection, ControlError, NoResponder, connect};
use agentwire_protocol::{control::SetModel, message::UserInput};
use tokio::{task::JoinSet, time::Instant};

use super::{
    Session, ask, config, delivers, link, news, next, quiet, shuffled, speak, start, start_with, waits,
};
use crate::script::success;

#[tokio::test(start_paused = true)]
async fn a_call_completes_while_two_thousand_messages_are_unread() {
    for unread_soft_limit in [64, 1 << 20] {
        let config = config(|config| config.unread_soft_limit = unread_soft_limit);
        let Session { control, mut messages, cli, .. } = start(NoResponder::default(), config).await;
        let speaker = cli.clone();
        let writer = tokio::spawn(async move {
            speak(speaker.clone(), 2000).await;
            let id = speaker.next_request_id().await;
            speaker.send_line(&success(&id, r#"{"done":true}"#)).await;
        });
        assert_eq!(ask(&control).await.unwrap().as_str(), r#"{"done":true}"#);
        writer.await.unwrap();
        delivers(&mut messages, 2000).await;
        assert!(waits(messages.next()).await);
    }
}

#[tokio::test(start_paused = true)]
async fn twenty_calls_at_once_are_answered_in_any_order() {
    let Session { control, messages: _messages, cli, .. } = quiet().await;
    let mut calls = JoinSet::new();
    for number in 0..20 {
        let control = control.clone();
        calls.spawn(async move {
            let request = format!(r#"{{"subtype":"ask","n":{number}}}"#);
            let reply = control.call_raw("ask", &agentwire_protocol::RawJson::parse(request).unwrap()).await;
            (number.to_string(), reply.unwrap().as_str().to_owned())
        });
    }
    let mut asked = Vec::new();
    for _ in 0..20 {
        let request = cli.next_line().await.unwrap();
        asked.push((request["request_id"].as_str().unwrap().to_owned(), request["request"]["n"].to_string()));
    }
    for number in shuffled(20) {
        let (id, reply) = &asked[number];
        cli.send_line(&success(id, reply)).await;
    }
    for (asked, answered) in calls.join_all().await {
        assert_eq!(asked, answered);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn calls_from_many_threads_are_answered() {
    let Session { control, messages: _messages, cli, .. } =
        start_with(16, NoResponder::default(), Config::default()).await;
    let answering = tokio::spawn(async move {
        for _ in 0..1000 {
            let request = cli.next_line().await.unwrap();
            let id = request["request_id"].as_str().unwrap();
            cli.send_line(&success(id, &request["request"]["n"].to_string())).await;
        }
        cli
    });
    let mut tasks = JoinSet::new();
    for task in 0..20 {
        let control = control.clone();
        tasks.spawn(async move {
            for turn in 0..50 {
                let number = task * 50 + turn;
                let request = format!(r#"{{"subtype":"ask","n":{number}}}"#);
                let request = agentwire_protocol::RawJson::parse(request).unwrap();
                let reply = control.call_raw("ask", &request).await.unwrap();
                assert_eq!(reply.as_str(), number.to_string());
            }
        });
    }
    tasks.join_all().await;
    answering.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn dropped_call_is_cancelled_and_its_late_reply_ignored() {
    let Session { control, mut messages, cli, .. } = quiet().await;
    let call = tokio::spawn({
        let control = control.clone();
        async move { ask(&control).await }
    });
    let id = cli.next_request_id().await;
    let before = Instant::now();
    call.abort();
    let cancelled = cli.next_line().await.unwrap();
    assert_eq!(before.elapsed(), Duration::ZERO, "that was its limit");
    assert_eq!(cancelled["type"], "control_cancel_request");
    assert_eq!(cancelled["request_id"], *id);
    cli.send_line(&success(&id, "{}")).await;
    cli.send_line(&news(1)).await;
    assert_eq!(next(&mut messages).await, news(1));
}

#[tokio::test(start_paused = true)]
async fn time_limit_of_any_length_is_accepted() {
    let Session { control, messages: _messages, cli, .. } = quiet().await;
    let call = tokio::spawn(async move { control.within(Duration::MAX).call(&SetModel::new(None)).await });
    let id = cli.next_request_id().await;
    assert!(waits(cli.next_line()).await);
    cli.send_line(&success(&id, r#"{"model":"m"}"#)).await;
    assert_eq!(call.await.unwrap().unwrap().model.as_deref(), Some("m"));
}

#[tokio::test(start_paused = true)]
async fn a_reply_of_the_wrong_shape_is_an_error_with_the_reply() {
    let Session { control, messages: _messages, cli, .. } = quiet().await;
    let call = tokio::spawn(async move { control.call(&SetModel::new(None)).await });
    let id = cli.next_request_id().await;
    cli.send_line(&success(&id, r#"{"model":7}"#)).await;
    let error = call.await.unwrap().unwrap_err();
    let ControlError::BadReply { line: Some(line), .. } = &error else { panic!("{error:?}") };
    assert_eq!(line.to_str().unwrap(), r#"{"model":7}"#);
}

#[tokio::test(start_paused = true)]
async fn a_large_prompt_goes_out_while_the_cli_writes_and_does_not_read() {
    let Session { control, mut messages, cli, .. } = quiet().await;
    let prompt = "p".repeat(50_000);
    control.send(&UserInput::new(prompt.as_str())).await.unwrap();
    // The CLI writes everything before it reads.
    let long = format!(r#"{{"type":"news","x":"{}"}}"#, "y".repeat(50_000));
    cli.send_line(&long).await;
    assert_eq!(next(&mut messages).await, long);
    assert_eq!(cli.next_line().await.unwrap()["message"]["content"], *prompt);
}

#[tokio::test(start_paused = true)]
async fn senders_wait_for_room_and_a_dropped_one_has_sent_nothing() {
    let config = config(|config| config.write_buffer_limit = 100);
    let Session { control, messages: _messages, cli, .. } = start(NoResponder::default(), config).await;
    let prompt = |text: &str| UserInput::new(format!("{text}{}", "x".repeat(200)).as_str());
    // The first prompt is being written, and the second is queued.
    control.send(&prompt("one")).await.unwrap();
    control.send(&prompt("two")).await.unwrap();
    assert!(waits(control.send(&prompt("never"))).await);
    assert!(waits(ask(&control)).await);
    let sending = tokio::spawn({
        let (control, prompt) = (control.clone(), prompt("three"));
        async move { control.send(&prompt).await }
    });
    for text in ["one", "two", "three"] {
        let line = cli.next_line().await.unwrap();
        assert!(line["message"]["content"].as_str().unwrap().starts_with(text), "{line}");
    }
    sending.await.unwrap().unwrap();
    assert!(waits(cli.next_line()).await);
}

/// The CLI writes more than the soft limit before it reads.
#[tokio::test(start_paused = true)]
async fn call_behind_unread_prompts_gets_its_reply() {
    let Session { control, mut messages, cli, .. } = start(NoResponder::default(), tight()).await;
    control.send(&UserInput::new("p".repeat(200).as_str())).await.unwrap();
    control.send(&UserInput::new("p".repeat(200).as_str())).await.unwrap();
    let speaking = tokio::spawn(async move {
        speak(cli.clone(), 500).await;
        for _ in 0..2 {
            assert_eq!(cli.next_line().await.unwrap()["type"], "user");
        }
        let id = cli.next_request_id().await;
        cli.send_line(&success(&id, "{}")).await;
        cli
    });
    ask(&control).await.unwrap();
    let _cli = speaking.await.unwrap();
    delivers(&mut messages, 500).await;
}

#[tokio::test(start_paused = true)]
async fn call_behind_prompts_that_are_never_read_times_out() {
    let Session { control, messages: _messages, cli, .. } = start(NoResponder::default(), tight()).await;
    control.send(&UserInput::new("p".repeat(200).as_str())).await.unwrap();
    control.send(&UserInput::new("p".repeat(200).as_str())).await.unwrap();
    let before = Instant::now();
    let error = control.within(Duration::from_secs(7)).call(&SetModel::new(None)).await.unwrap_err();
    assert!(matches!(error, ControlError::TimedOut { .. }), "{error:?}");
    assert_eq!(before.elapsed().as_secs(), 7);
    drop(cli);
}

#[tokio::test(start_paused = true)]
async fn a_sender_that_waits_for_room_does_not_stop_reading() {
    let Session { control, mut messages, cli, .. } = start(NoResponder::default(), tight()).await;
    let speaking = tokio::spawn(async move {
        speak(cli.clone(), 500).await;
        for _ in 0..3 {
            assert_eq!(cli.next_line().await.unwrap()["type"], "user");
        }
        cli
    });
    for _ in 0..3 {
        control.send(&UserInput::new("p".repeat(200).as_str())).await.unwrap();
    }
    let cli = speaking.await.unwrap();
    // Without a waiting sender, reading stops at the soft limit again.
    assert!(waits(async { while cli.peer.write(format!("{}\n", news(0))).await.is_ok() {} }).await);
    assert_eq!(next(&mut messages).await, news(0));
}

/// Limits that a few lines exceed.
fn tight() -> Config {
    config(|config| (config.write_buffer_limit, config.unread_soft_limit) = (100, 1024))
}

#[tokio::test(start_paused = true)]
async fn input_ends_after_all_queued_lines() {
    let Session { control, mut messages, cli, .. } = quiet().await;
    control.send(&UserInput::new("one")).await.unwrap();
    control.send(&UserInput::new("two")).await.unwrap();
    control.end_input();
    control.end_input();
    assert!(matches!(control.send(&UserInput::new("x")).await, Err(ControlError::InputEnded { .. })));
    assert!(matches!(ask(&control).await, Err(ControlError::InputEnded { .. })));
    assert_eq!(cli.next_line().await.unwrap()["message"]["content"], "one");
    assert_eq!(cli.next_line().await.unwrap()["message"]["content"], "two");
    assert_eq!(cli.next_line().await, None);
    cli.send_line(&news(1)).await;
    assert_eq!(next(&mut messages).await, news(1));
}

#[tokio::test(start_paused = true)]
async fn a_dropped_next_loses_nothing() {
    let Session { control: _control, mut messages, cli, .. } = quiet().await;
    let speaking = tokio::spawn(async move {
        speak(cli.clone(), 100).await;
        cli
    });
    let mut got = Vec::new();
    while got.len() < 100 {
        tokio::select! {
            biased;
            text = next(&mut messages) => got.push(text),
            () = tokio::task::yield_now() => {}
        }
    }
    assert_eq!(got, (0..100).map(news).collect::<Vec<_>>());
    drop(speaking.await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn session_queues_calls_before_its_driver_is_polled() {
    let (link, cli) = link(1).await;
    let Connection { control, messages: _messages, driver } =
        connect(link, Arc::new(NoResponder::default()), Config::default());
    let call = tokio::spawn(async move { ask(&control).await });
    tokio::task::yield_now().await;
    let _driver = tokio::spawn(driver.run());
    let id = cli.next_request_id().await;
    cli.send_line(&success(&id, "{}")).await;
    call.await.unwrap().unwrap();
}
