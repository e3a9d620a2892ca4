//! A chat in the terminal, with the tools of MCP servers.

mod terminal;
mod trust;

use std::{
    error::Error,
    io::{self, IsTerminal as _, Write as _},
    path::PathBuf,
    process::ExitCode,
    time::Duration,
};

use agentwire_chat::{Api, Chat, ChatAnswer, Form, Step};
use agentwire_hub::{Approval, CallDecision, Hub, ServerState, Use, config::Sources};
use agentwire_net::error_chain;
use clap::Parser;

use terminal::{answered, note, shown, shown_line, typed};
use trust::Trust;

/// A chat with a model that uses the tools of your MCP servers
#[derive(Debug, Parser)]
#[command(name = "agentwire-chat", version, after_help = ENVIRONMENT)]
struct Arguments {
    /// A further file with servers; may be repeated
    #[arg(long = "config", value_name = "FILE")]
    configs: Vec<PathBuf>,
    /// The form in which the model calls tools: native, xml or json
    #[arg(long, default_value = "native", value_parser = form)]
    form: Form,
    /// The maximum number of rounds of calls for one answer [default: 25]
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,
    /// Call tools without asking
    #[arg(long)]
    allow: bool,
    /// Start the servers of the working directory without asking
    #[arg(long)]
    trust: bool,
    /// The prompt; without one, each line of the input is one
    prompt: Option<String>,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            note(format_args!("agentwire-chat: {}", shown(&error_chain(&*error))));
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    // Checks before any server is started, which takes time.
    let api = Api::from_env()?;
    if let Some(config) = arguments.configs.iter().find(|config| !config.is_file()) {
        return Err(format!("there is no file `{}`", config.display()).into());
    }
    // A question that times out would still read the next line.
    let approval =
        if arguments.allow { Approval::allowed() } else { Approval::asked(asked).within(Duration::MAX) };
    let sources = arguments.configs.iter().fold(Sources::new().project("."), Sources::global);
    let hub = Hub::builder().sources(sources).trust_projects(arguments.trust).approval(approval).build();
    let mut trust = Trust::load();
    trust.ask(&hub).await?;
    hub.wait_until_ready(START).await;
    for problem in hub.problems() {
        note(shown_line(&problem.to_string()));
    }
    for server in hub.snapshot() {
        if let Some(why) = missing(&server.state) {
            note(format_args!("{}: {}", shown_line(server.configured.name.as_str()), shown(why)));
        }
    }
    let mut chat = Chat::new(api, hub.clone()).form(arguments.form);
    if let Some(rounds) = arguments.rounds {
        chat = chat.rounds(rounds);
    }
    let chatted = talk(chat, arguments.prompt, &hub, trust).await;
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

/// Sends the prompt, or each line of input. Without a terminal, the first error ends it.
async fn talk(
    mut chat: Chat,
    prompt: Option<String>,
    hub: &Hub,
    mut trust: Trust,
) -> Result<(), Box<dyn Error>> {
    if let Some(prompt) = prompt {
        report_cut(&chat.ask(prompt, show).await?);
        return Ok(());
    }
    while let Some(line) = typed("> ".to_owned()).await? {
        let prompt = line.trim_end_matches(['\r', '\n']);
        if prompt.trim().is_empty() {
            continue;
        }
        if line.len() >= CUT && io::stdin().is_terminal() {
            note("[not sent: the terminal cuts lines of over 4,094 bytes; split it, or send it by a pipe]");
            continue;
        }
        // A definition may have changed since the last question.
        trust.ask(hub).await?;
        match chat.ask(prompt, show).await {
            Ok(answer) => report_cut(&answer),
            Err(error) if io::stdin().is_terminal() => note(shown(&error_chain(&error))),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Reports an answer that is not complete.
fn report_cut(answer: &ChatAnswer) {
    if let Some(why) = answer.stop_reason.as_deref()
        && !matches!(why, "end_turn" | "stop_sequence")
    {
        note(format_args!("[the answer is not complete: {}]", shown_line(why)));
    }
}

fn show(step: Step) {
    match step {
        Step::Text(text) => {
            if let Err(error) = writeln!(io::stdout(), "{}", shown(&text)) {
                // A reader that has closed the pipe expects the end of the program.
                if error.kind() != io::ErrorKind::BrokenPipe {
                    note(format_args!("agentwire-chat: writing the standard output: {error}"));
                }
                std::process::exit(1);
            }
        }
        // Further lines could look like a question while another one waits for its answer.
        other => note(shown_line(&other.to_string())),
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
    match answered(question).await {
        Ok(Some(line)) if matches!(&*line.trim().to_lowercase(), "y" | "yes") => CallDecision::Allow,
        Ok(Some(_)) => CallDecision::deny("the user said no"),
        Ok(None) | Err(_) => CallDecision::deny("there is no input to approve it; see `--allow`"),
    }
}

fn form(name: &str) -> Result<Form, String> {
    match name {
        "native" => Ok(Form::Native),
        "xml" => Ok(Form::Xml),
        "json" => Ok(Form::Json),
        _ => Err("the forms are native, xml and json".to_owned()),
    }
}

const ENVIRONMENT: &str = "\
ANTHROPIC_API_KEY and ANTHROPIC_MODEL must be set, and ANTHROPIC_BASE_URL may be.
Servers are those of .mcp.json, .roo/mcp.json and .vscode/mcp.json in the working directory, which are started once you
trust them, and those of each --config.";
/// Linux keeps 4,095 bytes of a terminal's line and its line end, so a line of this length may be cut.
const CUT: usize = 4096;
/// Servers that take longer are added later.
const START: Duration = Duration::from_secs(30);
