//! Unread messages and unanswered requests are bounded, and nothing is lost.

use std::{
    future::pending,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    task::{Context, Wake, Waker},
    thread,
    time::Duration,
};

use agentwire_codec::Incoming;
use agentwire_control::{CallContext, Control, ControlError, NoResponder, Responder, SessionEvent};

use super::{Session, With, ask, config, delivers, news, next, quiet, speak, start, start_with, waits};
use crate::script::{cancel, inbound, success};

#[tokio::test(start_paused = true)]
async fn reading_stops_at_the_soft_limit_and_resumes_as_the_user_reads() {
    let config = config(|config| config.unread_soft_limit = 4096);
    let Session { control: _control, mut messages, cli, .. } = start(NoResponder::default(), config).await;
    let mut speaking = tokio::spawn(speak(cli, 500));
    assert!(waits(&mut speaking).await);
    delivers(&mut messages, 500).await;
    speaking.await.unwrap();
}

/// A responder that answers at once and counts its requests.
fn counted(count: &Arc<AtomicUsize>) -> impl Responder {
    let count = Arc::clone(count);
    With(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        async { Err("no".into()) }
    })
}

#[tokio::test(start_paused = true)]
async fn request_behind_unread_messages_is_answered() {
    let config = config(|config| config.unread_soft_limit = 4096);
    let seen = Arc::new(AtomicUsize::new(0));
    let responder: Vec<Box<dyn Responder>> = vec![Box::new(NoResponder::default()), Box::new(counted(&seen))];
    let Session { control: _control, mut messages, cli, .. } = start(responder, config).await;
    speak(cli.clone(), 500).await;
    cli.send_line(&inbound("a")).await;
    assert_eq!(cli.next_line().await.unwrap()["response"]["request_id"], "a");
    assert_eq!(seen.load(Ordering::Relaxed), 1);
    delivers(&mut messages, 500).await;
}

#[tokio::test(start_paused = true)]
async fn unread_messages_are_bounded_with_a_responder_too() {
    let config = config(|config| (config.unread_soft_limit, config.unread_hard_limit) = (4096, 32_768));
    let responder = counted(&Arc::default());
    let Session { control: _control, mut messages, cli, .. } = start(responder, config).await;
    let mut speaking = tokio::spawn(speak(cli, 2000));
    assert!(waits(&mut speaking).await);
    delivers(&mut messages, 2000).await;
    speaking.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn reading_stops_at_the_soft_limit_with_an_empty_list_of_responders() {
    let config = config(|config| config.unread_soft_limit = 4096);
    let responders: Vec<Box<dyn Responder>> = Vec::new();
    let Session { cli, .. } = &start(responders, config).await;
    assert!(waits(speak(cli.clone(), 500)).await);
}

#[tokio::test(start_paused = true)]
async fn unread_bytes_are_bounded_after_each_message() {
    // The router decodes news, and does not decode pieces of answers.
    for line in [news(0), piece(0)] {
        let config = config(|config| config.unread_soft_limit = 16 * 1024);
        let Session { control: _control, mut messages, cli, .. } =
            start_with(PIPE, NoResponder::default(), config).await;
        // The last read before the limit may exceed it.
        let more = PIPE / line.len() + 1;
        let sent = Arc::new(AtomicUsize::new(0));
        let speaking = tokio::spawn({
            let (sent, line) = (Arc::clone(&sent), line.clone());
            async move {
                for _ in 0..2000 {
                    cli.send_line(&line).await;
                    sent.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        all_go_on().await;
        let first = sent.load(Ordering::Relaxed);
        assert!(first < 16 * 1024 / line.len() + 2 * more, "{first} messages of {} bytes", line.len());
        let mut goes_on = false;
        for read in 0..2000 {
            // Messages that were read may count a little longer, so there may be fewer unread bytes than allowed, never more.
            let unread = sent.load(Ordering::Relaxed).saturating_sub(read);
            assert!(unread <= first + more, "{unread} messages, {first} at first");
            goes_on |= read < first && read + unread > first;
            assert_eq!(next(&mut messages).await, line);
            all_go_on().await;
        }
        assert!(goes_on, "reading went on only when all was read");
        speaking.await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn reader_that_is_dropped_repeatedly_loses_nothing() {
    let config = config(|config| config.unread_soft_limit = 4096);
    let Session { control: _control, mut messages, cli, .. } = start(NoResponder::default(), config).await;
    for number in 0..300 {
        // A dropped wait for a message does not take it: the next wait gets it.
        assert!(waits(messages.next()).await);
        let speaking = async {
            tokio::task::yield_now().await;
            cli.send_line(&piece(number)).await;
            cli.send_line(&news(number)).await;
        };
        let (read, ()) = tokio::join!(next(&mut messages), speaking);
        assert_eq!(read, piece(number));
        assert_eq!(next(&mut messages).await, news(number));
    }
}

#[tokio::test(start_paused = true)]
async fn other_tasks_run_while_thousands_of_unread_messages_are_read() {
    let config = config(|config| config.unread_soft_limit = 1 << 30);
    let Session { control: _control, mut messages, cli, .. } = start(NoResponder::default(), config).await;
    speak(cli, 2000).await;
    all_go_on().await;
    // All messages are unread now, so only the budget of this task interrupts the reading.
    let other = tokio::spawn(async {});
    delivers(&mut messages, 2000).await;
    assert!(other.is_finished());
}

#[tokio::test(start_paused = true)]
async fn pieces_of_answers_keep_their_place() {
    let Session { control: _control, mut messages, cli, .. } = quiet().await;
    let broken = r#"{"type":"stream_event","uuid":7}"#;
    let result = r#"{"type":"result"}"#;
    cli.send_line(
        &[&*news(1), &piece(2), broken, &news(3), &piece(4), result, &piece(5), "{\"type\":\"user\""]
            .join("\n"),
    )
    .await;
    cli.peer.close_output();
    let mut seen = Vec::new();
    while let Ok(delivery) = messages.next().await {
        seen.push(match &delivery {
            SessionEvent::Incoming(Incoming::Message(message, _), _) => message.kind().to_owned(),
            SessionEvent::Incoming(Incoming::Undecodable(_, line), _) => line.to_str().unwrap().to_owned(),
            other => format!("{other:?}"),
        });
    }
    let expected = ["news", "stream_event", broken, "news", "stream_event", result, "TurnEnded(Unreadable)"];
    assert_eq!(seen[..7], expected);
    assert_eq!(seen.iter().rev().take(2).collect::<Vec<_>>(), ["{\"type\":\"user\"", "stream_event"]);
}

/// Lets all other tasks run until they wait. These tests have one thread.
async fn all_go_on() {
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
}

/// A piece of an answer, which the router does not decode.
fn piece(number: usize) -> String {
    format!(
        r#"{{"type":"stream_event","uuid":"00000000-0000-4000-8000-{number:012}","session_id":"s","event":{{"type":"ping"}}}}"#
    )
}

#[tokio::test(start_paused = true)]
async fn past_the_hard_limit_calls_fail_and_no_message_is_lost() {
    let config = config(|config| (config.unread_soft_limit, config.unread_hard_limit) = (4096, 32_768));
    let Session { control, mut messages, cli, .. } = start(NoResponder::default(), config).await;
    let mut speaking = tokio::spawn(speak(cli.clone(), 1000));
    let error = ask(&control).await.unwrap_err();
    assert!(matches!(error, ControlError::Backlogged { unread, .. } if unread > 32_768), "{error:?}");
    // So does a call that starts while reading is paused.
    let error = ask(&control).await.unwrap_err();
    assert!(matches!(error, ControlError::Backlogged { .. }), "{error:?}");
    assert!(waits(&mut speaking).await);
    delivers(&mut messages, 1000).await;
    speaking.await.unwrap();
    let call = tokio::spawn(async move { ask(&control).await });
    let mut cancelled = Vec::new();
    loop {
        let line = cli.next_line().await.unwrap();
        if line["type"] == "control_cancel_request" {
            cancelled.push(line["request_id"].as_str().unwrap().to_owned());
        } else if line["request_id"] == "req_3" {
            break cli.send_line(&success("req_3", "{}")).await;
        }
    }
    call.await.unwrap().unwrap();
    // The second call was never sent.
    assert_eq!(cancelled, ["req_1"]);
}

/// A waker that reports whether another thread can lock the session's state meanwhile.
struct LocksState(Control, mpsc::Sender<bool>);

impl Wake for LocksState {
    fn wake(self: Arc<Self>) {
        let (locked, is_locked) = mpsc::channel();
        let waker = Arc::clone(&self);
        thread::spawn(move || locked.send(waker.0.is_idle()));
        self.1.send(is_locked.recv_timeout(Duration::from_secs(10)).is_ok()).unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn hard_limit_wakes_tasks_after_it_has_released_the_lock() {
    let config = config(|config| (config.unread_soft_limit, config.unread_hard_limit) = (4096, 32_768));
    let Session { control, messages: _messages, cli, .. } = start(counted(&Arc::default()), config).await;
    let (can_lock, woken) = mpsc::channel();
    let waker = Waker::from(Arc::new(LocksState(control.clone(), can_lock)));
    let mut ended = pin!(control.ended());
    assert!(ended.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    assert!(waits(speak(cli, 2000)).await);
    assert_eq!(woken.try_recv(), Ok(true));
}

#[tokio::test(start_paused = true)]
async fn unanswered_requests_are_bounded() {
    let config = config(|config| (config.unread_soft_limit, config.unread_hard_limit) = (1024, 64 * 1024));
    let Session { cli, .. } = &start(With(|_| pending()), config).await;
    let asking = async {
        for number in 0..1000 {
            cli.send_line(&inbound(&number.to_string())).await;
        }
    };
    assert!(waits(asking).await);
}

#[tokio::test(start_paused = true)]
async fn unread_answers_are_bounded_and_none_is_lost() {
    let responder = With(|_| async { Err("x".repeat(1000).into()) });
    let config = config(|config| (config.unread_soft_limit, config.unread_hard_limit) = (1024, 16 * 1024));
    let Session { cli, .. } = &start(responder, config).await;
    let asking = cli.clone();
    let mut asking = tokio::spawn(async move {
        for number in 0..200 {
            asking.send_line(&inbound(&number.to_string())).await;
        }
    });
    assert!(waits(&mut asking).await);
    for _ in 0..200 {
        assert_eq!(cli.next_line().await.unwrap()["response"]["subtype"], "error");
    }
    asking.await.unwrap();
}

/// A responder that makes a call before it answers, and answers with its outcome.
fn nested() -> impl Responder {
    With(|context: CallContext| async move {
        ask(&context.control).await.map_err(|error| format!("{error:?}").into())
    })
}

#[tokio::test(start_paused = true)]
async fn request_above_the_hard_limit_can_make_calls() {
    let config = config(|config| (config.unread_soft_limit, config.unread_hard_limit) = (1024, 4096));
    let Session { cli, .. } = &start(nested(), config).await;
    cli.send_line(&large("a")).await;
    let id = cli.next_request_id().await;
    cli.send_line(&success(&id, "[1]")).await;
    assert_eq!(cli.next_line().await.unwrap()["response"]["response"].to_string(), "[1]");
}

#[tokio::test(start_paused = true)]
async fn calls_of_callbacks_that_stop_reading_fail() {
    let config = config(|config| (config.unread_soft_limit, config.unread_hard_limit) = (1024, 4096));
    let Session { cli, .. } = &start_with(1 << 20, nested(), config).await;
    cli.send_line(&large("a")).await;
    cli.send_line(&large("b")).await;
    let mut answers = Vec::new();
    while answers.len() < 2 {
        let line = cli.next_line().await.unwrap();
        if line["type"] == "control_response" {
            answers.push(line["response"]["error"].to_string());
        } else if line["type"] == "control_request" {
            cli.send_line(&success(line["request_id"].as_str().unwrap(), "{}")).await;
        }
    }
    // After the error of the first request, the other one is open alone and gets its reply.
    assert!(answers[0].contains("Backlogged"), "{answers:?}");
    assert!(!answers[1].contains("TimedOut"), "{answers:?}");
}

fn large(id: &str) -> String {
    inbound(id).replace("new_thing", &format!(r#"new_thing","x":"{}"#, "x".repeat(8192)))
}

#[tokio::test(start_paused = true)]
async fn session_goes_on_without_a_reader() {
    let config = config(|config| config.unread_soft_limit = 4096);
    let Session { control, messages, cli, .. } = start(NoResponder::default(), config).await;
    let mut speaking = tokio::spawn(speak(cli.clone(), 500));
    assert!(waits(&mut speaking).await);
    drop(messages);
    speaking.await.unwrap();
    cli.send_line(&inbound("a")).await;
    assert_eq!(cli.next_line().await.unwrap()["response"]["request_id"], "a");
    cli.send_line(&cancel("a")).await;
    let call = tokio::spawn(async move { ask(&control).await });
    let id = cli.next_request_id().await;
    cli.send_line(&success(&id, "{}")).await;
    call.await.unwrap().unwrap();
}

/// The capacity of a pipe, in bytes.
const PIPE: usize = 1024;
