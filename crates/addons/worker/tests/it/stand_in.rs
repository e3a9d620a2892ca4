//! A script in place of the CLI, and a workspace that records its calls.

use std::{
    collections::VecDeque,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use agentwire::{
    Options,
    sessions::{FolderStore, RawEntry, SessionKey, SessionStore as _},
};
use agentwire_worker::{Ledger, Local, LossPolicy, SessionName, WorkerConfig, Workspace, WorkspaceFuture};
use tempfile::TempDir;
use tokio::sync::Semaphore;

use crate::session;

/// Answers requests and prompts. A prompt with `ask` leads to a question, and the turn of one with `hold` goes on until
/// it is interrupted, or until a prompt of the priority `later`, which is answered in a turn of its own. One with `die`
/// ends the process. A prompt with `resume` leads to a call of the hook in a turn before its own, one with `twice` to a
/// call of the hook and then to a question about the same tool use, and one with `withdraw` to a question that is
/// withdrawn at once, a second before the result. After the result of one with `background`, an agent asks, and reports
/// in a turn of its own; an interrupt ends the agent without a result. After the result of one with `silent`, the CLI
/// does not go idle until a note with `noted`, whose result has no text. The turn of one with `list` begins with a list
/// of the tools, and that of one with `mirror` with an entry for the session store.
///
/// The hook is called for the tool that the variable `TOOL` names, or for `Bash`.
///
/// Its working directory has a line for each process with its arguments, each prompt, and each control request and reply
/// (`controls`). A process costs 0.5 US dollars, and processes before it have cost 1.
const CLI: &str = r#"#!/bin/sh
case $1 in --version | -v) echo '2.1.330 (Claude Code)'; exit ;; esac
field() { printf '%s' "$line" | sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }
result() {
    echo "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"$1\",\"total_cost_usd\":1.5,\"model_usage_since_last_result\":{\"opus\":{\"costUSD\":0.5}},\"user_message_uuids\":[\"$prompt\"]}"
}
state() {
    echo "{\"type\":\"command_lifecycle\",\"command_uuid\":\"$prompt\",\"state\":\"$1\"}"
}
success() {
    echo "{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"$(field request_id)\",\"response\":{}}}"
}
note() {
    printf '%s\n' "$line" >> "$1"
}
session_state() {
    echo "{\"type\":\"system\",\"subtype\":\"session_state_changed\",\"state\":\"$1\"}"
}
ask() {
    echo '{"type":"control_request","request_id":"ask","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"rm a"},"tool_use_id":"toolu_1","permission_suggestions":[]}}'
}
hook() {
    echo '{"type":"control_request","request_id":"hook","request":{"subtype":"hook_callback","callback_id":"hook_0","tool_use_id":"toolu_1","input":{"hook_event_name":"PreToolUse","session_id":"s","transcript_path":"t","cwd":"/","tool_name":"'"${TOOL:-Bash}"'","tool_input":{"command":"rm a"},"tool_use_id":"toolu_1"}}}'
}
resumed() {
    prompt=$waiting
    result Done.
}
asked_again() {
    reply='result Done.'
    ask
}
agent_ended() {
    agents=
    echo '{"type":"system","subtype":"init"}'
    (prompt=; result Back.)
    session_state idle
}
printf '%s\n' "$*" >> processes
reply='result Done.'
while read -r line; do
    case $line in
    *'"type":"user"'*)
        note prompts
        earlier=$prompt
        prompt=$(field uuid)
        case $line in
        *'"hold"'*) ;;
        *'"die"'*) exit ;;
        *'"later"'*)
            state queued
            (prompt=$earlier; result Done.; state completed)
            state started; result Later.; state completed ;;
        *'"withdraw"'*)
            printf '%s\n' "$(ask)" '{"type":"control_cancel_request","request_id":"ask"}'
            sleep 1
            result Done. ;;
        *'"ask"'*) ask ;;
        *'"resume"'*) waiting=$prompt; prompt=deferred; reply=resumed; hook ;;
        *'"twice"'*) reply=asked_again; hook ;;
        *'"background"'*) session_state running; result 'On its way.'; agents=1; reply=agent_ended; ask ;;
        *'"silent"'*) session_state running; result 'On its way.' ;;
        *'"noted"'*) result ''; session_state idle ;;
        *'"list"'*) echo '{"type":"system","subtype":"init","tools":["Bash"]}'; result Done. ;;
        *'"mirror"'*)
            echo "{\"type\":\"transcript_mirror\",\"filePath\":\"$CLAUDE_CONFIG_DIR/projects/p/${PWD##*/}.jsonl\",\"entries\":[{\"type\":\"user\",\"uuid\":\"$prompt\"}]}"
            result Done. ;;
        *'"/clear"'*) echo '{"type":"conversation_reset","new_conversation_id":"c"}'; result Done. ;;
        *) result Done. ;;
        esac ;;
    *'"type":"control_response"'*)
        note controls
        $reply ;;
    *'"subtype":"interrupt"'*)
        note controls
        success
        if [ -n "$agents" ]; then session_state idle; else result Interrupted.; fi ;;
    *'"type":"control_request"'*) note controls; success ;;
    esac
done
"#;

/// A folder with the state of an engine, and the script.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::write(place.path("claude"), CLI).unwrap();
        fs::set_permissions(place.path("claude"), fs::Permissions::from_mode(0o755)).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn store(&self) -> Arc<FolderStore> {
        Arc::new(FolderStore::at(self.path("store")))
    }

    /// Stores an entry of the first session, as the CLI does.
    pub(crate) async fn store_line(&self, line: &str) {
        let key = SessionKey::new("tenant", session(1).session).unwrap();
        let entry = RawEntry::parse(line).unwrap();
        self.store().append(&key, &[entry]).await.unwrap();
    }

    pub(crate) fn options(&self) -> Options {
        Options::new().path_to_claude_code_executable(self.path("claude"))
    }

    pub(crate) fn worker(&self) -> WorkerConfig {
        WorkerConfig::new(self.store(), self.path("workspaces")).options(self.options())
    }

    /// Returns a worker that parks questions at once.
    pub(crate) fn parking(&self) -> WorkerConfig {
        self.worker().question_grace(Duration::ZERO)
    }

    /// Returns the folder of the workspaces.
    pub(crate) fn folder(&self) -> PathBuf {
        self.path("workspaces")
    }

    pub(crate) fn workspace(&self) -> Noted {
        Noted {
            folder: self.folder(),
            calls: Arc::default(),
            failures: Arc::default(),
            gate: None,
            snapshots: Arc::default(),
        }
    }

    pub(crate) async fn engine(&self, worker: WorkerConfig, policy: LossPolicy) -> Local {
        Local::open(self.path("engine"), worker, policy, Ledger::default()).await.unwrap()
    }

    /// Returns the lines of a file that the script has written in the `n`th session.
    pub(crate) fn lines(&self, n: usize, file: &str) -> Vec<String> {
        let path = self.path("workspaces").join(session(n).to_string()).join(file);
        fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
    }
}

/// A workspace that names revisions after the number of checkouts before them.
#[derive(Clone)]
pub(crate) struct Noted {
    folder: PathBuf,
    /// The revisions that were checked out.
    pub(crate) calls: Arc<Mutex<Vec<Option<String>>>>,
    /// Whether the next checkouts fail.
    pub(crate) failures: Arc<Mutex<VecDeque<bool>>>,
    /// What snapshots wait for.
    pub(crate) gate: Option<Arc<Semaphore>>,
    /// How many snapshots have begun.
    pub(crate) snapshots: Arc<AtomicUsize>,
}

impl Workspace for Noted {
    fn checkout<'a>(
        &'a self,
        session: &'a SessionName,
        revision: Option<&'a str>,
    ) -> WorkspaceFuture<'a, PathBuf> {
        Box::pin(async move {
            self.calls.lock().unwrap().push(revision.map(str::to_owned));
            if self.failures.lock().unwrap().pop_front() == Some(true) {
                return Err("the repository does not answer".into());
            }
            let folder = self.folder.join(Path::new(&session.to_string()));
            fs::create_dir_all(&folder)?;
            Ok(folder)
        })
    }

    fn snapshot<'a>(&'a self, _session: &'a SessionName) -> WorkspaceFuture<'a, Option<String>> {
        Box::pin(async move {
            self.snapshots.fetch_add(1, Ordering::Relaxed);
            if let Some(gate) = &self.gate {
                gate.acquire().await?.forget();
            }
            Ok(Some(format!("after {}", self.calls.lock().unwrap().len())))
        })
    }
}
