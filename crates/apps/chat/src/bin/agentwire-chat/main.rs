//! A chat in the terminal, with the tools of MCP servers.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a program on the terminal")]

mod terminal;
mod trust;

use std::{env, error::Error, path::Path, process::ExitCode, time::Duration};

use agentwire_chat::{Api, Chat, Form, Step};
use agentwire_hub::{Approval, CallDecision, Hub, ServerState, Use, config::Sources};

use terminal::{shown, shown_line, typed};
use trust::Trust;

#[tokio::main]
async fn main() -> ExitCode {
    let wanted = match Wanted::read(env::args().skip(1)) {
        Ok(Asked::Chat(wanted)) => wanted,
        Ok(Asked::Text(text)) => {
            println!("{text}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("agentwire-chat: {}\n\n{USAGE}", shown(&error));
            return ExitCode::from(2);
        }
    };
    match run(wanted).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("agentwire-chat: {}", shown(&told(&*error)));
            ExitCode::FAILURE
        }
    }
}

async fn run(wanted: Wanted) -> Result<(), Box<dyn Error>> {
    // Checks before any server is started, which takes time.
    let api = Api::from_env()?;
    if let Some(config) = wanted.configs.iter().find(|config| !Path::new(config).is_file()) {
        return Err(format!("there is no file `{config}`").into());
    }
    let approval = if wanted.allow { Approval::allowed() } else { Approval::asked(asked) };
    let sources = wanted.configs.iter().fold(Sources::new().project("."), Sources::global);
    let hub = Hub::builder().sources(sources).trust_projects(wanted.trust).approval(approval).build();
    let mut trust = Trust::load();
    trust.ask(&hub).await?;
    hub.wait_until_ready(START).await;
    for problem in hub.problems() {
        eprintln!("{}", shown_line(&problem.to_string()));
    }
    for server in hub.snapshot() {
        if let Some(why) = missing(&server.state) {
            eprintln!("{}: {}", shown_line(server.configured.name.as_str()), shown(why));
        }
    }
    let mut chat = Chat::new(api, hub.clone()).form(wanted.form);
    if let Some(rounds) = wanted.rounds {
        chat = chat.rounds(rounds);
    }
    let chatted = talk(chat, wanted.prompt, &hub, trust).await;
    hub.close().await;
    chatted
}

/// Returns why a server's tools are missing.
fn missing(state: &ServerState) -> Option<&str> {
    match state {
        ServerState::Connected { .. } | ServerState::Disabled(_) => None,
        ServerState::Starting => Some("it is still starting"),
        ServerState::NeedsAuthentication { .. } => {
            Some("it wants an authorization: put its header `Authorization` into the configuration")
        }
        ServerState::Reconnecting { why, .. } | ServerState::Failed { why } => Some(why),
    }
}

/// Sends the prompt, or each line of input.
async fn talk(
    mut chat: Chat,
    prompt: Option<String>,
    hub: &Hub,
    mut trust: Trust,
) -> Result<(), Box<dyn Error>> {
    if let Some(prompt) = prompt {
        chat.ask(prompt, show).await?;
        return Ok(());
    }
    while let Some(line) = typed("> ".to_owned()).await? {
        if line.trim().is_empty() {
            continue;
        }
        // A definition may have changed since the last question.
        trust.ask(hub).await?;
        if let Err(error) = chat.ask(line, show).await {
            eprintln!("{}", shown(&told(&error)));
        }
    }
    Ok(())
}

fn show(step: Step) {
    match step {
        Step::Said(text) => println!("{}", shown(&text)),
        other => eprintln!("{}", shown(&other.to_string())),
    }
}

/// Asks the user to allow a call.
async fn asked(call: agentwire_hub::Proposed) -> CallDecision {
    let (name, server) = (shown_line(&call.name), shown_line(call.server.as_str()));
    let changed = if call.has_changed { "It has changed since it was first offered. " } else { "" };
    // The question comes last, because the name and input may fill the screen.
    let question = match call.what {
        Use::Resource => format!("reading {name} of {server}: allow? [y/N] "),
        _ => {
            let arguments = shown_line(&call.arguments.to_string());
            format!("{arguments}\n{changed}{name} of {server} with these arguments: allow? [y/N] ")
        }
    };
    match typed(question).await {
        Ok(Some(line)) if matches!(line.trim(), "y" | "Y" | "yes") => CallDecision::Allow,
        _ => CallDecision::deny("the user said no"),
    }
}

/// The request on the command line.
enum Asked {
    Chat(Wanted),
    Text(&'static str),
}

/// The options on the command line.
#[derive(Default)]
struct Wanted {
    configs: Vec<String>,
    form: Form,
    rounds: Option<usize>,
    allow: bool,
    trust: bool,
    prompt: Option<String>,
}

impl Wanted {
    /// Parses the arguments.
    fn read(mut args: impl Iterator<Item = String>) -> Result<Asked, String> {
        let mut wanted = Self::default();
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("`{arg}` needs a value"));
            match &*arg {
                "--help" | "-h" => return Ok(Asked::Text(USAGE)),
                "--version" | "-V" => return Ok(Asked::Text(env!("CARGO_PKG_VERSION"))),
                "--allow" => wanted.allow = true,
                "--trust" => wanted.trust = true,
                "--config" => wanted.configs.push(value()?),
                "--rounds" => {
                    wanted.rounds =
                        Some(value()?.parse().map_err(|_| "`--rounds` needs a number".to_owned())?);
                }
                "--form" => {
                    wanted.form = match &*value()? {
                        "native" => Form::Native,
                        "xml" => Form::Xml,
                        "json" => Form::Json,
                        other => return Err(format!("`{other}` is no form: native, xml or json")),
                    };
                }
                option if option.starts_with('-') => return Err(format!("there is no option `{option}`")),
                _ if wanted.prompt.is_some() => return Err("there are two prompts: quote one".to_owned()),
                _ => wanted.prompt = Some(arg),
            }
        }
        Ok(Asked::Chat(wanted))
    }
}

/// Returns an error with its causes.
fn told(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(&format!(": {error}"));
        source = error.source();
    }
    text
}

const USAGE: &str = "\
A chat with a model that uses the tools of your MCP servers.

Usage: agentwire-chat [OPTIONS] [PROMPT]

  --config FILE          a further file with servers; may be repeated
  --form native|xml|json how the model calls tools [native]
  --rounds N             the most rounds of calls for one answer [25]
  --allow                call tools without asking
  --trust                start the servers of the working folder without asking
  --help, --version

ANTHROPIC_API_KEY and ANTHROPIC_MODEL must be set, and ANTHROPIC_BASE_URL may be.
Servers are those of .mcp.json, .roo/mcp.json and .vscode/mcp.json in the working folder, which are started once you
trust them, and those of each --config.
Without a prompt, each line of the input is one.";
/// Servers that take longer are added later.
const START: Duration = Duration::from_secs(30);
