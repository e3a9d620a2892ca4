//! Lines that are written on the thread that queues them.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};

use agentwire_control::{Config, Connection, NoResponder, connect};
use agentwire_protocol::message::UserInput;
use agentwire_transport::{ByteSink, Connected, MemorySink, TransportError, WriteNow};
use bytes::Bytes;
use tokio::task::yield_now;

use super::link;

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
        self.sink.finish().await
    }

    fn write_now(&self) -> Option<WriteNow> {
        let (has_room, written) = (Arc::clone(&self.has_room), Arc::clone(&self.written));
        Some(Box::new(move |chunk| {
            record(&written, "now", &chunk);
            has_room.load(Ordering::Relaxed)
        }))
    }
}
