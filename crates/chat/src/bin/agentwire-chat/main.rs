//! A chat on the terminal, with the tools of MCP servers.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a program on the terminal")]

use std::{
    env,
    error::Error,
    io::{self, Write as _},
    path::Path,
    process::ExitCode,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use agentwire_chat::{Api, Chat, Form, Step};
use agentwire_hub::{Approval, Decision, Hub, ServerState, config::Sources};

#[tokio::main]
async fn main() -> ExitCode {
    let wanted = match Wanted::read(env::args().skip(1)) {
        Ok(Asked::Chat(wanted)) => wanted,
        Ok(Asked::Text(text)) => {
            println!("{text}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("agentwire-chat: {error}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(wanted).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("agentwire-chat: {}", told(&*error));
            ExitCode::FAILURE
        }
    }
}

async fn run(wanted: Wanted) -> Result<(), Box<dyn Error>> {
    // Before any server is started, which takes its time.
    let api = Api::from_env()?;
    if let Some(config) = wanted.configs.iter().find(|config| !Path::new(config).is_file()) {
        return Err(format!("there is no file `{config}`").into());
    }
    let approval = if wanted.allow { Approval::allowed() } else { Approval::asked(asked) };
    let sources = wanted.configs.iter().fold(Sources::new().project("."), Sources::global);
    let hub = Hub::builder().sources(sources).approval(approval).build();
    hub.wait_until_ready(START).await;
    for problem in hub.problems() {
        eprintln!("{problem}");
    }
    for server in hub.snapshot() {
        if let Some(why) = missing(&server.state) {
            eprintln!("{}: {why}", server.configured.name);
        }
    }
    let mut chat = Chat::new(api, hub.clone()).form(wanted.form);
    if let Some(rounds) = wanted.rounds {
        chat = chat.rounds(rounds);
    }
    let chatted = talk(chat, wanted.prompt).await;
    hub.close().await;
    chatted
}

/// Why the tools of a server are not there.
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

/// Asks the prompt, or each line that is typed.
async fn talk(mut chat: Chat, prompt: Option<String>) -> Result<(), Box<dyn Error>> {
    if let Some(prompt) = prompt {
        chat.ask(prompt, show).await?;
        return Ok(());
    }
    while let Some(line) = typed("> ").await? {
        if line.trim().is_empty() {
            continue;
        }
        if let Err(error) = chat.ask(line, show).await {
            eprintln!("{}", told(&error));
        }
    }
    Ok(())
}

fn show(step: Step) {
    match step {
        Step::Said(text) => println!("{text}"),
        other => eprintln!("{other}"),
    }
}

/// Asks the user for a call.
async fn asked(call: agentwire_hub::Proposed) -> Decision {
    let question = format!(
        "{} of {} with {}: allow? [y/N] ",
        call.tool.name.escape_debug(),
        call.server.as_str().escape_debug(),
        call.arguments
    );
    match typed(&question).await {
        Ok(Some(line)) if matches!(line.trim(), "y" | "Y" | "yes") => Decision::Allow,
        _ => Decision::Deny { reason: Some("the user said no".to_owned()) },
    }
}

/// A line of the user's; one question at a time. `None` at the end of the input.
async fn typed(question: &str) -> io::Result<Option<String>> {
    static ONE: Mutex<()> = Mutex::new(());
    let question = question.to_owned();
    let read = tokio::task::spawn_blocking(move || {
        let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        eprint!("{question}");
        io::stderr().flush()?;
        let mut line = String::new();
        let length = io::stdin().read_line(&mut line)?;
        Ok((length > 0).then_some(line))
    });
    read.await.map_err(io::Error::other)?
}

/// What the command line asks for.
enum Asked {
    Chat(Wanted),
    Text(&'static str),
}

/// What the program was asked to do.
#[derive(Default)]
struct Wanted {
    configs: Vec<String>,
    form: Form,
    rounds: Option<usize>,
    allow: bool,
    prompt: Option<String>,
}

impl Wanted {
    /// Reads the arguments.
    fn read(mut args: impl Iterator<Item = String>) -> Result<Asked, String> {
        let mut wanted = Self::default();
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("`{arg}` needs a value"));
            match &*arg {
                "--help" | "-h" => return Ok(Asked::Text(USAGE)),
                "--version" | "-V" => return Ok(Asked::Text(env!("CARGO_PKG_VERSION"))),
                "--allow" => wanted.allow = true,
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

/// An error with all that it comes from.
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
  --help, --version

ANTHROPIC_API_KEY and ANTHROPIC_MODEL must be set, and ANTHROPIC_BASE_URL may be.
Servers are those of .mcp.json, .roo/mcp.json and .vscode/mcp.json in the working folder.
Without a prompt, each line of the input is one.";
/// Servers that take longer come later.
const START: Duration = Duration::from_secs(30);
