//! A session with a CLI in a container, in a pod or on another machine.
//!
//! ```text
//! cargo run -p agentwire-remote --example far -- docker my-image "Describe this folder."
//! cargo run -p agentwire-remote --example far -- kubectl agents-0 "Describe this folder."
//! cargo run -p agentwire-remote --example far -- ssh build@example.org "Describe this folder."
//! ```
#![expect(clippy::print_stdout, reason = "a program for the terminal reports by printing")]

use std::env;
use std::error::Error;

use agentwire::{Session, transport::process::Launch};
use agentwire_remote::{Container, Pod, Ssh};

const USAGE: &str = "far (docker IMAGE | kubectl POD | ssh HOST) [PROMPT]";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut words = env::args().skip(1);
    let (Some(kind), Some(place)) = (words.next(), words.next()) else { return Err(USAGE.into()) };
    let prompt = words.next().unwrap_or_else(|| "Say hello.".to_owned());
    let builder = Session::builder();
    let plan = builder.to_launch_plan()?;
    // The far CLI needs a login: pass the key of this machine.
    let mut cli = Launch::new("claude").args(plan.args).envs(plan.env);
    if let Some(key) = env::var_os("ANTHROPIC_API_KEY") {
        cli = cli.env("ANTHROPIC_API_KEY", key);
    }
    let far = match &*kind {
        "docker" => Container::docker(place).arg("--volume=.:/work").run(&cli.cwd("/work")),
        "kubectl" => Pod::new(place).run(&cli),
        "ssh" => Ssh::new(place).run(&cli),
        _ => return Err(USAGE.into()),
    };
    let mut session = builder.transport(far).connect().await?;
    println!("{}", session.ask(prompt).await?.text().await?);
    session.close().await?;
    Ok(())
}
