//! The real CLI with a scripted model: only the model's text is fixed.

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use agentwire::{
    Options,
    transport::process::{Launch, ProcessTransport},
};
use agentwire_testkit::{Argv, Recorder, Redactor};

use crate::{Outcome, PROMPT, conversation, session};

/// Installs the pinned CLI, builds the scripted model, and restarts this program without network access, if the machine
/// supports that.
pub(crate) fn prepare(record: Option<&str>) -> Outcome {
    println!("This is the real CLI with a scripted model: no account, and nothing leaves this machine.");
    println!("The first time, the CLI is installed by npm and the model is built.\n");
    let cli = output(cargo(["xtask", "cli", "--path"]))?;
    check(cargo([
        "build",
        "-q",
        "-p",
        "agentwire-testkit",
        "--features",
        "model",
        "--example",
        "scripted_model",
    ]))?;
    let this = std::env::current_exe()?;
    let mut inside = if check(cargo(["xtask", "netns", "--", "true"]).stderr(Stdio::null())).is_ok() {
        let mut netns = cargo(["xtask", "netns", "--"]);
        netns.arg(&this);
        netns
    } else if record.is_some() {
        return Err("a session is recorded only in a network namespace, and none is to be had here".into());
    } else {
        println!(
            "(No network namespace is to be had here: only the settings keep the CLI on this machine.)\n"
        );
        Command::new(&this)
    };
    inside.args(["--scripted-inside", cli.trim()]).args(record);
    check(&mut inside)
}

/// Runs the conversation. With `record`, the wire traffic is stored there, redacted.
pub(crate) async fn run(cli: &Path, record: Option<&Path>) -> Outcome {
    let home = tempfile::tempdir()?;
    let project = home.path().join("project");
    std::fs::create_dir(&project)?;
    let script = home.path().join("script.json");
    std::fs::write(&script, SCRIPT.replace("{{cwd}}", &project.display().to_string()))?;
    let model = Model::start(&script)?;
    let options = isolated(home.path(), &project, &model.url);
    let Some(record) = record else {
        let options = options.path_to_claude_code_executable(cli);
        return conversation::hold(session().options(options), PROMPT).await;
    };
    let builder = session().options(options);
    let lowered = builder.to_launch_plan()?;
    let recorder = Recorder::new();
    recorder.argv(Argv::new(&lowered.args));
    let launch = Launch::new(cli).args(lowered.args).envs(lowered.env).env_clear().cwd(&project);
    conversation::hold(builder.transport(recorder.record(ProcessTransport::new(launch))), PROMPT).await?;
    let redactor =
        Redactor::new().path(&project, "/project").path(home.path(), "/home/user").own_json(SCRIPT);
    let transcript = redactor.redact(&recorder.transcript()?)?;
    std::fs::write(record, transcript.to_bytes()?)?;
    Ok(())
}

/// Returns options with an environment of the CLI's own, without access to the user's files.
fn isolated(home: &Path, project: &Path, model: &str) -> Options {
    let mut options = crate::options().cwd(project);
    options.env_clear = true;
    let home = home.display().to_string();
    let path = std::env::var("PATH").unwrap_or_default();
    [
        ("PATH", path.as_str()),
        ("HOME", &home),
        ("CLAUDE_CONFIG_DIR", &format!("{home}/.claude")),
        ("ANTHROPIC_BASE_URL", model),
        ("ANTHROPIC_API_KEY", "sk-fake"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        ("DISABLE_ERROR_REPORTING", "1"),
        ("DISABLE_TELEMETRY", "1"),
        ("TERM", "dumb"),
    ]
    .into_iter()
    .fold(options, |options, (name, value)| options.env(name, value))
}

/// The scripted model: a separate program, so that this one needs no HTTP server.
struct Model {
    process: Child,
    url: String,
}

impl Model {
    fn start(script: &Path) -> Result<Self, Box<dyn std::error::Error>> {
        let program = std::env::current_exe()?.with_file_name("scripted_model");
        let mut process = Command::new(program)
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut url = String::new();
        BufReader::new(process.stdout.take().ok_or("the model has no output")?).read_line(&mut url)?;
        Ok(Self { process, url: url.trim().to_owned() })
    }
}

/// The model ends with its input.
impl Drop for Model {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        if let Err(error) = self.process.wait() {
            println!("the scripted model could not be waited for: {error}");
        }
    }
}

fn cargo<const N: usize>(arguments: [&str; N]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").map_or_else(|| "cargo".into(), PathBuf::from));
    command.args(arguments);
    command
}

fn check(mut command: impl std::borrow::BorrowMut<Command>) -> Outcome {
    let status = command.borrow_mut().status()?;
    if status.success() { Ok(()) } else { Err(format!("{:?} failed: {status}", command.borrow_mut()).into()) }
}

fn output(mut command: Command) -> Result<String, Box<dyn std::error::Error>> {
    let output = command.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(format!("{command:?} failed: {}", output.status).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// The model's script; `{{cwd}}` is replaced by the working directory.
const SCRIPT: &str = include_str!("script.json");
