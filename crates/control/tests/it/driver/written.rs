//! Lines that are written on the thread that queues them.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};

use agentwire_control::{
    Config, Connection, NoResponder, Observer, Prepared, RawEvent, SessionExit, connect,
};
use agentwire_protocol::{RawJson, message::UserInput};
use agentwire_transport::{ByteSink, Connected, MemorySink, TransportError, WriteNow};
use bytes::Bytes;
use tokio::task::yield_now;

use super::{config, link, waits};

#[tokio::test]
async fn line_is_written_by_its_sender_while_the_writing_half_waits() {
    let (Connected { source, sink, handle }, cli) = link(1).await;
    let sink = Direct { sink, has_room: Arc::new(AtomicBool::new(true)), written: Arc::default() };
    let (has_room, written) = (Arc::clone(&sink.has_room), Arc::clone(&sink.written));
    let link = Connected { source, sink, handle };
    let Connection { control, messages, driver } =
        connect(link, Arc::new(NoResponder::default()), Config::default());
    let driver = tokio::spawn(driver.run());
    let send = async |text: &str| {
        control.send(&UserInput::new(text)).await.unwrap();
        std::mem::take(&mut *written.lock().unwrap())
    };
    assert_eq!(send("before the driver runs").await, [""; 0]);
    yield_now().await;
    assert_eq!(*written.lock().unwrap(), ["write user"]);
    written.lock().unwrap().clear();
    assert_eq!(send("one").await, ["now user"]);
    assert_eq!(send("two").await, ["now user"]);
    has_room.store(false, Ordering::Relaxed);
    assert_eq!(send("three").await, ["now user"]);
    // The rest of the third prompt comes first.
    assert_eq!(send("four").await, [""; 0]);
    yield_now().await;
    assert_eq!(*written.lock().unwrap(), ["write ", "write user"]);
    drop((control, messages));
    driver.await.unwrap();
    drop(cli);
}

#[tokio::test]
async fn rest_of_a_line_is_written_before_the_input_ends() {
    for (ends_input, has_next) in [(true, true), (false, true), (false, false)] {
        let (Connected { source, sink, handle }, _cli) = link(1).await;
        let sink = Direct { sink, has_room: Arc::default(), written: Arc::default() };
        let written = Arc::clone(&sink.written);
        let link = Connected { source, sink, handle };
        let Connection { control, messages, driver } =
            connect(link, Arc::new(NoResponder::default()), Config::default());
        let driver = tokio::spawn(driver.run());
        yield_now().await;
        control.send(&UserInput::new("cut")).await.unwrap();
        if has_next {
            control.send(&UserInput::new("next")).await.unwrap();
        }
        if ends_input {
            control.end_input();
            yield_now().await;
            assert_eq!(*written.lock().unwrap(), ["now user", "write ", "write user", "finish "]);
        } else {
            driver.abort();
            yield_now().await;
            let flush = if has_next { "flush user" } else { "flush " };
            assert_eq!(*written.lock().unwrap(), ["now user", flush]);
        }
        drop((control, messages));
    }
}

#[tokio::test(start_paused = true)]
async fn sender_that_waits_for_room_goes_on_when_another_one_writes() {
    let (Connected { source, sink, handle }, _cli) = link(1).await;
    let sink = Direct { sink, has_room: Arc::new(AtomicBool::new(true)), written: Arc::default() };
    let written = Arc::clone(&sink.written);
    let tight = config(|config| config.write_buffer_limit = 10);
    let prepared = Prepared::new(Arc::new(NoResponder::default()), Arc::new(Silent), tight);
    let control = prepared.control().clone();
    control.send(&UserInput::new("queued before the handshake")).await.unwrap();
    let waiting = control.clone();
    let waiting = tokio::spawn(async move { waiting.send(&UserInput::new("has no room")).await });
    yield_now().await;
    let Connection { messages, driver, .. } = prepared.connect(Connected { source, sink, handle });
    let driver = tokio::spawn(driver.run());
    yield_now().await;
    assert_eq!(*written.lock().unwrap(), [""; 0]);
    let handshake = tokio::spawn(async move {
        control.call_raw("initialize", &RawJson::parse(r#"{"subtype":"initialize"}"#).unwrap()).await
    });
    assert!(!waits(waiting).await);
    assert_eq!(*written.lock().unwrap(), ["now control_request", "now user", "now user"]);
    handshake.abort();
    driver.abort();
    drop(messages);
}

struct Silent;

impl Observer for Silent {
    fn sending(&self, _: &UserInput) {}
    fn arrived(&self, _: &RawEvent) {}
    fn settle(&self) {}
    fn ended(&self, _: &SessionExit) {}
}

/// A sink that writes at once while it has room, and records each call.
struct Direct {
    sink: MemorySink,
    has_room: Arc<AtomicBool>,
    written: Arc<Mutex<Vec<String>>>,
}

fn record(written: &Mutex<Vec<String>>, call: &str, chunk: &Bytes) {
    let line: serde_json::Value = serde_json::from_slice(chunk).unwrap_or_default();
    written.lock().unwrap().push(format!("{call} {}", line["type"].as_str().unwrap_or_default()));
}

impl ByteSink for Direct {
    async fn write(&mut self, chunk: Bytes) -> Result<(), TransportError> {
        record(&self.written, "write", &chunk);
        Ok(())
    }

    async fn finish(&mut self) -> Result<(), TransportError> {
        record(&self.written, "finish", &Bytes::new());
        self.sink.finish().await
    }

    fn flush_detached(&mut self, rest: Bytes) {
        record(&self.written, "flush", &rest);
    }

    fn write_now(&self) -> Option<WriteNow> {
        let (has_room, written) = (Arc::clone(&self.has_room), Arc::clone(&self.written));
        Some(Box::new(move |chunk| {
            record(&written, "now", &chunk);
            has_room.load(Ordering::Relaxed)
        }))
    }
}
