//! One run of a scenario: prepares the place, takes the steps, and checks the outcome.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    process::Stdio,
};

use agentwire::{Options, Session, SessionBuilder, transport::process::ProcessTransport};
use agentwire_net::error_chain;
use serde_json::Value;
use tokio::process::Command;

use super::{
    callbacks, expect,
    initialize::Added,
    place::Place,
    servers,
    spec::Spec,
    steps::{Play, step_error, within},
    stored,
    witness::Witness,
    words::Words,
};
use crate::Failure;
use agentwire_testkit::{Argv, Recorder, ScriptedModel, Transcript};

/// A failed scenario, with its recording so far.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct Failed {
    /// The cause.
    #[source]
    pub error: Failure,
    /// The recording so far, redacted as far as possible; `None` if nothing was started.
    pub transcript: Option<Box<Transcript>>,
}

/// Runs the scenario with this text.
pub(super) async fn run(
    text: &str,
    cli: &Path,
    programs: &BTreeMap<String, PathBuf>,
) -> Result<Transcript, Failed> {
    let place = Place::new().map_err(|error| Failed { error: unusable(error), transcript: None })?;
    let mut redactor = place.redactor().own_json(text);
    let mut words = Words::default();
    words.set("cwd", place.project().display().to_string());
    words.set("home", place.home().display().to_string());
    for (name, path) in programs {
        words.set(name, path.display().to_string());
        redactor = redactor.path(path, &format!("/{name}"));
    }
    let recorder = Recorder::new();
    let outcome = played(text, cli, &place, words, &recorder).await;
    let recorded = recorder.transcript().map_err(|error| Failed { error: error.into(), transcript: None })?;
    let (transcript, report) = redactor.redact_with_report(&recorded);
    match outcome.and(report.leftovers.map_or(Ok(()), |leftovers| Err(leftovers.into()))) {
        Ok(()) => Ok(transcript),
        Err(error) => Err(Failed { error, transcript: Some(Box::new(transcript)) }),
    }
}

async fn played(
    text: &str,
    cli: &Path,
    place: &Place,
    words: Words,
    recorder: &Recorder,
) -> Result<(), Failure> {
    let spec = Spec::parse(text, &words)?;
    for (name, content) in &spec.files {
        place.write(name, content).map_err(unusable)?;
    }
    let model = ScriptedModel::start(spec.model.clone()).await?;
    for command in &spec.prepare {
        within(0, command, shell(command, place, &model)).await?;
    }
    let stage = Stage { cli, place, model: &model };
    if spec.before.is_empty() {
        return stage.play_and_check(&spec, words, recorder).await;
    }
    let before = Spec { steps: spec.before, ..Spec::default() };
    let words = stage.play(&before, words, &Recorder::new(), &Witness::new()).await?;
    let spec = Spec::parse(text, &words)?;
    stage.play_and_check(&spec, words, recorder).await
}

fn unusable(error: io::Error) -> Failure {
    format!("the folders of the run can't be used: {error}").into()
}

/// The state that all sessions of a run share.
#[derive(Clone, Copy)]
struct Stage<'a> {
    cli: &'a Path,
    place: &'a Place,
    model: &'a ScriptedModel,
}

impl Stage<'_> {
    async fn play_and_check(self, spec: &Spec, words: Words, recorder: &Recorder) -> Result<(), Failure> {
        let witness = Witness::new();
        self.play(spec, words, recorder, &witness).await?;
        let transcript = recorder.transcript()?;
        let messages: Vec<Value> = messages(&transcript);
        let wrong = expect::wrong(&spec.expect, &messages, &transcript, &witness.seen(), self.place);
        let wrong = wrong.into_iter().chain(expect::left_over(self.model));
        let wrong: Vec<String> =
            wrong.chain(stored::wrong(&self.place.config()).map_err(unusable)?).collect();
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ").into()) }
    }

    /// Plays one session to its end, and returns the words that its steps kept.
    async fn play(
        self,
        spec: &Spec,
        words: Words,
        recorder: &Recorder,
        witness: &Witness,
    ) -> Result<Words, Failure> {
        let builder = recorded(spec, self.builder(spec, witness), recorder)?;
        if let Some(refusal) = &spec.expect.refused {
            return within(0, "the handshake", refused(builder, refusal)).await.map(|()| words);
        }
        let mut play =
            Play::start(builder, self.place, recorder, self.model, witness, words, &spec.expect).await?;
        for step in &spec.steps {
            if let Err(error) = play.take(step).await {
                play.give_up().await;
                return Err(error);
            }
        }
        play.finish().await
    }

    fn builder(self, spec: &Spec, witness: &Witness) -> SessionBuilder {
        let mut builder = Session::builder().options(self.surroundings(spec.options.clone()));
        if !spec.hooks.is_empty() {
            builder = builder.hooks(callbacks::hooks(&spec.hooks, witness));
        }
        if let Some(permissions) = &spec.permissions {
            builder = builder.permissions(callbacks::permissions(permissions, witness));
        }
        if !spec.mcp.is_empty() {
            builder = builder.mcp_servers(servers::servers(&spec.mcp, witness));
        }
        builder.responder(callbacks::Others::new(&spec.answers, witness))
    }

    /// Adds the environment that every scenario has to its options.
    fn surroundings(self, mut options: Options) -> Options {
        options.env_clear = true;
        for (name, value) in self.place.environment(self.model) {
            options.env.entry(name).or_insert(value);
        }
        let cwd = options.cwd.take().unwrap_or_else(|| self.place.project());
        options.cwd(cwd).path_to_claude_code_executable(self.cli)
    }
}

/// Starts the session over a process that is recorded.
fn recorded(spec: &Spec, builder: SessionBuilder, recorder: &Recorder) -> Result<SessionBuilder, Failure> {
    let launch = builder.launch().map_err(|error| step_error(0, "the launch", &error.to_string()))?;
    recorder.argv(Argv::new(launch.args.iter().map(|arg| arg.to_string_lossy())));
    let stderr = recorder.clone();
    let process = ProcessTransport::new(launch).on_stderr(move |line| stderr.stderr(line));
    let more = spec.initialize.as_ref().map(|more| more.as_str());
    Ok(builder.transport(Added::new(recorder.record(process), spec.lines_before.clone(), more)))
}

async fn refused(builder: SessionBuilder, refusal: &str) -> Result<(), String> {
    match builder.connect().await {
        Ok(session) => {
            drop(session.close().await);
            Err("it was to be refused".to_owned())
        }
        Err(error) if error_chain(&error).contains(refusal) => Ok(()),
        Err(error) => Err(format!("it was refused otherwise: {}", error_chain(&error))),
    }
}

/// Returns the CLI's messages without requests and replies.
fn messages(transcript: &Transcript) -> Vec<Value> {
    let read = transcript.inbound().filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    read.filter(|line| line["type"].as_str().is_none_or(|kind| !kind.starts_with("control_"))).collect()
}

/// Runs a command of the shell in the working directory. Dropping the future kills the shell.
pub(super) async fn shell(command: &str, place: &Place, model: &ScriptedModel) -> Result<(), String> {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(place.project()).env_clear();
    shell.envs(place.environment(model)).stdin(Stdio::null()).kill_on_drop(true);
    let output = shell.output().await.map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(format!("it ended with {} and the errors {:?}", output.status, stderr.trim_end()))
}
