//! A peer that takes no more input, but may still send output.

use std::{future::pending, time::Duration};

use agentwire_control::{Config, ControlError, NoResponder};
use agentwire_protocol::message::UserInput;
use agentwire_transport::ExitReport;
use tokio::time::Instant;

use super::{asking, ended};
use crate::driver::{Session, With, ask, config, news, next, quiet, start, start_with};
use crate::script::{ERROR_RESULT, RESULT, inbound};

#[tokio::test(start_paused = true)]
async fn last_message_of_a_peer_that_refuses_input_is_the_cause() {
    let Session { control, mut messages, cli, .. } = quiet().await;
    cli.peer.close_input();
    let call = asking(&control);
    assert!(tokio::time::timeout(Duration::from_secs(1), next(&mut messages)).await.is_err());
    cli.send_line(ERROR_RESULT).await;
    cli.end(ExitReport::exited(1)).await;
    assert_eq!(call.await.unwrap().to_string(), "No such session (exit code 1)");
}

#[tokio::test(start_paused = true)]
async fn peer_that_closes_its_input_fails_calls_in_time_and_is_still_read() {
    let Session { control, mut messages, cli, .. } = quiet().await;
    cli.peer.close_input();
    let before = Instant::now();
    let ending = asking(&control).await.unwrap();
    assert_eq!(ending.to_string(), "the session ended (the transport failed: the peer's input is closed)");
    assert_eq!(before.elapsed().as_secs(), 5);
    assert!(matches!(control.send(&UserInput::new("x")).await, Err(ControlError::Closed { .. })));
    assert!(matches!(ask(&control).await, Err(ControlError::Closed { .. })));
    for number in 0..100 {
        cli.send_line(&inbound(&number.to_string())).await;
        cli.send_line(&news(number)).await;
        assert!(next(&mut messages).await.starts_with("unhandled"));
        assert_eq!(next(&mut messages).await, news(number));
    }
    cli.end(ExitReport::exited(0)).await;
    assert_eq!(ended(&mut messages).await.exit, Some(ExitReport::exited(0)));
}

#[tokio::test(start_paused = true)]
async fn call_after_an_unnoticed_crash_gets_the_cause() {
    let Session { control, messages: _messages, cli, .. } = quiet().await;
    cli.peer.close_input();
    let one = asking(&control);
    crate::clock::pass(Duration::from_secs(1)).await;
    let two = asking(&control);
    let sending = tokio::spawn({
        let control = control.clone();
        async move { control.send(&UserInput::new("x")).await }
    });
    crate::clock::pass(Duration::from_secs(1)).await;
    cli.end(ExitReport::exited(9).with_stderr_tail("boom")).await;
    let expected = "the session ended (exit code 9, stderr: boom)";
    assert_eq!(one.await.unwrap().to_string(), expected);
    assert_eq!(two.await.unwrap().to_string(), expected);
    let Err(ControlError::Closed { ending, .. }) = sending.await.unwrap() else { panic!("sent") };
    assert_eq!(ending.to_string(), expected);
}

#[tokio::test(start_paused = true)]
async fn later_call_to_a_peer_that_closed_its_input_fails_in_time() {
    let Session { control, messages: _messages, cli, .. } = quiet().await;
    cli.peer.close_input();
    let before = Instant::now();
    let one = asking(&control);
    crate::clock::pass(Duration::from_secs(1)).await;
    let two = asking(&control);
    assert!(matches!(control.send(&UserInput::new("x")).await, Err(ControlError::Closed { .. })));
    assert_eq!(one.await.unwrap(), two.await.unwrap());
    assert_eq!(before.elapsed().as_secs(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_prompt_that_the_peer_refuses_ends_the_session() {
    let Session { control, mut messages, cli, driver } = quiet().await;
    cli.peer.close_input();
    let before = Instant::now();
    control.send(&UserInput::new("x")).await.unwrap();
    assert_eq!(next(&mut messages).await, "TurnEnded(NoResult)");
    let ending = ended(&mut messages).await;
    assert!(ending.in_turn);
    assert_eq!(ending.transport.as_deref(), Some("the transport failed: the peer's input is closed"));
    driver.await.unwrap();
    assert_eq!(before.elapsed().as_secs(), 5);
    cli.peer.released().await;
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_refused_a_prompt_is_read_until_it_falls_silent() {
    let Session { control, mut messages, cli, driver } = quiet().await;
    cli.peer.close_input();
    let before = Instant::now();
    control.send(&UserInput::new("x")).await.unwrap();
    for number in 0..5 {
        crate::clock::pass(Duration::from_secs(3)).await;
        cli.send_line(&news(number)).await;
        assert_eq!(next(&mut messages).await, news(number));
    }
    assert_eq!(next(&mut messages).await, "TurnEnded(NoResult)");
    driver.await.unwrap();
    assert_eq!(before.elapsed().as_secs(), 20);
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_refused_a_prompt_is_not_silent_while_the_user_does_not_read() {
    let config = config(|config| config.unread_soft_limit = 1000);
    let Session { control, mut messages, cli, .. } =
        start_with(1 << 20, NoResponder::default(), config).await;
    cli.peer.close_input();
    let line = |number| format!(r#"{{"type":"news","n":{number},"x":"{}"}}"#, "y".repeat(5000));
    for number in 0..20 {
        cli.send_line(&line(number)).await;
    }
    control.send(&UserInput::new("x")).await.unwrap();
    for number in 0..20 {
        crate::clock::pass(Duration::from_secs(10)).await;
        assert_eq!(next(&mut messages).await, line(number));
    }
    assert_eq!(next(&mut messages).await, "TurnEnded(NoResult)");
}

#[tokio::test(start_paused = true)]
async fn result_of_a_written_prompt_is_awaited_after_a_failed_write() {
    let Session { control, mut messages, cli, .. } = quiet().await;
    control.send(&UserInput::new("x")).await.unwrap();
    cli.next_line().await.unwrap();
    cli.peer.close_input();
    asking(&control).await.unwrap();
    crate::clock::pass(Duration::from_secs(100)).await;
    cli.send_line(RESULT).await;
    assert_eq!(next(&mut messages).await, RESULT);
    assert_eq!(next(&mut messages).await, "TurnEnded(Result)");
}

#[tokio::test(start_paused = true)]
async fn peer_that_waits_for_a_lost_answer_does_not_keep_the_session() {
    for request_comes_first in [true, false] {
        let Session { control, mut messages, cli, .. } = quiet().await;
        control.send(&UserInput::new("x")).await.unwrap();
        cli.next_line().await.unwrap();
        cli.peer.close_input();
        if !request_comes_first {
            asking(&control).await.unwrap();
            crate::clock::pass(Duration::from_secs(100)).await;
        }
        let before = Instant::now();
        cli.send_line(&inbound("a")).await;
        assert_eq!(next(&mut messages).await, format!("unhandled {}", inbound("a")));
        assert_eq!(next(&mut messages).await, "TurnEnded(NoResult)");
        assert_eq!(before.elapsed().as_secs(), 5);
        let ending = ended(&mut messages).await;
        assert!(ending.to_string().contains("the peer's input is closed"), "{ending}");
    }
}

#[tokio::test(start_paused = true)]
async fn peer_with_an_open_request_does_not_keep_the_session_after_another_line_is_lost() {
    let responder = With(|_| pending());
    let Session { control, mut messages, cli, .. } = start(responder, Config::default()).await;
    control.send(&UserInput::new("x")).await.unwrap();
    cli.next_line().await.unwrap();
    cli.send_line(&inbound("a")).await;
    crate::clock::pass(Duration::from_secs(1)).await;
    cli.peer.close_input();
    asking(&control).await.unwrap();
    assert_eq!(next(&mut messages).await, "TurnEnded(NoResult)");
}
