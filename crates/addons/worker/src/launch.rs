//! The start of a session's process.

use std::{io, path::Path, sync::Arc, time::Duration};

use agentwire::{
    Options, Session, SessionBuilder, SessionStoreFlush,
    hooks::Matcher,
    sessions::{SessionKey, project_key},
};
use agentwire_net::error_chain;
use tokio::fs;

use crate::{
    config::WorkerConfig,
    gate::Gate,
    recovery::open_tools,
    turn::{Answer, Question, SessionName, TurnInput, TurnSpec, Way},
};

/// Prepares the process of a session: a new one, or from the store. Nothing is started yet.
pub(crate) async fn prepare(
    config: &WorkerConfig,
    name: &SessionName,
    gate: &Gate,
    spec: &TurnSpec,
) -> Result<SessionBuilder, String> {
    let key = SessionKey::new(&*name.tenant, name.session.clone()).map_err(|error| error_chain(&error))?;
    let folder = config
        .workspace
        .checkout(name, spec.revision.as_deref())
        .await
        .map_err(|error| error_chain(&*error))?;
    let mut options = config
        .options
        .clone()
        .cwd(folder)
        .session_store_project(&*name.tenant)
        .session_store_flush(SessionStoreFlush::Eager);
    if let Some(budget) = spec.budget_usd {
        options = options.max_budget_usd(budget);
    }
    for (variable, secret) in &spec.secrets {
        let resolver =
            config.secrets.as_ref().ok_or_else(|| format!("no resolver for the secret `{secret}`"))?;
        options = options.env(variable, resolver.resolve(&name.tenant, secret).await?);
    }
    let stored = config.store.load(&key).await.map_err(|error| error_chain(&error))?.unwrap_or_default();
    options = if stored.is_empty() {
        set_aside(&options, name).await.map_err(|error| error_chain(&error))?;
        options.session_id(&*name.session)
    } else {
        options.resume(&*name.session)
    };
    // Before a prompt, the CLI decides the tool use that it has deferred, although its prompt was cancelled.
    let is_prompt = matches!(spec.input, TurnInput::Prompt { .. });
    let ended = if is_prompt { open_tools(&stored) } else { Vec::new() };
    if !ended.is_empty() {
        // Otherwise it answers no prompt while the MCP server of the deferred tool is away.
        options = options.env("CLAUDE_CODE_DROP_UNAVAILABLE_DEFERRED_TOOL", "1");
    }
    gate.refuse(ended);
    let builder = (config.configure)(name, Session::builder()).session_store(Arc::clone(&config.store));
    let hooks = gate.hooks(config.hooks.clone(), Matcher::tools(&config.approvals), builder.store_handle());
    Ok(builder
        .options(options)
        .hooks(hooks)
        .permissions(gate.permissions())
        .grace(CLOSING, CLOSING)
        .orphan_grace(Duration::ZERO))
}

/// Renames the file of a session that the store does not know: a crash before the first stored entry leaves it, and
/// the CLI would refuse the id.
async fn set_aside(options: &Options, name: &SessionName) -> io::Result<()> {
    let folder = project_key(options.cwd.as_deref().unwrap_or(Path::new(".")));
    let file = options.config_dir().join("projects").join(folder).join(format!("{}.jsonl", name.session));
    match fs::rename(&file, file.with_extension("jsonl.unstored")).await {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        Ok(()) => {
            tracing::warn!(session = %name, "{} was renamed: the store has no entry of it", file.display());
            Ok(())
        }
    }
}

/// Returns whether the CLI was not started.
pub(crate) fn is_unstarted(error: &agentwire::Error) -> bool {
    use agentwire::Error;
    matches!(error, Error::CliNotFound(_) | Error::Options { .. } | Error::Resume(_))
}

/// Returns the prompt that informs the model of the answers; none is needed if the CLI has deferred the tool use.
pub(crate) fn notice(answers: &[(Question, Answer)]) -> Option<String> {
    let asked = answers.iter().filter(|(question, _)| question.way == Way::Grant);
    let lines: Vec<_> = asked
        .map(|(question, answer)| {
            let verdict = match answer {
                Answer::Allow { .. } => "now allowed, once. Use it again with exactly this input.",
                Answer::Deny { reason } => &format!("denied: {reason}"),
            };
            format!("The use of {} with the input {} is {verdict}", question.tool, question.input.as_str())
        })
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// How long the CLI may take to exit after the end of its input, and again after SIGTERM.
const CLOSING: Duration = Duration::from_secs(1);

/// How long a process lives at most after its task was aborted: the two grace periods, and two seconds for SIGKILL.
pub(crate) const ENDING: Duration = Duration::from_secs(4);
