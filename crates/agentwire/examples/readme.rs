//! The programs of the README files: `cargo run -p agentwire --example readme -- hello|agent|query|session|answer|structured`.
//!
//! They use the CLI of this machine, with your own login.
#![expect(clippy::print_stdout, reason = "it is a program for people")]

use agentwire::{Error, Session};

fn main() -> Result<(), Error> {
    match std::env::args().nth(1).as_deref() {
        Some("query") => block_on(query::run()),
        Some("session") => block_on(session::run()),
        Some("answer") => block_on(async { answer::run(Session::builder().connect().await?).await }),
        Some("structured") => block_on(structured::run()),
        Some("agent") => agent::main(),
        _ => hello::main(),
    }
}

#[tokio::main]
async fn block_on(program: impl Future<Output = Result<(), Error>>) -> Result<(), Error> {
    program.await
}

mod hello {
    use agentwire::{Error, Message, Options, query};

    #[tokio::main]
    pub(super) async fn main() -> Result<(), Error> {
        let mut answers = query("What is 2 + 2?", Options::new()).await?;
        while let Some(incoming) = answers.next().await {
            if let Some(Message::Result(result)) = incoming?.message() {
                println!("{}", result.result.as_deref().unwrap_or_default());
            }
        }
        Ok(())
    }
}

mod agent {
    use agentwire::hooks::{Hooks, Matcher};
    use agentwire::mcp::{McpServers, Server};
    use agentwire::protocol::hook::{HookReply, PreToolUse};
    use agentwire::{Error, Message, Options, Session};

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Place {
        city: String,
    }

    #[tokio::main]
    pub(super) async fn main() -> Result<(), Error> {
        let forecast = async |place: Place, _cx| format!("{}: sunny", place.city);
        let weather =
            Server::new("weather", "1.0.0").tool("forecast", "Returns tomorrow's weather.", forecast);
        let shell = Matcher::tools(["Bash"]);
        let mut session = Session::builder()
            .options(Options::new().include_partial_messages().allowed_tools(["mcp__weather"]))
            .mcp_servers(McpServers::new().with("weather", weather))
            .hooks(
                Hooks::new()
                    .on_matching(PreToolUse, shell, async |_input, _cx| HookReply::deny("no shell here")),
            )
            .connect()
            .await?;
        let mut turn = session.ask("Will it rain in Oslo tomorrow?").await?;
        while let Some(incoming) = turn.next().await {
            if let Some(Message::StreamEvent(event)) = incoming?.message() {
                print!("{}", event.text_delta().unwrap_or_default());
            }
        }
        println!("\n${:.4}", turn.answer().await?.result.total_cost_usd);
        session.close().await?;
        Ok(())
    }
}

mod query {
    use agentwire::{Options, query};

    pub(super) async fn run() -> Result<(), agentwire::Error> {
        let mut answers = query("What is 2 + 2?", Options::new().model("sonnet")).await?;
        while let Some(incoming) = answers.next().await {
            if let Some(agentwire::Message::Result(result)) = incoming?.message() {
                println!("{}", result.result.as_deref().unwrap_or_default());
            }
        }
        Ok(())
    }
}

mod session {
    use agentwire::protocol::hook::{HookReply, PreToolUse};
    use agentwire::{
        Decision, Options, Session,
        hooks::{Hooks, Matcher, PermissionHandler},
    };

    pub(super) async fn run() -> Result<(), agentwire::Error> {
        let mut session = Session::builder()
            .options(Options::new().include_partial_messages())
            .hooks(Hooks::new().on_matching(PreToolUse, Matcher::tools(["Bash"]), async |_input, _cx| {
                HookReply::deny("no shell here")
            }))
            .permissions(PermissionHandler::new(async |request, _cx| {
                if request.tool_name == "Read" { Decision::allow() } else { Decision::deny("read only") }
            }))
            .connect()
            .await?;

        let mut turn = session.ask("What does this project do?").await?;
        while let Some(incoming) = turn.next().await {
            let incoming = incoming?;
            if let Some(agentwire::Message::StreamEvent(event)) = incoming.message() {
                print!("{}", event.text_delta().unwrap_or_default());
            }
        }
        session.set_model(Some("opus")).await?;
        session.close().await?;
        Ok(())
    }
}

mod answer {
    pub(super) async fn run(mut session: agentwire::Session) -> Result<(), agentwire::Error> {
        let answer = session.ask("What is 2 + 2?").await?.answer().await?;
        println!("{} ({:?})", answer.text, answer.usage());
        Ok(())
    }
}

mod structured {
    use agentwire::{Error, Options, OutputFormat, Session};
    use schemars::JsonSchema;
    use serde::Deserialize;

    #[derive(Debug, Deserialize, JsonSchema)]
    struct Review {
        summary: String,
        /// Lines that need a change.
        lines: Vec<u32>,
    }

    pub(super) async fn run() -> Result<(), Error> {
        let options = Options::new().output_format(OutputFormat::of::<Review>());
        let mut session = Session::connect(options).await?;
        let review: Review = session.ask("Review src/main.rs.").await?.structured().await?;
        println!("{}: {:?}", review.summary, review.lines);
        Ok(())
    }
}
