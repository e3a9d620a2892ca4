//! Tests of the folder store with several processes that write, are killed, or have a full disk.

#![expect(clippy::print_stderr, reason = "it is what the processes tell each other by")]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

use agentwire_sessions::{FolderStore, RawEntry, SessionKey, SessionStore};

use crate::written::id;

#[tokio::test]
async fn writers_in_several_processes_lose_nothing_and_each_batch_stays_together() {
    let folder = tempfile::tempdir().unwrap();
    let writers: Vec<_> =
        (0..WRITERS).map(|number| spawn("write", folder.path(), &number.to_string())).collect();
    for writer in writers {
        let output = writer.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let loaded = FolderStore::at(folder.path()).load(&key()).await.unwrap().unwrap();
    let mut next = [0; WRITERS];
    let mut open = loaded.as_slice();
    let mut turns = 0;
    let mut last = usize::MAX;
    while let Some(first) = open.first() {
        let writer: usize = first.uuid().unwrap().as_str().split('-').next().unwrap().parse().unwrap();
        let expected = batch(writer, next[writer], 5, 9_000);
        assert!(open.starts_with(&expected), "batch {} of writer {writer} is not together", next[writer]);
        open = &open[expected.len()..];
        next[writer] += 1;
        turns += usize::from(last != writer);
        last = writer;
    }
    assert_eq!(next, [BATCHES; WRITERS]);
    assert!(turns > WRITERS, "they did not write at once");
}

#[tokio::test]
async fn a_killed_writer_leaves_whole_entries_and_one_torn_line_at_most() {
    let [first, second] = [batch(0, 0, 3, 10), batch(0, 1, LARGE, 400_000)];
    let folder = tempfile::tempdir().unwrap();
    // The system kills the writer when the file reaches 0.5 or 1 MB, in the middle of the second append.
    let mut writer = Command::new("sh");
    writer.args(["-c", "ulimit -c 0; ulimit -f 1000; exec \"$0\" \"$@\""]).arg(env::current_exe().unwrap());
    let output = act_in(&mut writer, "write-large", folder.path(), "0").output().unwrap();
    assert_eq!(output.status.code(), None, "the writer was not killed");
    assert!(String::from_utf8_lossy(&output.stderr).lines().any(|line| line == "kept 0"), "{output:?}");

    let store = FolderStore::at(folder.path());
    assert!(!fs::read(file(folder.path())).unwrap().ends_with(b"\n"), "no line is torn");
    let loaded = store.load(&key()).await.unwrap().unwrap();
    let whole = [first.clone(), second.clone()].concat();
    assert!(loaded.starts_with(&first), "an append that had succeeded is gone");
    assert!(whole.starts_with(&loaded), "what is loaded is not what was appended");
    // Another process repeats the append, which is then complete.
    store.append(&key(), &second).await.unwrap();
    assert!(store.load(&key()).await.unwrap().unwrap() == whole);
}

#[tokio::test]
async fn a_file_that_may_not_grow_is_a_clear_error_and_a_retry_is_complete() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new("sh");
    // The unit is 512 or 1,024 bytes, depending on the shell.
    child.args(["-c", "trap '' XFSZ; ulimit -f 100; exec \"$0\" \"$@\""]).arg(env::current_exe().unwrap());
    let (kept, error) = filled("fill", &mut child, folder.path());
    assert!(error.contains("File too large"), "{error}");
    complete_after_retry(folder.path(), kept).await;
}

#[tokio::test]
async fn a_full_disk_is_a_clear_error_and_with_space_the_retry_is_complete() {
    let folder = tempfile::tempdir().unwrap();
    // Mounts a small disk if permitted; it disappears with the process, which therefore checks the store itself.
    let script = "mount -t tmpfs -o size=200k tmpfs \"$STORE\" && exec \"$0\" \"$@\"";
    let mut allowed = Command::new("unshare");
    allowed.args(["-rm", "sh", "-c", "mount -t tmpfs tmpfs \"$0\""]).arg(folder.path());
    if !allowed.output().is_ok_and(|output| output.status.success()) {
        assert!(env::var_os("CI").is_none(), "this machine can't mount a disk, which CI must");
        // The other test covers this case without mounting.
        eprintln!("not run: this machine can't mount a disk");
        return;
    }
    let mut child = Command::new("unshare");
    child.args(["-rm", "sh", "-c", script]).arg(env::current_exe().unwrap());
    let (kept, error) = filled("fill-disk", &mut child, folder.path());
    assert!(error.contains("No space left on device"), "{error}");
    assert!(kept > 0);
}

/// Fills a store in a child process; returns the number of successful appends and the next error.
fn filled(act: &str, child: &mut Command, folder: &Path) -> (usize, String) {
    let output = act_in(child, act, folder, "0").output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{stderr}{}", String::from_utf8_lossy(&output.stdout));
    let kept = stderr.lines().filter(|line| line.starts_with("kept ")).count();
    let error = stderr.lines().find(|line| line.starts_with("error ")).unwrap_or_default();
    (kept, error.to_owned())
}

async fn complete_after_retry(folder: &Path, kept: usize) {
    let store = FolderStore::at(folder);
    let whole: Vec<_> = (0..=kept).flat_map(|number| batch(0, number, 5, 2_000)).collect();
    let before = store.load(&key()).await.unwrap().unwrap();
    assert!(kept > 0 && before.len() >= kept * 5 && whole.starts_with(&before));
    assert!(!fs::read(file(folder)).unwrap().ends_with(b"\n"), "nothing was written of the last append");
    store.append(&key(), &batch(0, kept, 5, 2_000)).await.unwrap();
    assert_eq!(store.load(&key()).await.unwrap().unwrap(), whole);
}

/// Runs in the child processes of the other tests.
#[tokio::test]
#[ignore = "it is a part of the others, in a process of its own"]
async fn act() {
    let Some(folder) = env::var_os("STORE") else { return };
    let number: usize = env::var("NUMBER").unwrap().parse().unwrap();
    let store = FolderStore::at(&folder);
    match env::var("ACT").unwrap().as_str() {
        "write" => {
            for count in 0..BATCHES {
                store.append(&key(), &batch(number, count, 5, 9_000)).await.unwrap();
                if count == 0 {
                    all_have_begun(&store).await;
                }
            }
        }
        "write-large" => {
            let batches = [batch(0, 0, 3, 10), batch(0, 1, LARGE, 400_000)];
            for (count, batch) in batches.iter().enumerate() {
                store.append(&key(), batch).await.unwrap();
                eprintln!("kept {count}");
            }
        }
        "fill" => _ = fill(&store).await,
        "fill-disk" => {
            let filler = Path::new(&folder).join("filler");
            fs::write(&filler, vec![0; 20_000]).unwrap();
            let kept = fill(&store).await;
            let whole: Vec<_> = (0..=kept).flat_map(|number| batch(0, number, 5, 2_000)).collect();
            let before = store.load(&key()).await.unwrap().unwrap();
            assert!(before.len() >= kept * 5 && whole.starts_with(&before));
            fs::remove_file(&filler).unwrap();
            store.append(&key(), &batch(0, kept, 5, 2_000)).await.unwrap();
            assert_eq!(store.load(&key()).await.unwrap().unwrap(), whole);
        }
        other => panic!("{other}"),
    }
}

/// Waits until each writer has written something, so that the writers overlap.
async fn all_have_begun(store: &FolderStore) {
    let since = Instant::now();
    loop {
        let loaded = store.load(&key()).await.unwrap().unwrap();
        let first = |entry: &&RawEntry| entry.uuid().is_some_and(|uuid| uuid.as_str().ends_with("-0-0"));
        if loaded.iter().filter(first).count() == WRITERS {
            return;
        }
        assert!(since.elapsed() < LIMIT, "another writer has not begun");
    }
}

/// Appends until an append fails; returns the number of successful ones.
async fn fill(store: &FolderStore) -> usize {
    for count in 0.. {
        if let Err(error) = store.append(&key(), &batch(0, count, 5, 2_000)).await {
            eprintln!("error {error}: {}", error.source().unwrap());
            return count;
        }
        eprintln!("kept {count}");
    }
    unreachable!()
}

/// Starts a child process that runs this act.
fn spawn(act: &str, folder: &Path, number: &str) -> Child {
    let mut child = Command::new(env::current_exe().unwrap());
    let child = act_in(&mut child, act, folder, number);
    child.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Makes this program run an act in a child process.
fn act_in<'a>(child: &'a mut Command, act: &str, folder: &Path, number: &str) -> &'a mut Command {
    child.args(ACT).env("ACT", act).env("STORE", folder).env("NUMBER", number)
}

/// Returns the entries of one append of a writer.
fn batch(writer: usize, number: usize, entries: usize, size: usize) -> Vec<RawEntry> {
    let entry = |entry| format!(r#"{{"uuid":"{writer}-{number}-{entry}","text":"{}"}}"#, "x".repeat(size));
    (0..entries).map(|number| RawEntry::parse(entry(number)).unwrap()).collect()
}

fn file(folder: &Path) -> PathBuf {
    folder.join("project").join(format!("{}.jsonl", id(1)))
}

fn key() -> SessionKey {
    SessionKey::new("project", id(1).into()).unwrap()
}

/// The arguments with which this program runs an act.
const ACT: [&str; 4] = ["folder_processes::act", "--exact", "--ignored", "--nocapture"];

const WRITERS: usize = 4;

/// The limit for waiting, which allows for a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

/// How many batches each writer appends.
const BATCHES: usize = 60;

/// How many entries a large batch has, so that it exceeds the limit of the file's size.
const LARGE: usize = 12;
