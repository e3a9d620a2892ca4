//! The end of the input while the CLI waits for answers.

use std::{future::pending, time::Duration};

use agentwire_control::{CallContext, Config, ControlError, NoResponder, RefusalFn, Reply, Responder};
use agentwire_protocol::{InboundRequest, RawJson, message::UserInput};
use agentwire_transport::{ExitReport, Signal};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use super::{HOUR, Session, config, speak, start, start_process, start_with, waits};
use crate::script::{INIT, RESULT, inbound, task};

/// A responder that never answers, and refuses open requests at the end.
struct Undecided {
    guards: bool,
}

impl Responder for Undecided {
    fn respond(&self, _: InboundRequest, _: CallContext) -> Option<Reply> {
        Some(Box::pin(pending()))
    }

    fn refusal(&self, _: &InboundRequest) -> Option<RefusalFn> {
        Some(|_| RawJson::parse(r#"{"no":true}"#).ok())
    }

    fn guards(&self) -> bool {
        self.guards
    }
}

fn refuses(line: Option<Value>, id: &str) -> bool {
    let line = line.unwrap_or_default();
    line["response"]["request_id"] == id && line["response"]["response"]["no"] == true
}

/// A session whose CLI has received this many prompts.
async fn prompted(guards: bool, prompts: usize) -> Session {
    let session = start(Undecided { guards }, Config::default()).await;
    for _ in 0..prompts {
        session.control.send(&UserInput::new("x")).await.unwrap();
        assert_eq!(session.cli.next_line().await.unwrap()["type"], "user");
    }
    session
}

#[tokio::test(start_paused = true)]
async fn open_requests_are_refused_before_the_input_ends() {
    let Session { control, messages: _messages, cli, .. } = prompted(false, 1).await;
    cli.send_line(&inbound("a")).await;
    // Until the request has arrived.
    assert!(waits(cli.next_line()).await);
    control.end_input();
    assert!(refuses(cli.next_line().await, "a"));
    assert_eq!(cli.next_line().await, None);
}

#[tokio::test(start_paused = true)]
async fn guarded_input_stays_open_and_refuses_until_the_turn_is_over() {
    let Session { control, messages: _messages, cli, .. } = prompted(true, 1).await;
    control.end_input();
    for id in ["a", "b"] {
        cli.send_line(&inbound(id)).await;
        assert!(refuses(cli.next_line().await, id));
    }
    assert!(waits(cli.next_line()).await);
    cli.send_line(RESULT).await;
    assert_eq!(cli.next_line().await, None);
}

#[tokio::test(start_paused = true)]
async fn sender_without_room_fails_as_soon_as_a_guarded_input_is_to_end() {
    let tight = config(|config| config.write_buffer_limit = 10);
    let Session { control, messages: _messages, cli: _cli, .. } =
        start(Undecided { guards: true }, tight).await;
    for text in ["a", "b"] {
        control.send(&UserInput::new(text)).await.unwrap();
    }
    let third = UserInput::new("c");
    let started = Instant::now();
    let (waiting, ()) = tokio::join!(control.send(&third), async { control.end_input() });
    for sent in [waiting, control.send(&third).await] {
        assert!(matches!(sent, Err(ControlError::InputEnded { .. })), "{sent:?}");
    }
    assert_eq!(started.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn dropped_driver_refuses_open_requests_and_stops_a_guarded_turn() {
    for guards in [false, true] {
        let Session { control: _control, messages: _messages, cli, driver } = prompted(guards, 1).await;
        cli.send_line(&inbound("a")).await;
        assert!(waits(cli.next_line()).await);
        driver.abort();
        assert!(driver.await.unwrap_err().is_cancelled());
        assert!(refuses(cli.next_line().await, "a"));
        if guards {
            let interrupt = json!({"subtype": "interrupt", "cancel_queued": true});
            assert_eq!(cli.next_line().await.unwrap()["request"], interrupt);
        }
        assert_eq!(cli.next_line().await, None);
        assert_eq!(cli.peer.terminations(), if guards { vec![Signal::Term] } else { Vec::new() });
    }
}

#[tokio::test(start_paused = true)]
async fn a_driver_that_is_dropped_while_the_cli_is_idle_only_ends_the_input() {
    let Session { control: _control, messages: _messages, cli, driver } =
        start(Undecided { guards: true }, Config::default()).await;
    assert!(waits(cli.next_line()).await);
    driver.abort();
    assert!(driver.await.unwrap_err().is_cancelled());
    assert_eq!(cli.next_line().await, None);
    assert!(cli.peer.terminations().is_empty());
}

#[tokio::test(start_paused = true)]
async fn callbacks_that_stop_reading_end_with_the_peer() {
    let tight = config(|config| (config.unread_soft_limit, config.unread_hard_limit) = (1024, 4096));
    let Session { control: _control, mut messages, cli, .. } =
        start_process(Undecided { guards: false }, tight).await;
    let asking = cli.clone();
    let asking = tokio::spawn(async move {
        // Each counts for more than a kilobyte.
        for number in 0..10 {
            asking.send_line(&inbound(&number.to_string())).await;
        }
        asking.peer.close_output();
    });
    assert!(waits(messages.next()).await);
    assert!(!asking.is_finished());
    cli.peer.end(ExitReport::exited(7));
    let ending = async { while messages.next().await.is_ok() {} };
    assert!(!waits(ending).await);
    asking.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn sender_does_not_wait_for_a_reader_when_the_peer_has_ended() {
    let tight = config(|config| (config.unread_soft_limit, config.unread_hard_limit) = (1024, 4096));
    let Session { control, messages: _messages, cli, .. } =
        start_process(Undecided { guards: false }, tight).await;
    let speaking = tokio::spawn(speak(cli.clone(), 1000));
    assert!(waits(pending::<()>()).await && !speaking.is_finished());
    cli.peer.end(ExitReport::exited(7));
    assert!(waits(pending::<()>()).await);
    let error = timeout(HOUR, control.send(&UserInput::new("x"))).await.unwrap().unwrap_err();
    assert!(matches!(error, ControlError::Backlogged { .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn request_that_no_handle_can_answer_is_refused() {
    let Session { control, messages, cli, .. } =
        start_with(1 << 16, Undecided { guards: true }, Config::default()).await;
    // The driver does not run before the handles are dropped.
    cli.send_line(&inbound("a")).await;
    drop((control, messages));
    assert!(refuses(cli.next_line().await, "a"));
}

#[tokio::test(start_paused = true)]
async fn queued_short_answers_count_with_their_overhead() {
    let tight = config(|config| (config.unread_soft_limit, config.unread_hard_limit) = (1024, 16 << 10));
    let Session { control: _control, messages, cli, .. } = start(NoResponder::default(), tight).await;
    drop(messages);
    let mut sent = 0;
    while sent < 1000 && !waits(cli.send_line(&inbound(&sent.to_string()))).await {
        sent += 1;
    }
    assert!(sent < 64, "{sent}");
}

#[tokio::test(start_paused = true)]
async fn guarded_input_ends_soon_after_a_result_that_two_prompts_share() {
    let Session { control, messages: _messages, cli, .. } = prompted(true, 2).await;
    control.end_input();
    cli.send_line(RESULT).await;
    assert!(timeout(Duration::from_millis(900), cli.next_line()).await.is_err());
    // A new turn keeps the input open.
    cli.send_line(INIT).await;
    cli.send_line(&inbound("a")).await;
    assert!(refuses(cli.next_line().await, "a"));
    assert!(waits(cli.next_line()).await);
    cli.send_line(RESULT).await;
    assert_eq!(cli.next_line().await, None);
}

#[tokio::test(start_paused = true)]
async fn guarded_input_ends_a_second_after_the_last_of_two_results() {
    // One more than there are results, as if two of them shared one.
    let Session { control, messages: _messages, cli, .. } = prompted(true, 3).await;
    control.end_input();
    let stays_open = async || timeout(Duration::from_millis(600), cli.next_line()).await.is_err();
    cli.send_line(RESULT).await;
    assert!(stays_open().await);
    cli.send_line(INIT).await;
    cli.send_line(RESULT).await;
    assert!(stays_open().await, "the second of the first result is over");
    assert_eq!(cli.next_line().await, None);
}

#[tokio::test(start_paused = true)]
async fn guarded_input_stays_open_while_a_shell_may_cause_a_turn() {
    let Session { control, messages: _messages, cli, .. } = prompted(true, 1).await;
    cli.send_line(&task("task_started", r#""task_type":"local_bash""#)).await;
    cli.send_line(RESULT).await;
    control.end_input();
    assert!(waits(cli.next_line()).await);
    // The CLI reports the end of the shell to the model, and asks about what the model does.
    cli.send_line(r#"{"type":"system","subtype":"background_tasks_changed","tasks":[]}"#).await;
    cli.send_line(INIT).await;
    cli.send_line(&inbound("a")).await;
    assert!(refuses(cli.next_line().await, "a"));
}
