//! Threads and watches of the whole process, counted in a process without other tests.

use std::fs;
use std::path::Path;
use std::process::Command;

use agentwire_testkit::eventually;

use super::{Place, quick};

#[test]
fn dropping_leaves_no_thread_and_no_watch() {
    in_a_process_of_its_own("watch::tests::counted::dropping");
}

pub(super) fn in_a_process_of_its_own(test: &str) {
    let run =
        Command::new(std::env::current_exe().unwrap()).args(["--exact", test, "--ignored"]).output().unwrap();
    let output = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success() && output.contains("1 passed"), "{output}");
}

#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn dropping() {
    let place = Place::new(quick(), &["mcp.json"]).await;
    place.write("mcp.json", "").expect("mcp.json").await;
    assert_eq!(left(), 3, "two threads and a queue of the kernel's");
    drop(place);
    eventually(|| left() == 0).await;
}

/// Counts the threads and inotify queues of this process.
fn left() -> usize {
    let all = |folder: &str| fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    let threads = all("/proc/self/task").filter_map(|task| fs::read_to_string(task.join("comm")).ok());
    let ours = |name: &String| ["agentwire-watch", "notify-rs inoti"].contains(&name.trim());
    let queues = all("/proc/self/fd").filter_map(|file| fs::read_link(file).ok());
    threads.filter(ours).count() + queues.filter(|to| to == Path::new("anon_inode:inotify")).count()
}
