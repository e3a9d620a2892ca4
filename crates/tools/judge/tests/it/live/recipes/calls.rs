//! Commands, limits and the log: the tests check the files that commands leave.

use std::{
    fs,
    io::{self, Write},
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

use agentwire::hooks::Hooks;
use serde_json::json;

use super::{Place, call_log, commands, held, rate_limit};

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn dangerous_commands_are_not_run() {
    let calls = [
        ("Bash", json!({"command": "cd . && r''m -rf sub"})),
        ("Bash", json!({"command": "X=rm; $X -rf a.txt"})),
        ("Bash", json!({"command": "echo fine > b.txt"})),
    ];
    let guarded = Place::calling(&calls).await;
    let seen = held(&guarded, commands::block_dangerous(Hooks::new())).await;
    assert_eq!(seen.refused(), [true, true, false], "{seen:#?}");
    assert!(guarded.file("project/sub").exists() && guarded.file("project/a.txt").exists());
    assert_eq!(fs::read_to_string(guarded.file("project/b.txt")).unwrap(), "fine\n");
    // Without the recipe, the commands do their harm.
    let open = Place::calling(&calls[..2]).await;
    let seen = held(&open, Hooks::new()).await;
    assert_eq!(seen.refused(), [false, false], "{seen:#?}");
    assert!(!open.file("project/sub").exists() && !open.file("project/a.txt").exists());
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn tool_is_used_up_to_its_limit() {
    let note = || ("Bash", json!({"command": "echo again >> b.txt"}));
    let read = ("Read", json!({"file_path": "${place}/project/a.txt"}));
    let place = Place::calling(&[note(), note(), note(), read]).await;
    let hooks = rate_limit::limit(Hooks::new(), ["Bash"], 2, Duration::from_secs(3600));
    let seen = held(&place, hooks).await;
    assert_eq!(seen.refused(), [false, false, true, false], "{seen:#?}");
    assert_eq!(fs::read_to_string(place.file("project/b.txt")).unwrap(), "again\nagain\n");
}

/// A file on a disk that does not respond until the test allows it.
struct Stuck(fs::File, Option<Receiver<()>>);

impl Write for Stuck {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(gate) = self.1.take() {
            gate.recv().map_err(io::Error::other)?;
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn calls_are_logged_without_waiting() {
    let calls = [("Bash", json!({"command": "echo hush"})), ("Bash", json!({"command": "exit 3"}))];
    let place = Place::calling(&calls).await;
    let (turn, gate) = channel();
    let file = fs::File::create(place.file("other/log")).unwrap();
    let (hooks, log) = call_log::write_to(Hooks::new(), Stuck(file, Some(gate))).unwrap();
    let seen = held(&place, hooks).await;
    assert_eq!(seen.refused(), [false, true], "{seen:#?}");
    // The turn is over, and not one line is written.
    assert_eq!(fs::read_to_string(place.file("other/log")).unwrap(), "");
    turn.send(()).unwrap();
    assert_eq!(tokio::task::spawn_blocking(|| log.finish()).await.unwrap().unwrap(), 0);
    let written = fs::read_to_string(place.file("other/log")).unwrap();
    let kinds =
        ["asked", "used", "failed"].map(|kind| written.matches(&format!("\"{kind}\":\"Bash\"")).count());
    assert_eq!((kinds, written.lines().count()), ([2, 1, 1], 4), "{written}");
    assert!(!written.contains("hush"), "{written}");
}

#[test]
fn unwritable_log_reports_an_error() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Err(io::ErrorKind::StorageFull.into())
        }
    }
    let (_, log) = call_log::write_to(Hooks::new(), Full).unwrap();
    assert_eq!(log.finish().unwrap_err().kind(), io::ErrorKind::StorageFull);
}
