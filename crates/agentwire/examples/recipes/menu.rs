//! The recipes by name, each with the folders, limits and outputs needed to try it.

use std::{env, fs::File, path::Path, pin::Pin, time::Duration};

use agentwire::hooks::Hooks;

use super::{
    call_log, chain, commands, env_files, matchers, notices, prompt_context, rate_limit, read_only,
    recursion, redact, sandbox, subagents, system_folders, webhook,
};

/// A recipe that is ready to use.
pub(crate) struct Prepared {
    pub(crate) hooks: Hooks,
    /// The work and the report after the session.
    pub(crate) after: Option<Pin<Box<dyn Future<Output = String>>>>,
}

/// Prepares the recipe with this name.
pub(crate) fn prepare(name: &str) -> Result<Prepared, Box<dyn std::error::Error>> {
    let (hooks, here) = (Hooks::new(), env::current_dir()?);
    Ok(match name {
        "env-files" => env_files::protect(hooks).into(),
        "commands" => commands::block_dangerous(hooks).into(),
        "commands-only" => commands::only(hooks, ["cat", "head", "ls", "pwd", "wc"]).into(),
        "system-folders" => system_folders::protect(hooks, ["/etc", "/usr"])?.into(),
        "sandbox" => {
            let folder = here.join("sandbox");
            std::fs::create_dir_all(&folder)?;
            sandbox::redirect(hooks, folder)?.into()
        }
        "read-only" => read_only::approve(hooks, here)?.into(),
        "call-log" => {
            let (hooks, log) = call_log::write_to(hooks, File::create("calls.log")?)?;
            let after = async move {
                match log.finish() {
                    Ok(dropped) => format!("calls.log is written; {dropped} lines were dropped"),
                    Err(error) => format!("calls.log could not be written: {error}"),
                }
            };
            Prepared { hooks, after: Some(Box::pin(after)) }
        }
        "chain" => {
            let folder = here.join("sandbox");
            std::fs::create_dir_all(&folder)?;
            let watch = |path: &Path| println!("  [hook] writing {}", path.display());
            chain::guard(hooks, &["/etc".into(), "/usr".into()], folder, watch)?.into()
        }
        "rate-limit" => rate_limit::limit(hooks, ["Read"], 2, Duration::from_secs(60)).into(),
        "matchers" => {
            let hooks = matchers::ask_about_mcp_tools(matchers::refuse_writing(hooks));
            matchers::watch_everything(hooks, |tool| println!("  [hook] {tool}")).into()
        }
        "subagents" => {
            let (hooks, known) = subagents::track(hooks);
            Prepared { hooks, after: Some(Box::pin(async move { format!("{:#?}", known.list()) })) }
        }
        "redact" => {
            let secret = env::var("SECRET").map_err(|_| "set SECRET to the text that is to be taken out")?;
            redact::outputs(hooks, [secret]).into()
        }
        "webhook" => {
            let address = env::var("WEBHOOK")
                .map_err(|_| "set WEBHOOK to the address of a server, as 127.0.0.1:8080")?;
            let (hooks, webhook) = webhook::report(hooks, move |text| {
                let address = address.clone();
                async move { webhook::post(&address, "/", &text).await }
            });
            let after = async move { format!("{} were lost", webhook.finish().await) };
            Prepared { hooks, after: Some(Box::pin(after)) }
        }
        "notices" => notices::forward(hooks, |kind, text| println!("  [notice] {kind}: {text}")).into(),
        "prompt-context" => prompt_context::branch(hooks).into(),
        "recursion" => recursion::guard(hooks, 2).into(),
        _ => return Err(format!("there is no recipe `{name}`").into()),
    })
}

impl From<Hooks> for Prepared {
    fn from(hooks: Hooks) -> Self {
        Self { hooks, after: None }
    }
}

/// The names, each with a description.
pub(crate) const RECIPES: &[(&str, &str)] = &[
    ("env-files", "nothing is read from .env files, or written to them"),
    ("commands", "commands that do great harm are not run"),
    ("commands-only", "no commands are run but a few harmless ones"),
    ("system-folders", "files of the system are not changed, and the user is told of the attempt"),
    ("sandbox", "what the model writes lands in a folder of its own"),
    ("read-only", "reading within the project needs no question"),
    ("call-log", "every tool call is written down, in calls.log"),
    ("rate-limit", "a tool is used so many times in a while, and no more"),
    ("chain", "four handlers for one event, asked in order"),
    ("matchers", "by a regular expression, for all MCP tools, for everything"),
    ("subagents", "which subagents run, and what each has used"),
    ("redact", "the model does not get to see a secret (that of $SECRET) in what tools say"),
    ("webhook", "another program (at $WEBHOOK) is told of each tool that was used"),
    ("notices", "what the CLI would show the user is shown in your own way"),
    ("prompt-context", "the model is told the branch beside each prompt"),
    ("recursion", "subagents start no subagents, and a session starts so many and no more"),
];
