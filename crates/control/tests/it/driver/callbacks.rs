//! Callbacks run concurrently and isolated, can be cancelled, and never leak.

use std::{
    future::pending,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Wake, Waker},
    time::Duration,
};

use agentwire_control::{CallContext, CallbackError, Config, NoResponder, RefusalFn, Reply, Responder};
use agentwire_protocol::{InboundRequest, RawJson};
use agentwire_transport::ExitReport;
use serde_json::json;
use tokio::sync::{Barrier, mpsc, oneshot};

use super::{Session, With, ask, news, next, quiet, speak, start, start_with, waits};
use crate::script::{cancel, inbound, success};

fn done() -> Result<RawJson, CallbackError> {
    Ok(RawJson::empty_object())
}

#[tokio::test(start_paused = true)]
async fn fifty_callbacks_run_at_once() {
    let barrier = Arc::new(Barrier::new(50));
    let responder = With(move |_| {
        let barrier = Arc::clone(&barrier);
        async move {
            barrier.wait().await;
            done()
        }
    });
    let Session { cli, .. } = &start(responder, Config::default()).await;
    for number in 0..50 {
        cli.send_line(&inbound(&number.to_string())).await;
    }
    let mut answered = Vec::new();
    for _ in 0..50 {
        let answer = cli.next_line().await.unwrap();
        assert_eq!(answer["response"]["subtype"], "success");
        answered.push(answer["response"]["request_id"].as_str().unwrap().parse::<usize>().unwrap());
    }
    answered.sort_unstable();
    assert_eq!(answered, (0..50).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn callback_does_not_wake_the_reader() {
    #[derive(Default)]
    struct Woken(AtomicUsize);
    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let responder = With(|_| async { done() });
    let Session { control: _control, mut messages, cli, .. } = start(responder, Config::default()).await;
    let woken = Arc::<Woken>::default();
    let waker = Waker::from(Arc::clone(&woken));
    assert!(messages.poll_next(&mut Context::from_waker(&waker)).is_pending());
    for (number, wakes) in [(0, 0), (1, 0), (2, 0), (3, 1)] {
        if wakes > 0 {
            cli.send_line(&news(1)).await;
        }
        cli.send_line(&inbound(&number.to_string())).await;
        assert_eq!(cli.next_line().await.unwrap()["response"]["subtype"], "success");
        assert_eq!(woken.0.load(Ordering::SeqCst), wakes);
    }
}

#[tokio::test(start_paused = true)]
async fn callback_can_make_calls() {
    let responder = With(|context: CallContext| async move {
        ask(&context.control).await.map_err(|error| error.to_string().into())
    });
    let Session { cli, .. } = &start(responder, Config::default()).await;
    cli.send_line(&inbound("a")).await;
    let id = cli.next_request_id().await;
    // The reply lies behind unread messages.
    speak(cli.clone(), 100).await;
    cli.send_line(&success(&id, "[1]")).await;
    let answer = cli.next_line().await.unwrap();
    assert_eq!(answer["response"]["response"].to_string(), "[1]");
}

#[tokio::test(start_paused = true)]
async fn callback_starts_before_a_later_line_of_the_same_read_cancels_it() {
    let (started, mut cancelled) = mpsc::unbounded_channel();
    let responder = With(move |context: CallContext| {
        started.send(context.cancelled.is_cancelled()).unwrap();
        async { done() }
    });
    let Session { control, messages: _messages, cli, .. } =
        start_with(1 << 16, responder, Config::default()).await;
    let call = tokio::spawn(async move { ask(&control).await });
    let id = cli.next_request_id().await;
    let list = format!(r#"}},"pending_permission_requests":[{}]}}"#, inbound("listed"));
    let reply = success(&id, "{}").replacen("}}", &list, 1);
    cli.send_line(&[reply, cancel("listed"), inbound("alone"), cancel("alone")].join("\n")).await;
    assert_eq!((cancelled.recv().await, cancelled.recv().await), (Some(false), Some(false)));
    call.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn unhandled_request_is_refused_by_name_and_shown() {
    let Session { control: _control, mut messages, cli, .. } = quiet().await;
    cli.send_line(&news(0)).await;
    cli.send_line(&format!("\u{feff}{}", inbound("a"))).await;
    cli.send_line(&news(1)).await;
    let answer = cli.next_line().await.unwrap();
    assert_eq!(answer["response"]["subtype"], "error");
    assert!(answer["response"]["error"].as_str().unwrap().contains("`new_thing`"), "{answer}");
    assert_eq!(next(&mut messages).await, news(0));
    assert_eq!(next(&mut messages).await, format!("unhandled \u{feff}{}", inbound("a")));
    assert_eq!(next(&mut messages).await, news(1));
}

#[tokio::test(start_paused = true)]
async fn panics_are_error_replies_and_other_callbacks_go_on() {
    struct Panics(&'static str);
    impl Drop for Panics {
        fn drop(&mut self) {
            panic!("{}", self.0);
        }
    }
    struct Responding;
    impl Responder for Responding {
        fn respond(&self, request: InboundRequest, context: CallContext) -> Option<Reply> {
            assert_eq!(request.kind(), "new_thing");
            match context.request_id.as_str() {
                "at once" => panic!("at once"),
                "later" => Some(Box::pin(async {
                    tokio::task::yield_now().await;
                    panic!("later")
                })),
                "when dropped" => {
                    let bomb = Panics("when dropped");
                    Some(Box::pin(async move {
                        let _bomb = bomb;
                        done()
                    }))
                }
                _ => Some(Box::pin(async { done() })),
            }
        }
    }
    let Session { cli, .. } = &start(Responding, Config::default()).await;
    for id in ["at once", "later", "when dropped"] {
        cli.send_line(&inbound(id)).await;
        let answer = cli.next_line().await.unwrap();
        assert_eq!(answer["response"]["request_id"], id);
        assert_eq!(answer["response"]["subtype"], "error", "{answer}");
        assert!(answer["response"]["error"].as_str().unwrap().contains("panicked"), "{answer}");
    }
    cli.send_line(&inbound("fine")).await;
    assert_eq!(cli.next_line().await.unwrap()["response"]["subtype"], "success");
}

#[tokio::test(start_paused = true)]
async fn a_guard_that_panics_refuses() {
    struct Guard;
    impl Responder for Guard {
        fn respond(&self, _: InboundRequest, context: CallContext) -> Option<Reply> {
            assert_ne!(context.request_id.as_str(), "at once");
            if context.request_id.as_str() == "unhandled" {
                return None;
            }
            Some(Box::pin(async { panic!("later") }))
        }
        fn refusal(&self, _: &InboundRequest) -> Option<RefusalFn> {
            Some(|why| RawJson::parse(json!({ "no": why }).to_string()).ok())
        }
    }
    let Session { cli, .. } = &start(Guard, Config::default()).await;
    for (id, why) in [("at once", "panicked"), ("later", "panicked"), ("unhandled", "no handler")] {
        cli.send_line(&inbound(id)).await;
        let answer = cli.next_line().await.unwrap();
        assert_eq!(
            (&answer["response"]["subtype"], &answer["response"]["request_id"]),
            (&json!("success"), &json!(id))
        );
        assert!(answer["response"]["response"]["no"].as_str().unwrap().contains(why), "{answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_that_panics_is_an_error() {
    struct Guard;
    impl Responder for Guard {
        fn respond(&self, _: InboundRequest, _: CallContext) -> Option<Reply> {
            None
        }
        fn refusal(&self, _: &InboundRequest) -> Option<RefusalFn> {
            Some(|_| panic!("no refusal"))
        }
    }
    let Session { cli, .. } = &start(Guard, Config::default()).await;
    cli.send_line(&inbound("a")).await;
    let answer = cli.next_line().await.unwrap();
    assert!(answer["response"]["error"].as_str().unwrap().starts_with("no handler"), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn the_text_of_a_panic_is_cut() {
    let responder = With(|_| -> Reply { Box::pin(async { panic!("{}", "ä".repeat(100_000)) }) });
    let Session { cli, .. } = &start(responder, Config::default()).await;
    cli.send_line(&inbound("a")).await;
    let answer = cli.next_line().await.unwrap();
    let text = answer["response"]["error"].as_str().unwrap();
    assert!(text.len() <= 1000 && text.len() > 990, "{} bytes", text.len());
    assert!(text.starts_with("the callback panicked: ä") && text.ends_with("ä…"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_request_after_the_end_of_input_starts_nothing_and_is_shown() {
    let responder = With(|_| -> Reply { panic!("started") });
    let Session { control, mut messages, cli, .. } = start(responder, Config::default()).await;
    control.end_input();
    assert_eq!(cli.next_line().await, None);
    cli.send_line(&inbound("a")).await;
    assert_eq!(next(&mut messages).await, format!("unhandled {}", inbound("a")));
    cli.send_line(&inbound("a")).await;
    assert_eq!(next(&mut messages).await, format!("unhandled {}", inbound("a")));
}

#[tokio::test(start_paused = true)]
async fn ignored_frames_are_counted() {
    let Session { control, mut messages, cli, .. } = quiet().await;
    cli.send_line(&success("never", "{}")).await;
    cli.send_line(&cancel("never")).await;
    cli.send_line(&news(0)).await;
    next(&mut messages).await;
    let ignored = control.ignored();
    assert_eq!((ignored.responses, ignored.cancels, ignored.duplicate_requests), (1, 1, 0));
}

#[tokio::test(start_paused = true)]
async fn cancelled_request_cancels_its_token_and_gets_no_answer() {
    let (fired, was_fired) = oneshot::channel();
    let fired = Mutex::new(Some(fired));
    let responder = With(move |context: CallContext| {
        let fired = fired.lock().unwrap().take();
        async move {
            context.cancelled.cancelled().await;
            fired.unwrap().send(()).unwrap();
            done()
        }
    });
    let Session { cli, .. } = &start(responder, Config::default()).await;
    cli.send_line(&inbound("a")).await;
    cli.send_line(&cancel("a")).await;
    was_fired.await.unwrap();
    assert!(waits(cli.next_line()).await);
}

#[tokio::test(start_paused = true)]
async fn requests_and_cancellations_in_one_batch_keep_their_order() {
    let began = Arc::new(Mutex::new(Vec::new()));
    let book = Arc::clone(&began);
    let responder = With(move |context: CallContext| {
        let mut began = book.lock().unwrap();
        began.push(context.request_id.to_string());
        let waits = began.len() == 1;
        async move {
            if waits {
                context.cancelled.cancelled().await;
            }
            done()
        }
    });
    let Session { control, messages: _messages, cli, .. } = start(responder, Config::default()).await;
    cli.send_line(&[inbound("a"), inbound("b"), cancel("a"), inbound("c"), inbound("d")].join("\n")).await;
    for id in ["b", "c", "d"] {
        assert_eq!(cli.next_line().await.unwrap()["response"]["request_id"], id);
    }
    assert!(waits(cli.next_line()).await);
    assert_eq!(*began.lock().unwrap(), ["a", "b", "c", "d"]);
    assert_eq!(control.ignored().cancels, 0);
}

#[tokio::test(start_paused = true)]
async fn a_callback_that_ignores_its_token_is_dropped_after_the_grace() {
    let (responder, dropped) = stubborn();
    let Session { cli, .. } = &start(responder, Config::default()).await;
    cli.send_line(&inbound("a")).await;
    cli.send_line(&cancel("a")).await;
    let before = tokio::time::Instant::now();
    dropped.await.unwrap_err();
    assert_eq!(before.elapsed().as_secs(), 5);
    assert!(waits(cli.next_line()).await);
}

#[tokio::test(start_paused = true)]
async fn stale_answer_is_not_sent_for_a_later_request_with_the_same_id() {
    let (finish, finished) = oneshot::channel::<()>();
    let finished = Mutex::new(Some(finished));
    let responder = With(move |_| -> Reply {
        match finished.lock().unwrap().take() {
            Some(finished) => Box::pin(async move {
                finished.await.unwrap();
                Err("stale".into())
            }),
            None => Box::pin(async {
                crate::clock::pass(Duration::from_secs(3)).await;
                done()
            }),
        }
    });
    let Session { cli, .. } = &start(responder, Config::default()).await;
    cli.send_line(&inbound("a")).await;
    cli.send_line(&cancel("a")).await;
    cli.send_line(&inbound("a")).await;
    finish.send(()).unwrap();
    assert_eq!(cli.next_line().await.unwrap()["response"]["subtype"], "success");
    assert!(waits(cli.next_line()).await);
}

#[tokio::test(start_paused = true)]
async fn callbacks_do_not_outlive_their_session() {
    let (responder, dropped) = stubborn();
    let Session { control: _control, mut messages, cli, driver } = start(responder, Config::default()).await;
    cli.send_line(&inbound("a")).await;
    cli.send_line(&inbound("last")).await;
    cli.end(ExitReport::exited(0)).await;
    messages.next().await.unwrap_err();
    driver.await.unwrap();
    dropped.await.unwrap_err();
}

#[tokio::test(start_paused = true)]
async fn a_dropped_driver_ends_its_callbacks() {
    let (responder, dropped) = stubborn();
    let Session { control: _control, messages: _messages, cli, driver } =
        start(responder, Config::default()).await;
    cli.send_line(&inbound("a")).await;
    cli.send_line(&news(0)).await;
    driver.abort();
    dropped.await.unwrap_err();
    cli.peer.released().await;
}

#[tokio::test(start_paused = true)]
async fn the_first_responder_that_takes_a_request_answers_it() {
    let all: Vec<Box<dyn Responder>> = vec![
        Box::new(NoResponder::default()),
        Box::new(With(|_| async { Ok(RawJson::parse("1").unwrap()) })),
        Box::new(With(|_| pending())),
    ];
    let Session { cli, .. } = &start(all, Config::default()).await;
    cli.send_line(&inbound("a")).await;
    assert_eq!(cli.next_line().await.unwrap()["response"]["response"], 1);
}

/// A responder with callbacks that never end, and a receiver that fails when the first of them is dropped.
fn stubborn() -> (impl Responder, oneshot::Receiver<()>) {
    let (held, dropped) = oneshot::channel::<()>();
    let held = Mutex::new(Some(held));
    let responder = With(move |_| {
        let held = held.lock().unwrap().take();
        async move {
            let _held = held;
            pending().await
        }
    });
    (responder, dropped)
}
