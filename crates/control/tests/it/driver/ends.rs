//! The ends of the peer, its pipes, the driver and the handles. Each one wakes all waiting tasks.

mod lost_input;

use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex, OnceLock},
    task::{Context, Waker},
    time::Duration,
};

use agentwire_control::{
    Config, Connection, Control, ControlError, Messages, NoResponder, SessionExit, connect,
};
use agentwire_protocol::message::UserInput;
use agentwire_transport::{Connected, ExitReport, MemoryPeerHandle, PeerHandle, TransportError};
use tokio::{task::JoinHandle, time::Instant};

use super::{Session, ask, config, link, news, next, quiet, start_process, start_with, waits};
use crate::script::success;

fn asking(control: &Control) -> JoinHandle<Arc<SessionExit>> {
    let control = control.clone();
    tokio::spawn(async move {
        match ask(&control).await {
            Err(ControlError::Closed { ending, .. }) => ending,
            other => panic!("{other:?}"),
        }
    })
}

async fn ended(messages: &mut Messages) -> Arc<SessionExit> {
    let ending = messages.next().await.unwrap_err();
    assert_eq!(messages.next().await.unwrap_err(), ending);
    ending
}

#[tokio::test(start_paused = true)]
async fn crash_reaches_every_waiter_after_the_last_output() {
    let Session { control, mut messages, cli, driver } = quiet().await;
    control.send(&UserInput::new("x")).await.unwrap();
    cli.next_line().await.unwrap();
    let (one, two) = (asking(&control), asking(&control));
    cli.next_request_id().await;
    cli.next_request_id().await;
    cli.send_line(&news(0)).await;
    cli.peer.write(news(1)).await.unwrap();
    let before = Instant::now();
    cli.end(ExitReport::exited(9).with_stderr_tail("boom")).await;
    let expected =
        "the session ended in the middle of a turn, which has no result (exit code 9, stderr: boom)";
    assert_eq!(one.await.unwrap().to_string(), expected);
    assert_eq!(two.await.unwrap().to_string(), expected);
    assert_eq!(next(&mut messages).await, news(0));
    assert_eq!(next(&mut messages).await, news(1));
    assert_eq!(next(&mut messages).await, "TurnEnded(NoResult)");
    assert_eq!(ended(&mut messages).await.to_string(), expected);
    driver.await.unwrap();
    assert!(before.elapsed() < Duration::from_millis(10));
    assert!(matches!(ask(&control).await, Err(ControlError::Closed { .. })));
    assert!(matches!(control.send(&UserInput::new("x")).await, Err(ControlError::Closed { .. })));
    cli.peer.released().await;
}

#[tokio::test(start_paused = true)]
async fn stderr_of_the_handle_completes_a_report_without_stderr() {
    for output_ends in [true, false] {
        let Session { control, mut messages, cli, .. } = quiet().await;
        let call = asking(&control);
        cli.next_request_id().await;
        cli.peer.set_stderr_tail("boom\n");
        cli.peer.end(ExitReport::exited(9));
        if output_ends {
            cli.peer.close_output();
        }
        let expected = "the session ended (exit code 9, stderr: boom)";
        assert_eq!(call.await.unwrap().to_string(), expected);
        assert_eq!(ended(&mut messages).await.to_string(), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn dead_peer_with_an_open_output_is_noticed() {
    let Session { control, mut messages, cli, driver } = quiet().await;
    let call = asking(&control);
    cli.next_request_id().await;
    cli.send_line(&news(0)).await;
    cli.peer.end(ExitReport::signalled(9));
    let before = Instant::now();
    assert_eq!(call.await.unwrap().to_string(), "the session ended (ended by signal 9)");
    assert_eq!(before.elapsed().as_secs(), 5);
    assert_eq!(next(&mut messages).await, news(0));
    assert_eq!(ended(&mut messages).await.exit, Some(ExitReport::signalled(9)));
    driver.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn another_process_that_writes_does_not_keep_the_session() {
    let Session { control: _control, mut messages, cli, driver } = quiet().await;
    cli.peer.end(ExitReport::exited(0));
    let speaker = cli.clone();
    let speaking = tokio::spawn(async move {
        let mut sent = 0;
        while speaker.peer.write(format!("{}\n", news(sent))).await.is_ok() {
            sent += 1;
            crate::clock::pass(Duration::from_millis(700)).await;
        }
    });
    while messages.next().await.is_ok() {}
    driver.await.unwrap();
    speaking.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn output_of_a_dead_peer_waits_for_a_slow_reader() {
    let config = config(|config| config.unread_soft_limit = 1000);
    let Session { control: _control, mut messages, cli, .. } =
        start_with(1 << 20, NoResponder::default(), config).await;
    let line = |number| format!(r#"{{"type":"news","n":{number},"x":"{}"}}"#, "y".repeat(5000));
    for number in 0..20 {
        cli.send_line(&line(number)).await;
    }
    cli.peer.end(ExitReport::exited(0));
    for number in 0..20 {
        crate::clock::pass(Duration::from_secs(10)).await;
        assert_eq!(next(&mut messages).await, line(number));
    }
    assert_eq!(ended(&mut messages).await.exit, Some(ExitReport::exited(0)));
}

#[tokio::test(start_paused = true)]
async fn peer_that_closes_its_output_without_exiting_is_an_error() {
    let Session { control, mut messages, cli, driver } =
        start_process(NoResponder::default(), Config::default()).await;
    let call = asking(&control);
    cli.next_request_id().await;
    cli.peer.set_stderr_tail("fatal: no memory\n");
    cli.peer.close_output();
    let ending = call.await.unwrap();
    let expected = "the session ended (the CLI closed its output and did not exit, stderr: fatal: no memory)";
    assert_eq!(ending.to_string(), expected);
    assert_eq!(ended(&mut messages).await, ending);
    driver.await.unwrap();
    cli.peer.released().await;
}

/// A handle that makes a call while its session ends.
struct Asking {
    handle: MemoryPeerHandle,
    control: Arc<OnceLock<Control>>,
    call: Arc<Mutex<Option<Asked>>>,
}

type Asked = Pin<Box<dyn Future<Output = Result<(), ControlError>> + Send>>;

impl PeerHandle for Asking {
    fn has_process(&self) -> bool {
        true
    }

    fn stderr_tail(&self) -> String {
        let control = self.control.get().unwrap().clone();
        let mut call: Asked = Box::pin(async move { ask(&control).await.map(drop) });
        assert!(call.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        *self.call.lock().unwrap() = Some(call);
        self.handle.stderr_tail()
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_while_the_session_ends_waits_for_the_cause() {
    let (Connected { source, sink, handle }, cli) = link(1).await;
    let (control, call) = (Arc::new(OnceLock::new()), Arc::new(Mutex::new(None)));
    let handle = Asking { handle, control: Arc::clone(&control), call: Arc::clone(&call) };
    let link = Connected { source, sink, handle };
    let Connection { control: own, messages, driver } =
        connect(link, Arc::new(NoResponder::default()), Config::default());
    control.set(own).unwrap();
    cli.peer.close_output();
    driver.run().await;
    let call = call.lock().unwrap().take().unwrap();
    let error = call.await.unwrap_err().to_string();
    assert!(error.contains("the CLI closed its output and did not exit"), "{error}");
    drop(messages);
}

#[tokio::test(start_paused = true)]
async fn a_peer_without_a_process_ends_with_its_output() {
    let Session { control: _control, mut messages, cli, driver } = quiet().await;
    let before = Instant::now();
    cli.peer.close_output();
    assert!(ended(&mut messages).await.is_clean());
    driver.await.unwrap();
    assert_eq!(before.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn an_exit_shortly_after_the_output_is_waited_for() {
    let Session { control: _control, mut messages, cli, .. } =
        start_process(NoResponder::default(), Config::default()).await;
    cli.peer.close_output();
    crate::clock::pass(Duration::from_secs(2)).await;
    cli.peer.end(ExitReport::exited(3));
    assert_eq!(ended(&mut messages).await.exit, Some(ExitReport::exited(3)));
}

#[tokio::test(start_paused = true)]
async fn a_read_fault_ends_the_session_with_its_cause() {
    let Session { control, mut messages, cli, driver } = quiet().await;
    let call = asking(&control);
    cli.next_request_id().await;
    cli.send_line(&news(0)).await;
    cli.peer.break_output(TransportError::Io { action: "reading", source: io::Error::other("cable cut") });
    let expected = "the session ended (the transport failed: reading failed: cable cut)";
    assert_eq!(call.await.unwrap().to_string(), expected);
    assert_eq!(next(&mut messages).await, news(0));
    assert_eq!(ended(&mut messages).await.to_string(), expected);
    driver.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn senders_that_wait_for_room_fail_at_the_end() {
    let config = config(|config| config.write_buffer_limit = 1);
    let Session { control, messages: _messages, cli, .. } =
        start_with(1, NoResponder::default(), config).await;
    let mut sending: Vec<_> = (0..5)
        .map(|_| {
            let control = control.clone();
            tokio::spawn(async move { control.send(&UserInput::new("a long prompt")).await })
        })
        .collect();
    let mut last = sending.pop().unwrap();
    assert!(waits(&mut last).await);
    cli.end(ExitReport::exited(1)).await;
    assert!(matches!(last.await.unwrap(), Err(ControlError::Closed { .. })));
}

#[tokio::test(start_paused = true)]
async fn a_driver_that_is_never_polled_ends_the_session_when_dropped() {
    let (link, cli) = link(1).await;
    let Connection { control, mut messages, driver } =
        connect(link, Arc::new(NoResponder::default()), Config::default());
    let call = asking(&control);
    tokio::task::yield_now().await;
    drop(driver);
    assert_eq!(call.await.unwrap().to_string(), "the session ended (the session was aborted)");
    assert!(!ended(&mut messages).await.is_clean());
    cli.peer.released().await;
}

#[tokio::test(start_paused = true)]
async fn a_dropped_driver_ends_calls_and_readers() {
    let Session { control, mut messages, cli, driver } = quiet().await;
    let call = asking(&control);
    cli.next_request_id().await;
    let reading = tokio::spawn(async move { ended(&mut messages).await });
    tokio::task::yield_now().await;
    driver.abort();
    assert_eq!(call.await.unwrap(), reading.await.unwrap());
    cli.peer.released().await;
    assert!(matches!(ask(&control).await, Err(ControlError::Closed { .. })));
}

#[test]
fn a_runtime_that_shuts_down_ends_the_session_for_others() {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (its, ours) = (runtime(), runtime());
    let Session { control, mut messages, cli, .. } = its.block_on(async {
        let session = quiet().await;
        tokio::task::yield_now().await;
        session
    });
    its.shutdown_background();
    ours.block_on(async {
        assert!(matches!(ask(&control).await, Err(ControlError::Closed { .. })));
        assert!(!ended(&mut messages).await.is_clean());
        cli.peer.released().await;
    });
}

#[tokio::test(start_paused = true)]
async fn session_ends_with_its_last_handle_after_all_queued_lines() {
    let Session { control, messages, cli, driver } = quiet().await;
    control.send(&UserInput::new("the last words")).await.unwrap();
    let other = control.clone();
    drop((control, messages));
    assert!(waits(cli.peer.released()).await);
    drop(other);
    assert_eq!(cli.next_line().await.unwrap()["message"]["content"], "the last words");
    assert_eq!(cli.next_line().await, None);
    cli.peer.released().await;
    driver.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_session_without_handles_does_not_wait_for_a_peer_that_does_not_read() {
    let Session { control, messages, cli, driver } = quiet().await;
    control.send(&UserInput::new("x")).await.unwrap();
    drop((control, messages));
    driver.await.unwrap();
    cli.peer.released().await;
}

#[tokio::test(start_paused = true)]
async fn messages_alone_keep_the_session() {
    let Session { control, mut messages, cli, .. } = quiet().await;
    drop(control);
    assert!(waits(cli.next_line()).await);
    cli.send_line(&news(0)).await;
    assert_eq!(next(&mut messages).await, news(0));
    cli.send_line(&success("req_1", "{}")).await;
    cli.send_line(&news(1)).await;
    assert_eq!(next(&mut messages).await, news(1));
}
