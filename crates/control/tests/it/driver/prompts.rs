//! The states of prompts, and the errors of senders.

use std::time::Duration;

use agentwire_control::{Config, ControlError, NoResponder, PromptState};
use agentwire_protocol::{Uuid, message::UserInput};
use agentwire_transport::ExitReport;
use tokio::{
    task::yield_now,
    time::{Instant, timeout},
};

use super::{Session, ask, config, delivers, quiet, speak, start, waits};
use crate::script::lifecycle;

fn prompt(uuid: &str) -> UserInput {
    let mut prompt = UserInput::new("p".repeat(200).as_str());
    prompt.uuid = Some(Uuid::from(uuid));
    prompt
}

const RESULT: &str = r#"{"subtype":"success","is_error":false,"result":"","type":"result"}"#;

/// A session after its CLI has received these prompts.
async fn sent(config: Config, uuids: &[&str]) -> Session {
    let session = start(NoResponder::default(), config).await;
    for uuid in uuids {
        session.control.send(&prompt(uuid)).await.unwrap();
        assert_eq!(session.cli.next_line().await.unwrap()["uuid"], *uuid);
        assert_eq!(session.control.prompt_state(&Uuid::from(*uuid)), Some(PromptState::Sent));
    }
    session
}

#[tokio::test(start_paused = true)]
async fn prompt_reaches_each_final_state() {
    let Session { control, messages: _messages, cli, .. } = sent(Config::default(), &["a", "b", "c"]).await;
    let ids = ["a", "b", "c"].map(Uuid::from);
    assert!(waits(control.prompt_begun(&ids[0])).await);
    for uuid in ["a", "b", "c"] {
        cli.send_line(&lifecycle(uuid, "queued")).await;
    }
    cli.send_line(&lifecycle("a", "started")).await;
    assert_eq!(control.prompt_begun(&ids[0]).await.unwrap(), PromptState::Started);
    assert!(waits(control.prompt_settled(&ids[0])).await);
    // If the CLI reports the states of prompts, a result alone settles none.
    cli.send_line(RESULT).await;
    assert!(waits(control.prompt_settled(&ids[0])).await);
    cli.send_line(&lifecycle("a", "completed")).await;
    cli.send_line(&lifecycle("b", "cancelled")).await;
    cli.send_line(&lifecycle("c", "started")).await;
    cli.send_line(&lifecycle("c", "cancelled")).await;
    let ends = [PromptState::Completed, PromptState::Withdrawn, PromptState::Failed];
    for (id, end) in ids.iter().zip(ends) {
        assert_eq!(control.prompt_settled(id).await.unwrap(), end);
    }
    assert_eq!(control.prompt_begun(&ids[1]).await.unwrap(), PromptState::Withdrawn);
    assert!(control.names_prompts());
    assert_eq!(control.turns_ended(), 1);
}

#[tokio::test(start_paused = true)]
async fn result_settles_prompts_of_a_cli_without_prompt_states() {
    let Session { control, messages: _messages, cli, .. } = sent(Config::default(), &["a"]).await;
    cli.send_line(RESULT).await;
    assert_eq!(control.prompt_settled(&"a".into()).await.unwrap(), PromptState::Completed);
    assert!(!control.names_prompts());
}

#[tokio::test(start_paused = true)]
async fn unknown_prompt_and_ended_session_are_errors() {
    let Session { control, messages: _messages, cli, .. } = sent(Config::default(), &["a"]).await;
    let error = control.prompt_settled(&"z".into()).await.unwrap_err();
    assert!(matches!(&error, ControlError::UnknownPrompt { prompt } if prompt.as_str() == "z"), "{error:?}");
    let (settled, ()) =
        tokio::join!(async { control.prompt_settled(&"a".into()).await }, cli.end(ExitReport::exited(3)));
    assert!(matches!(settled, Err(ControlError::Closed { .. })), "{settled:?}");
}

/// The state lies behind more messages than the soft limit allows.
#[tokio::test(start_paused = true)]
async fn waiting_for_a_prompt_keeps_reading_and_loses_nothing() {
    let Session { control, mut messages, cli, .. } =
        sent(config(|config| config.unread_soft_limit = 1024), &["a"]).await;
    let speaking = tokio::spawn(async move {
        speak(cli.clone(), 500).await;
        cli.send_line(&lifecycle("a", "completed")).await;
        cli
    });
    // Dropping the wait repeatedly loses no message.
    let prompt = Uuid::from("a");
    for _ in 0..10 {
        tokio::select! {
            biased;
            _ = control.prompt_settled(&prompt) => break,
            () = yield_now() => {}
        }
    }
    assert_eq!(control.prompt_settled(&"a".into()).await.unwrap(), PromptState::Completed);
    let _cli = speaking.await.unwrap();
    delivers(&mut messages, 500).await;
}

#[tokio::test(start_paused = true)]
async fn past_the_hard_limit_senders_and_waits_for_prompts_fail() {
    let config = config(|config| {
        (config.unread_soft_limit, config.unread_hard_limit, config.write_buffer_limit) = (4096, 32_768, 100);
    });
    let Session { control, mut messages, cli, .. } = start(NoResponder::default(), config).await;
    // One prompt is being written, one is queued, and there is no room for a third.
    for uuid in ["a", "b"] {
        control.send(&prompt(uuid)).await.unwrap();
    }
    let third = prompt("c");
    let a = Uuid::from("a");
    let mut speaking = tokio::spawn(speak(cli.clone(), 2000));
    let (sent, settled) = tokio::join!(control.send(&third), control.prompt_settled(&a));
    for error in [sent.unwrap_err(), settled.unwrap_err()] {
        assert!(
            matches!(&error, ControlError::Backlogged { subtype, unread } if &**subtype == "user" && *unread > 32_768),
            "{error:?}"
        );
    }
    // So do waits that start while reading is paused, and senders of lines.
    assert!(matches!(control.send(&third).await, Err(ControlError::Backlogged { .. })));
    let line = control.send_line("{}\n".into()).await;
    assert!(
        matches!(&line, Err(ControlError::Backlogged { subtype, .. }) if &**subtype == "line"),
        "{line:?}"
    );
    assert!(waits(&mut speaking).await);
    delivers(&mut messages, 2000).await;
    speaking.await.unwrap();
    // Refused prompts were not sent, and sent ones are not lost.
    for uuid in ["a", "b"] {
        assert_eq!(cli.next_line().await.unwrap()["uuid"], uuid);
    }
    assert!(waits(cli.next_line()).await);
    control.send(&third).await.unwrap();
    assert_eq!(cli.next_line().await.unwrap()["uuid"], "c");
}

#[tokio::test(start_paused = true)]
async fn oldest_of_very_many_prompts_are_forgotten() {
    let Session { control, messages: _messages, cli, .. } = quiet().await;
    let hearing = tokio::spawn(async move { while cli.next_line().await.is_some() {} });
    for number in 0..5000 {
        control.send(&prompt(&number.to_string())).await.unwrap();
    }
    assert_eq!(control.prompt_state(&"0".into()), None);
    assert_eq!(control.prompt_state(&"4999".into()), Some(PromptState::Sent));
    drop(control);
    hearing.abort();
}

#[tokio::test(start_paused = true)]
async fn wait_for_a_forgotten_prompt_fails() {
    let Session { control, messages: _messages, cli, .. } = quiet().await;
    let hearing = tokio::spawn(async move { while cli.next_line().await.is_some() {} });
    control.send(&prompt("first")).await.unwrap();
    let waiting = control.clone();
    let first = tokio::spawn(async move { waiting.prompt_settled(&"first".into()).await });
    yield_now().await;
    for number in 0..5000 {
        control.send_now(&prompt(&number.to_string())).unwrap();
        yield_now().await;
    }
    let error = timeout(Duration::from_secs(60), first).await.unwrap().unwrap().unwrap_err();
    assert!(matches!(error, ControlError::UnknownPrompt { .. }), "{error:?}");
    hearing.abort();
}

async fn quiet_with(write_buffer_limit: usize) -> Session {
    start(NoResponder::default(), config(|config| config.write_buffer_limit = write_buffer_limit)).await
}

/// A session with a CLI that reads no input, and two queued prompts, so that a third one waits.
async fn full() -> Session {
    let session = quiet_with(10).await;
    for uuid in ["a", "b"] {
        session.control.send(&prompt(uuid)).await.unwrap();
    }
    session
}

#[tokio::test(start_paused = true)]
async fn ended_input_is_not_ready() {
    let Session { control, messages: _messages, cli: _cli, .. } = quiet().await;
    control.end_input();
    let error = control.ready().await.unwrap_err();
    assert!(matches!(error, ControlError::InputEnded { .. }), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn prompt_that_finds_no_room_is_not_sent() {
    let Session { control, messages: _messages, cli, .. } = full().await;
    let start = Instant::now();
    let error = control.send(&prompt("c")).await.unwrap_err();
    let limit = Config::default().call_limit;
    let ControlError::NotSent { subtype, after, waiting } = &error else { panic!("{error:?}") };
    assert_eq!((&**subtype, *after, start.elapsed() >= limit), ("user", limit, true));
    assert!(*waiting > 200, "{waiting}");
    assert!(error.to_string().contains("was not sent"), "{error}");
    let error = control.ready().await.unwrap_err();
    assert!(matches!(error, ControlError::NotSent { .. }), "{error:?}");
    let error = control.send_line("{}\n".into()).await.unwrap_err();
    assert!(matches!(error, ControlError::NotSent { .. }), "{error:?}");
    assert_eq!(control.prompt_state(&"c".into()), None);
    // When the CLI reads, queued prompts arrive, and a prompt that is sent again arrives once.
    let sending = control.clone();
    let sending = tokio::spawn(async move { sending.send(&prompt("c")).await });
    for uuid in ["a", "b", "c"] {
        assert_eq!(cli.next_line().await.unwrap()["uuid"], uuid);
    }
    sending.await.unwrap().unwrap();
    control.end_input();
    assert!(cli.next_line().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn sender_goes_on_when_a_queued_call_is_dropped() {
    let Session { control, messages: _messages, cli, .. } = quiet_with(10).await;
    control.send(&prompt("a")).await.unwrap();
    yield_now().await;
    let calling = control.clone();
    let calling = tokio::spawn(async move { ask(&calling).await });
    yield_now().await;
    let sending = control.clone();
    let mut sending = tokio::spawn(async move { sending.send(&prompt("b")).await });
    assert!(waits(&mut sending).await);
    calling.abort();
    assert!(!waits(&mut sending).await);
    for uuid in ["a", "b"] {
        assert_eq!(cli.next_line().await.unwrap()["uuid"], uuid);
    }
}

#[tokio::test(start_paused = true)]
async fn each_sender_waits_for_its_own_limit() {
    let Session { control, messages: _messages, cli, .. } = full().await;
    let start = Instant::now();
    let send = |uuid: &'static str, limit: u64| {
        let control = control.within(Duration::from_secs(limit));
        tokio::spawn(async move { (control.send(&prompt(uuid)).await, start.elapsed().as_secs()) })
    };
    let (long, short, longest) = (send("d", 20), send("e", 5), send("f", u64::MAX));
    // The first deadline belongs to a sender that is gone by then.
    let brief = control.within(Duration::from_secs(1));
    assert!(timeout(Duration::from_millis(1), brief.send(&prompt("g"))).await.is_err());
    let (ended, after) = short.await.unwrap();
    assert!(matches!(ended, Err(ControlError::NotSent { .. })) && after == 5, "{ended:?} after {after} s");
    let (ended, after) = long.await.unwrap();
    assert!(matches!(ended, Err(ControlError::NotSent { .. })) && after == 20, "{ended:?} after {after} s");
    for uuid in ["a", "b", "f"] {
        assert_eq!(cli.next_line().await.unwrap()["uuid"], uuid);
    }
    longest.await.unwrap().0.unwrap();
}
