//! Tests of the folder store: content, location, and files that it must not touch.

use std::convert::Infallible;
use std::fs;
use std::ops::Deref;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use agentwire_sessions::conformance::{self, CHECKS, Outcome};
use agentwire_sessions::{FolderStore, RawEntry, SessionKey, SessionStore};
use tempfile::TempDir;

use crate::written::id;

#[tokio::test]
async fn folder_store_conforms() {
    let (folder, mut number) = (tempfile::tempdir().unwrap(), 0);
    let report = conformance::run(async || {
        number += 1;
        Ok::<_, Infallible>(FolderStore::at(folder.path().join(number.to_string())))
    })
    .await;
    assert!(report.is_conformant(), "{report}");
    assert_eq!((report.passed(), report.skipped()), (CHECKS.len(), 0), "{report}");
}

#[tokio::test]
async fn store_with_synced_appends_keeps_order_and_retries() {
    // Runs only some of the checks, because syncing takes time.
    let checks =
        CHECKS.iter().filter(|check| check.name().contains("order") || check.name().contains("retry"));
    let mut run = 0;
    for check in checks {
        assert_eq!(check.run(&Kept::new(true).store).await, Outcome::Passed, "{check:?}");
        run += 1;
    }
    assert!(run >= 4, "{run}");
}

#[tokio::test]
async fn files_are_lines_of_json_for_the_user_alone() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("made/by/it");
    let store = FolderStore::at(&root);
    store.append(&key(), &entries(&["a"])).await.unwrap();
    store.append(&key(), &entries(&["b"])).await.unwrap();
    store.append(&key().with_subpath("subagents/agent-1").unwrap(), &entries(&["c"])).await.unwrap();
    store.list_summaries(PROJECT).unwrap().await.unwrap();
    let project = root.join("-~home");
    let text = fs::read_to_string(project.join(format!("{}.jsonl", id(1)))).unwrap();
    assert_eq!(text, "\n{\"uuid\":\"a\"}\n\n{\"uuid\":\"b\"}\n");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let mut seen = Vec::new();
    let mut open = vec![root.clone()];
    while let Some(path) = open.pop() {
        seen.push((path.strip_prefix(&root).unwrap().display().to_string(), mode(&path)));
        open.extend(fs::read_dir(&path).into_iter().flatten().map(|entry| entry.unwrap().path()));
    }
    seen.sort();
    let all = [
        (String::new(), 0o700),
        ("-~home".into(), 0o700),
        (format!("-~home/{}", id(1)), 0o700),
        (format!("-~home/{}.jsonl", id(1)), 0o600),
        (format!("-~home/{}/subagents", id(1)), 0o700),
        (format!("-~home/{}/subagents/agent-1.jsonl", id(1)), 0o600),
    ];
    let mut all = all.to_vec();
    all.sort();
    assert_eq!(seen, all);
    assert_eq!(mode(&folder.path().join("made")), 0o700);
    // Only the project's folder remains after deleting its session.
    store.delete(&key()).unwrap().await.unwrap();
    assert_eq!(fs::read_dir(&project).unwrap().count(), 0);
}

#[tokio::test]
async fn a_torn_line_is_skipped_and_stays_separate() {
    let kept = Kept::new(false);
    kept.append(&key(), &entries(&["a", "b"])).await.unwrap();
    let file = kept.file();
    let whole = fs::read(&file).unwrap();
    for cut in 1..whole.len() {
        fs::write(&file, &whole[..cut]).unwrap();
        let loaded = kept.load(&key()).await.unwrap();
        assert!(entries(&["a", "b"]).starts_with(&loaded.unwrap_or_default()), "{cut}");
        kept.append(&key(), &entries(&["a", "b", "c"])).await.unwrap();
        assert_eq!(kept.load(&key()).await.unwrap().unwrap(), entries(&["a", "b", "c"]), "{cut}");
    }
}

#[tokio::test]
async fn a_file_of_torn_lines_is_empty() {
    let kept = Kept::new(false);
    kept.append(&key(), &entries(&["a"])).await.unwrap();
    for torn in ["", "\n", "\n{\"uuid\":", "\n\u{0}\u{0}\n"] {
        fs::write(kept.file(), torn).unwrap();
        assert_eq!(kept.load(&key()).await.unwrap(), None);
        assert_eq!(kept.list_summaries(PROJECT).unwrap().await.unwrap(), []);
    }
}

#[tokio::test]
async fn no_link_is_followed() {
    let other = tempfile::tempdir().unwrap();
    let target = other.path().join("target.jsonl");
    fs::write(&target, "{\"uuid\":\"theirs\"}\n").unwrap();
    let subkey = key().with_subpath("subagents/agent-1").unwrap();
    for (link, to) in [
        ("-~home".to_owned(), other.path()),
        (format!("-~home/{}.jsonl", id(1)), target.as_path()),
        (format!("-~home/{}", id(1)), other.path()),
        (format!("-~home/{}/subagents", id(1)), other.path()),
        (format!("-~home/{}/subagents/agent-1.jsonl", id(1)), target.as_path()),
    ] {
        let kept = Kept::new(false);
        let link = kept.folder.path().join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(to, &link).unwrap();
        let results = [
            kept.append(&key(), &entries(&["a"])).await.is_err(),
            kept.append(&subkey, &entries(&["a"])).await.is_err(),
        ];
        assert!(results.contains(&true), "{link:?}");
        let key = if results[0] { key() } else { subkey.clone() };
        assert!(kept.load(&key).await.is_err(), "{link:?}");
        let listed = kept.list_subkeys(&key).unwrap().await.unwrap_or_default();
        assert!(!listed.iter().any(|subkey| subkey.contains("target")), "{link:?}: {listed:?}");
        _ = kept.delete(&key.session()).unwrap().await;
        assert_eq!(fs::read_to_string(&target).unwrap(), "{\"uuid\":\"theirs\"}\n");
        assert_eq!(fs::read_dir(other.path()).unwrap().count(), 1, "{link:?}");
    }
    let error = linked().await;
    assert!(error.contains("is a link, or neither a file nor a folder of the store"), "{error}");
}

/// Returns the error if a session's file is a link.
async fn linked() -> String {
    let kept = Kept::new(false);
    fs::create_dir(kept.folder.path().join("-~home")).unwrap();
    symlink("/dev/full", kept.file()).unwrap();
    let error = kept.append(&key(), &entries(&["a"])).await.unwrap_err();
    std::error::Error::source(&error).unwrap().to_string()
}

#[tokio::test]
async fn the_folder_itself_may_be_a_link() {
    let real = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    let link = other.path().join("link");
    symlink(real.path(), &link).unwrap();
    FolderStore::at(&link).append(&key(), &entries(&["a"])).await.unwrap();
    assert_eq!(FolderStore::at(real.path()).load(&key()).await.unwrap().unwrap(), entries(&["a"]));
}

#[tokio::test]
async fn foreign_files_are_ignored() {
    let kept = Kept::new(false);
    let project = kept.folder.path().join("-~home");
    kept.append(&key(), &entries(&["a"])).await.unwrap();
    let name = id(0xabc);
    for file in [
        "notes.txt",
        "x.jsonl",
        &format!("{}.jsonl", name.to_uppercase()),
        &format!("{name}.jsonl.bak"),
        ".jsonl",
    ] {
        fs::write(project.join(file), "{}\n").unwrap();
    }
    fs::create_dir(project.join(format!("{name}.jsonl"))).unwrap();
    fs::create_dir(project.join(id(1))).unwrap();
    fs::write(project.join(id(1)).join("agent-1.meta.json"), "{}").unwrap();
    fs::write(project.join(id(1)).join("A.jsonl"), "{}").unwrap();
    let listed = kept.list_sessions(PROJECT).unwrap().await.unwrap();
    assert_eq!(listed.iter().map(|session| session.session_id.as_str()).collect::<Vec<_>>(), [id(1)]);
    assert_eq!(kept.list_summaries(PROJECT).unwrap().await.unwrap().len(), 1);
    assert_eq!(kept.list_subkeys(&key()).unwrap().await.unwrap(), Vec::<String>::new());
}

#[tokio::test]
async fn a_summary_is_folded_from_all_whole_entries() {
    let kept = Kept::new(false);
    let title = |text: &str| vec![RawEntry::parse(format!(r#"{{"customTitle":"{text}"}}"#)).unwrap()];
    kept.append(&key(), &title("one")).await.unwrap();
    assert_eq!(kept.data().await, r#"{"custom_title":"one","is_sidechain":false}"#);
    kept.append(&key(), &title("two")).await.unwrap();
    assert_eq!(kept.data().await, r#"{"custom_title":"two","is_sidechain":false}"#);
    // A torn line is not folded; the same entry is, once it is appended whole.
    let mut file = fs::read(kept.file()).unwrap();
    file.extend_from_slice(b"\n{\"customTitle\":\"three");
    fs::write(kept.file(), &file).unwrap();
    assert!(kept.data().await.contains("two"));
    kept.append(&key(), &title("four")).await.unwrap();
    assert!(kept.data().await.contains("four"));
    // A long entry, and one behind it.
    let many = format!(r#"{{"customTitle":"{}"}}"#, "five ".repeat(400_000));
    kept.append(&key(), &[RawEntry::parse(many).unwrap(), title("six").remove(0)]).await.unwrap();
    assert_eq!(kept.data().await, r#"{"custom_title":"six","is_sidechain":false}"#);
}

/// A store in a temporary folder.
struct Kept {
    folder: TempDir,
    store: FolderStore,
}

impl Kept {
    fn new(synced: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = FolderStore::at(folder.path());
        Self { store: if synced { store.synced() } else { store }, folder }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("-~home").join(format!("{}.jsonl", id(1)))
    }

    async fn data(&self) -> String {
        let summaries = self.list_summaries(PROJECT).unwrap().await.unwrap();
        assert_eq!(summaries.len(), 1);
        summaries[0].data.to_string()
    }
}

impl Deref for Kept {
    type Target = FolderStore;

    fn deref(&self) -> &FolderStore {
        &self.store
    }
}

fn key() -> SessionKey {
    SessionKey::new(PROJECT, id(1).into()).unwrap()
}

fn entries(ids: &[&str]) -> Vec<RawEntry> {
    ids.iter().map(|id| RawEntry::parse(format!(r#"{{"uuid":"{id}"}}"#)).unwrap()).collect()
}

const PROJECT: &str = "-Home";
