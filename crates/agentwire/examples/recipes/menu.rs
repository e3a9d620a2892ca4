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
            let secret = env::var("SECRET").map_err(|_| "set SECRET to the text to remove")?;
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
    ("env-files", "denies access to .env files"),
    ("commands", "denies destructive commands"),
    ("commands-only", "allows only a few harmless commands"),
    ("system-folders", "denies changes to system files and notifies the user"),
    ("sandbox", "redirects the model's writes into a folder"),
    ("read-only", "allows reading within the project without a question"),
    ("call-log", "logs every tool call to calls.log"),
    ("rate-limit", "limits the uses of a tool within a period"),
    ("chain", "four handlers for one event, called in order"),
    ("matchers", "hooks by regular expression, for all MCP tools, for everything"),
    ("subagents", "lists the subagents of a session and their tool uses"),
    ("redact", "removes a secret ($SECRET) from tool outputs"),
    ("webhook", "reports each used tool to another program (at $WEBHOOK)"),
    ("notices", "shows the CLI's notices in your own way"),
    ("prompt-context", "adds the branch to each prompt"),
    ("recursion", "limits subagents and denies nested ones"),
];
