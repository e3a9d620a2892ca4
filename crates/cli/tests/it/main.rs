//! The built program, as a user runs it.
#![expect(clippy::unwrap_used, reason = "a test fails by a panic")]

mod arguments;
mod captures;
mod doctor;
#[cfg(feature = "hub")]
mod hub;
#[cfg(feature = "hub")]
mod permissions;
mod playing;
mod running;
#[cfg(feature = "hub")]
mod serving;
mod stored;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::{Duration, SystemTime},
};

use serde_json::Value;

/// Returns the program, without the configuration of this user.
fn agentwire(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agentwire"));
    command.args(arguments).env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", "/no/such/home");
    command
}

fn output(arguments: &[&str]) -> Output {
    agentwire(arguments).stdin(Stdio::null()).output().unwrap()
}

/// Returns the output after the reader of the standard output has closed the pipe.
fn without_reader(command: &mut Command) -> Output {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    command.stdout(writer).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// Returns what a terminal receives from the command, by the program `script` of Linux.
#[cfg(target_os = "linux")]
fn on_terminal(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| format!("'{}'", word.to_str().unwrap())).collect();
    let mut script = Command::new("script");
    script.args(["-qec", &words.join(" "), "/dev/null"]).env_clear().env("NO_COLOR", "1");
    script.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    script.current_dir(command.get_current_dir().unwrap_or(Path::new(".")));
    String::from_utf8(script.stdin(Stdio::null()).output().unwrap().stdout).unwrap()
}

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/sessions/2.1.330/quickstart.transcript")
}

/// Stores the entries of the session [`ID`] in a configuration folder.
fn store(folder: &Path, entries: &[Value]) {
    let project = folder.join("projects/-p");
    fs::create_dir_all(&project).unwrap();
    let lines: String = entries.iter().map(|entry| format!("{entry}\n")).collect();
    fs::write(project.join(format!("{ID}.jsonl")), lines).unwrap();
}

/// Returns an entry with this id: the prompt "A walk."
fn walk(id: &str) -> Value {
    let message = serde_json::json!({"role": "user", "content": "A walk."});
    serde_json::json!({"type": "user", "uuid": id, "parentUuid": null, "isSidechain": false, "message": message})
}

/// Stores three sessions, and returns their ids, the newest first.
fn store_three(folder: &Path) -> [&'static str; 3] {
    let project = folder.join("projects/-p");
    fs::create_dir_all(&project).unwrap();
    let ids = ["0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b13", ID, "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b12"];
    for (id, age) in ids.iter().zip([0, 3600, 7200]) {
        let file = project.join(format!("{id}.jsonl"));
        fs::write(&file, format!("{}\n", walk(ID))).unwrap();
        let written = SystemTime::now() - Duration::from_secs(age);
        fs::File::options().append(true).open(&file).unwrap().set_modified(written).unwrap();
    }
    ids
}

const ID: &str = "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11";
