//! `secrets`: a secret reaches the tool, and no other place.

use std::fs;
use std::path::{Path, PathBuf};

use agentwire_worker::TurnInput;
use serde_json::{Value, json};

use crate::Setup;
use crate::cluster::{Cluster, Plan};
use crate::failure::Failure;
use crate::processes;
use crate::server::secret;
use crate::sessions::{LIMIT, TENANT, done, one_command, prompt, session};
use crate::waiting::eventually;

/// Searches for a secret in the journal, the event log, the store, all logs and the process list.
///
/// Ids must be found in each of them, which shows that the search works.
pub(crate) fn run(setup: &Setup) -> Result<String, Failure> {
    setup.runtime.block_on(searched(setup))
}

async fn searched(setup: &Setup) -> Result<String, Failure> {
    let canary = secret();
    let settings = json!({"allowed_tools": ["Bash"], "slots": 1, "log": "trace"});
    // The command continues when the search is over.
    let script = one_command("echo ${#TOKEN} >> ran.txt; while [ ! -e go ]; do sleep 0.1; done");
    let cluster = Cluster::start(setup, Plan { nodes: 1, cli: &setup.cli, script, settings }).await?;
    fs::create_dir(cluster.path("secrets").join(TENANT))?;
    fs::write(cluster.path("secrets").join(TENANT).join("token"), &canary)?;
    let _worker = cluster.worker()?;
    let name = session(0);
    let mut prompts = [prompt(0, "Go.")];
    prompts[0].turn.secrets.insert("TOKEN".to_owned(), "token".to_owned());
    cluster.send(&prompts).await?;
    eventually("the tool runs", LIMIT, async || Ok(cluster.effects(&name) == 1)).await?;
    let workspace = cluster.path("workspaces").join(name.to_string());
    let length = fs::read_to_string(workspace.join("ran.txt"))?;
    if length.trim() != canary.len().to_string() {
        return Err(Failure::finding(format!("the tool has no secret: its length is {}", length.trim())));
    }
    let mut journal = Vec::new();
    for table in ["sys_journal", "sys_invocation", "state"] {
        journal.extend(cluster.admin.query::<Value>(&format!("SELECT * FROM {table}")).await?);
    }
    let processes = processes::processes()?;
    let lines = processes.iter().map(|process| fs::read(process.join("cmdline")).unwrap_or_default());
    let mut places = vec![
        Place { name: "the journal".to_owned(), content: Value::from(journal).to_string().into_bytes() },
        Place { name: "the process list".to_owned(), content: lines.collect::<Vec<_>>().concat() },
    ];
    fs::write(workspace.join("go"), "")?;
    let (ended, other) = done(&cluster.outcomes(&prompts).await?);
    if ended != 1 {
        return Err(Failure::finding(format!("the turn did not end well{other}")));
    }
    let folder = cluster.path("");
    places.extend(files(&folder, &cluster.path("secrets"))?);
    let TurnInput::Prompt { id, .. } = &prompts[0].turn.input else { return Err(Failure::new("no prompt")) };
    // Restate compresses its files; its tables show the journal. A worker logs its requests, without their bodies.
    let controls = [
        ("the journal", id.as_str()),
        ("the process list", name.session.as_str()),
        ("redis-1", id.as_str()),
        ("store", id.as_str()),
        ("handlers-", id.as_str()),
        ("worker-", "TRACE"),
    ];
    judge(&places, &canary, &controls)
}

/// Fails if a place has the secret, or if no place of a control's kind has its text, which would mean that the search
/// does not work.
fn judge(places: &[Place], canary: &str, controls: &[(&str, &str)]) -> Result<String, Failure> {
    let found: Vec<_> = places.iter().filter(|place| place.has(canary)).map(|place| &*place.name).collect();
    let is_seen = |(kind, text): &&(&str, &str)| {
        places.iter().any(|place| place.name.starts_with(kind) && place.has(text))
    };
    let blind: Vec<_> = controls.iter().filter(|control| !is_seen(control)).map(|(kind, _)| kind).collect();
    if !found.is_empty() || !blind.is_empty() {
        let text =
            format!("the secret is in {found:?}; texts that must be there were not found in {blind:?}");
        return Err(Failure::finding(text));
    }
    let bytes: usize = places.iter().map(|place| place.content.len()).sum();
    Ok(format!(
        "a secret of a tool is in none of {} files, the journal and the process list, {:.1} MB with logs at the level \
         trace; other texts were found in {} kinds of places",
        places.len() - 2,
        bytes as f64 / 1e6,
        controls.len()
    ))
}

/// A place that is searched.
struct Place {
    name: String,
    content: Vec<u8>,
}

impl Place {
    fn has(&self, text: &str) -> bool {
        self.content.windows(text.len()).any(|window| window == text.as_bytes())
    }
}

/// Returns all files below a folder, except those in `hidden`.
fn files(root: &Path, hidden: &Path) -> Result<Vec<Place>, Failure> {
    let (mut found, mut folders) = (Vec::new(), vec![PathBuf::from(root)]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            if kind.is_dir() && path != hidden {
                folders.push(path);
            } else if kind.is_file()
                // The engine deletes files meanwhile.
                && let Ok(content) = fs::read(&path)
            {
                let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
                found.push(Place { name, content });
            }
        }
    }
    Ok(found)
}
