//! Resuming from a store: the files for the CLI, and refused sessions.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use agentwire::{
    Error, Options, ResumeError, Session,
    sessions::{MemoryStore, RawEntry, SessionKey, SessionStore, project_key},
};
use serde_json::json;
use tokio::time::timeout;

use super::{ID, store::Lent, store::TestStore};

/// A home directory, a project, and a CLI that lists its configuration folder and exits.
pub(super) struct Machine(tempfile::TempDir);

impl Machine {
    pub(super) fn new() -> Self {
        let machine = Self(tempfile::tempdir().unwrap());
        for dir in ["home/.claude", "project"] {
            fs::create_dir_all(machine.path(dir)).unwrap();
        }
        let cli = machine.path("claude");
        let tell = "stat -c '%a %n' \"$file\"; [ -d \"$file\" ] || cat \"$file\"; echo";
        let script = format!(
            "#!/bin/sh\ncd \"$CLAUDE_CONFIG_DIR\" || exit 2\n{{ pwd; echo \"$@\"; find . | LC_ALL=C sort | while read -r file; do {tell}; done; }} > '{}'\nexit 1\n",
            machine.path("report").display()
        );
        fs::write(&cli, script).unwrap();
        fs::set_permissions(&cli, fs::Permissions::from_mode(0o755)).unwrap();
        machine
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(super) fn options(&self) -> Options {
        let home = self.path("home").display().to_string();
        let options = Options::new().path_to_claude_code_executable(self.path("claude"));
        options.cwd(self.path("project")).env("HOME", home).env_remove("CLAUDE_CONFIG_DIR")
    }

    pub(super) fn key(&self) -> SessionKey {
        SessionKey::new(project_key(&self.path("project")), ID.into()).unwrap()
    }

    /// Returns the CLI's list, after checking that its folder was removed.
    pub(super) async fn report(&self, store: Arc<dyn SessionStore>, options: Options) -> String {
        let failed = Session::builder().options(options).session_store(store).connect().await;
        assert!(matches!(failed, Err(Error::Ended(_))), "{failed:?}");
        let report = fs::read_to_string(self.path("report")).unwrap();
        let folder = Path::new(report.lines().next().unwrap()).to_owned();
        // A separate thread removes it with the process.
        while folder.exists() {
            let _ = timeout(Duration::from_millis(1), std::future::pending::<()>()).await;
        }
        report
    }

    pub(super) async fn refused(&self, store: Arc<dyn SessionStore>, options: Options) -> Error {
        let failed = Session::builder().options(options).session_store(store).connect().await;
        assert!(!self.path("report").exists(), "it was started");
        failed.expect_err("it is refused")
    }
}

pub(super) fn entry(value: serde_json::Value) -> RawEntry {
    RawEntry::parse(value.to_string()).unwrap()
}

/// Returns a store with a session and one of its subagents.
async fn stored(machine: &Machine) -> Arc<MemoryStore> {
    let store = Arc::new(MemoryStore::new());
    let prompt = entry(json!({"type": "user", "uuid": "1"}));
    // The archive mark is not an entry of the CLI: the files do not contain it.
    let mark = entry(json!({"type": "archived", "archived": true, "uuid": "3"}));
    // Nor do they contain checkpoints: the store lacks the backups that these name, so a rewind would restore only some
    // of the changed files.
    let [snapshot, delta] = ["file-history-snapshot", "file-history-delta"]
        .map(|kind| entry(json!({"type": kind, "messageId": "1"})));
    store.append(&machine.key(), &[snapshot, prompt, delta, mark]).await.unwrap();
    let about = |number: u8| entry(json!({"type": "agent_metadata", "agentType": "a", "number": number}));
    let beneath = [about(1), entry(json!({"type": "user", "uuid": "2"})), about(2)];
    store.append(&machine.key().with_subpath("subagents/agent-x").unwrap(), &beneath).await.unwrap();
    store
}

#[tokio::test]
async fn the_cli_finds_the_session_and_the_login_in_a_private_folder() {
    let machine = Machine::new();
    fs::create_dir(machine.path("home/.claude/state")).unwrap();
    for (name, text) in [
        ("home/.claude/.credentials.json", r#"{"claudeAiOauth":{"accessToken":"a","refreshToken":"b"}}"#),
        ("home/.claude.json", r#"{"state": 1}"#),
        ("home/.claude/.config.json", r#"{"state": 0}"#),
        ("home/.claude/settings.json", r#"{"model":"m","enabledPlugins":{"p":true}}"#),
        ("home/.claude/state/hybrid-settings.json", r#"{"organizationUuid":"o"}"#),
        ("home/.claude/state/other.json", "{}"),
        ("home/.claude/other.json", "{}"),
    ] {
        fs::write(machine.path(name), text).unwrap();
    }
    for options in [machine.options().resume(ID), machine.options().continue_last()] {
        let report = machine.report(stored(&machine).await, options).await;
        let mut lines = report.lines();
        assert!(!Path::new(lines.next().unwrap()).starts_with(machine.0.path()));
        let args = lines.next().unwrap();
        assert!(args.contains(&format!("--resume={ID}")) && args.contains("--session-mirror"), "{args}");
        let files: Vec<_> = lines.filter(|line| !line.is_empty()).collect();
        let files = files.join("\n").replace(&project_key(&machine.path("project")), "PROJECT");
        insta::assert_snapshot!("files_for_the_cli", files.replace(ID, "SESSION"));
    }
}

#[tokio::test]
async fn session_of_a_project_with_a_folder_of_another_name_is_resumed() {
    let machine = Machine::new();
    let report = machine.path("report").display().to_string();
    let script = format!(
        "#!/bin/sh\ncd \"$CLAUDE_CONFIG_DIR\" || exit 2\n{{ pwd; echo \"name=$CLAUDE_CODE_PROJECT_DIR_NAME\"; find . -name '*.jsonl'; }} > '{report}'\nexit 1\n"
    );
    fs::write(machine.path("claude"), script).unwrap();
    let store = Arc::new(MemoryStore::new());
    let key = SessionKey::new("named", ID.into()).unwrap();
    store.append(&key, &[entry(json!({"type": "user", "uuid": "1"}))]).await.unwrap();
    let options = machine.options().resume(ID).env("CLAUDE_CODE_PROJECT_DIR_NAME", "named");
    // The CLI ignores the name in its default folder.
    let refused = machine.refused(Arc::clone(&store) as Arc<dyn SessionStore>, options.clone()).await;
    assert!(matches!(refused, Error::Resume(ResumeError::NotStored { .. })), "{refused:?}");
    let config = machine.path("home/.claude").display().to_string();
    let report = machine.report(store, options.env("CLAUDE_CONFIG_DIR", config)).await;
    let file = format!("./projects/{}/{ID}.jsonl", project_key(&machine.path("project")));
    assert_eq!(report.lines().skip(1).collect::<Vec<_>>(), ["name=", &file]);
}

#[tokio::test]
async fn copy_of_a_forked_session_may_exceed_the_limit_of_a_line() {
    const FORK: &str = "5f3f4c52-5a35-4f0e-9a51-6d8d0e7b1a10";
    let machine = Machine::new();
    let (project, text) = (project_key(&machine.path("project")), "x".repeat(3000));
    let copied = json!({"type": "user", "uuid": "1", "message": {"content": text}});
    let prompt = json!({"type": "user", "uuid": "2"});
    let store = Arc::new(MemoryStore::new());
    store.append(&machine.key(), &[entry(copied.clone())]).await.unwrap();
    let script = format!(
        r#"#!/bin/sh
read -r line
id=$(printf '%s' "$line" | sed 's/.*"request_id":"\([^"]*\)".*/\1/')
echo "{{\"type\":\"control_response\",\"response\":{{\"subtype\":\"success\",\"request_id\":\"$id\",\"response\":{{}}}}}}"
file=$CLAUDE_CONFIG_DIR/projects/{project}/{FORK}.jsonl
printf '{{"type":"transcript_mirror","filePath":"%s","entries":[%s]}}\n' "$file" '{copied}' "$file" '{prompt}'
cat > /dev/null
"#
    );
    fs::write(machine.path("claude"), script).unwrap();
    let options = machine.options().resume(ID).fork_session().max_buffer_size(2000);
    let options = options.session_store_max_pending_bytes(2000);
    let session =
        Session::builder().options(options).session_store(Arc::clone(&store) as Arc<dyn SessionStore>);
    session.connect().await.unwrap().close().await.unwrap();
    let fork = SessionKey::new(project, FORK.into()).unwrap();
    assert_eq!(store.load(&fork).await.unwrap(), Some(vec![entry(copied), entry(prompt)]));
}

#[tokio::test]
async fn missing_session_is_refused_by_name() {
    let machine = Machine::new();
    let error = machine.refused(Arc::new(MemoryStore::new()), machine.options().resume(ID)).await;
    assert!(
        matches!(&error, Error::Resume(ResumeError::NotStored { key }) if *key == machine.key()),
        "{error:?}"
    );
    assert!(error.report().to_string().contains(ID));
}

/// The store would have both conversations, and readers and a later resume would find only the new one.
#[tokio::test]
async fn id_of_a_stored_session_is_refused_for_a_new_one() {
    let machine = Machine::new();
    let new = machine.options().session_id(ID);
    for options in
        [new.clone(), new.clone().resume(ID).fork_session(), new.clone().continue_last().fork_session()]
    {
        let error = machine.refused(stored(&machine).await, options).await;
        let Error::Options { option: "sessionId", why } = &error else { panic!("{error:?}") };
        assert!(why.contains(ID) && why.contains("`resume`"), "{why}");
    }
    // This one has another fault: a resumed session keeps its id.
    let error = machine.refused(stored(&machine).await, new.clone().resume(ID)).await;
    assert!(matches!(&error, Error::Options { why, .. } if why.contains("`forkSession`")), "{error:?}");
    // A session without messages can't be resumed.
    let store = Arc::new(MemoryStore::new());
    store.append(&machine.key(), &[entry(json!({"type": "mode"}))]).await.unwrap();
    let options = new.env("CLAUDE_CONFIG_DIR", machine.path("home/.claude").display().to_string());
    let ended = Session::builder().options(options).session_store(store).connect().await;
    assert!(matches!(ended, Err(Error::Ended(_))), "{ended:?}");
    let report = fs::read_to_string(machine.path("report")).unwrap();
    assert!(report.contains(&format!("--session-id={ID}")), "{report}");
}

#[tokio::test]
async fn unusable_sessions_are_refused() {
    let machine = Machine::new();
    let store = Arc::new(MemoryStore::new());
    store.append(&machine.key(), &[entry(json!({"type": "mode"}))]).await.unwrap();
    let error = machine.refused(store, machine.options().resume(ID)).await;
    assert!(matches!(error, Error::Resume(ResumeError::Unusable { .. })), "{error:?}");
    for id in ["../x", "a title"] {
        let error = machine.refused(stored(&machine).await, machine.options().resume(id)).await;
        assert!(matches!(error, Error::Options { option: "resume", .. }), "{error:?}");
    }
    let store = Arc::new(Lent(Arc::new(TestStore::new([]))));
    let error = machine.refused(store, machine.options().continue_last()).await;
    assert!(matches!(error, Error::Options { option: "continue", .. }), "{error:?}");
}

#[tokio::test]
async fn project_may_have_another_name_in_the_store() {
    let machine = Machine::new();
    let store = Arc::new(MemoryStore::new());
    let key = SessionKey::new("team", ID.into()).unwrap();
    store.append(&key, &[entry(json!({"type": "user", "uuid": "1"}))]).await.unwrap();
    let report = machine.report(store, machine.options().resume(ID).session_store_project("team")).await;
    assert!(report.contains(&format!("{}/{ID}.jsonl", project_key(&machine.path("project")))), "{report}");
}
