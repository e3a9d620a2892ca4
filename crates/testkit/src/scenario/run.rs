//! One run of a scenario: everything is put up, the steps are taken, and what came is looked at.

use std::path::Path;

use agentwire::{Options, Session, SessionBuilder, transport::process::ProcessTransport};

use super::{
    Failed, ScenarioError, callbacks, expect,
    place::Place,
    servers,
    spec::Spec,
    steps::{Play, step_error},
    witness::Witness,
};
use crate::{Argv, Recorder, ScriptedModel, Transcript};

/// Runs the scenario with this text.
pub(super) async fn run(text: &str, cli: &Path) -> Result<Transcript, Failed> {
    let place = Place::new().map_err(|error| Failed { error: error.into(), transcript: None })?;
    let recorder = Recorder::new();
    let outcome = played(text, cli, &place, &recorder).await;
    let redactor = place.redactor().own_json(text);
    let recorded = recorder.transcript().map_err(|error| Failed { error: error.into(), transcript: None })?;
    let (transcript, leftovers) = redactor.redact_as_far_as_possible(&recorded);
    match outcome.and(leftovers.map_or(Ok(()), |leftovers| Err(leftovers.into()))) {
        Ok(()) => Ok(transcript),
        Err(error) => Err(Failed { error, transcript: Some(Box::new(transcript)) }),
    }
}

async fn played(text: &str, cli: &Path, place: &Place, recorder: &Recorder) -> Result<(), ScenarioError> {
    let cwd = place.project().display().to_string();
    let spec = Spec::parse(text, &cwd).map_err(ScenarioError::Spelling)?;
    for (name, content) in &spec.files {
        place.write(name, content)?;
    }
    let model = ScriptedModel::start(spec.model.clone()).await?;
    let witness = Witness::new();
    let options = surroundings(spec.options.clone(), cli, place, &model);
    let session = recorded(builder(&spec, options, &witness), recorder)?;
    let mut play = Play::start(session, place, recorder, &model, &witness).await?;
    for step in &spec.steps {
        if let Err(error) = play.take(step).await {
            play.give_up().await;
            return Err(error);
        }
    }
    let messages = play.finish().await?;
    let transcript = recorder.transcript()?;
    let wrong = expect::wrong(&spec.expect, &messages, &transcript, &witness.seen(), place);
    let wrong: Vec<String> = wrong.into_iter().chain(expect::left_over(&model)).collect();
    if wrong.is_empty() { Ok(()) } else { Err(ScenarioError::Unexpected(wrong)) }
}

/// The scenario's options, with the surroundings that every scenario has.
fn surroundings(mut options: Options, cli: &Path, place: &Place, model: &ScriptedModel) -> Options {
    options.env_clear = true;
    options.env.extend(place.environment(model.base_url()));
    options.cwd(place.project()).path_to_claude_code_executable(cli)
}

fn builder(spec: &Spec, options: Options, witness: &Witness) -> SessionBuilder {
    let mut builder = Session::builder().options(options);
    if !spec.hooks.is_empty() {
        builder = builder.hooks(callbacks::hooks(&spec.hooks, witness));
    }
    if let Some(permissions) = &spec.permissions {
        builder = builder.permissions(callbacks::permissions(permissions, witness));
    }
    if !spec.mcp.is_empty() {
        builder = builder.mcp_servers(servers::servers(&spec.mcp, witness));
    }
    builder
}

/// The same session over a process that is recorded.
fn recorded(builder: SessionBuilder, recorder: &Recorder) -> Result<SessionBuilder, ScenarioError> {
    let launch = builder.launch().map_err(|error| step_error(0, "the launch", error.to_string()))?;
    recorder.argv(Argv::new(launch.args.iter().map(|arg| arg.to_string_lossy())));
    let stderr = recorder.clone();
    let process = ProcessTransport::new(launch).on_stderr(move |line| stderr.stderr(line));
    Ok(builder.transport(recorder.record(process)))
}
