//! Wake-ups: only waiting tasks are notified, and no wake-up is lost.

use std::{sync::Arc, time::Duration};

use agentwire_protocol::{RawJson, message::UserInput};
use tokio::{sync::Mutex, task::JoinSet, time::timeout};

use super::{Session, With, ask, config, delivers, news, start_with};
use crate::script::{inbound, success};

/// Senders wait for room, the peer waits for the reader, and callbacks run between, on several threads and always at their
/// limits: a lost wake-up would leave a task waiting.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_wake_up_is_lost_when_all_parts_wait_for_each_other() {
    let tight = config(|config| (config.write_buffer_limit, config.unread_soft_limit) = (100, 1024));
    let responder = With(|_| async { Ok(RawJson::empty_object()) });
    let Session { control, mut messages, cli, .. } = start_with(64, responder, tight).await;
    let mut all = JoinSet::new();
    // One line at a time, from either task.
    let voice = Arc::new(Mutex::new(cli.clone()));
    let saying = Arc::clone(&voice);
    all.spawn(async move {
        for number in 0..NEWS {
            saying.lock().await.send_line(&news(number)).await;
            if number % 4 == 0 {
                saying.lock().await.send_line(&inbound(&format!("r{number}"))).await;
            }
        }
    });
    all.spawn(async move {
        let (mut prompts, mut answers, mut calls) = (0, 0, 0);
        while (prompts, answers, calls) != (SENDERS * EACH, NEWS / 4, EACH) {
            let line = cli.next_line().await.unwrap();
            match line["type"].as_str().unwrap() {
                "user" => prompts += 1,
                "control_response" => answers += 1,
                _ => {
                    calls += 1;
                    let reply = success(line["request_id"].as_str().unwrap(), "{}");
                    voice.lock().await.send_line(&reply).await;
                }
            }
        }
    });
    for _ in 0..SENDERS {
        let control = control.clone();
        all.spawn(async move {
            for _ in 0..EACH {
                control.send(&UserInput::new("p".repeat(60).as_str())).await.unwrap();
            }
        });
    }
    let asking = control.clone();
    all.spawn(async move {
        for _ in 0..EACH {
            ask(&asking).await.unwrap();
        }
    });
    let all_received = async {
        delivers(&mut messages, NEWS).await;
        all.join_all().await
    };
    timeout(Duration::from_secs(60), all_received).await.unwrap();
    // The handles live until here: without them the session ends, and with it its callbacks.
    drop((control, messages));
}

const NEWS: usize = 2000;
const SENDERS: usize = 4;
const EACH: usize = 250;
