//! A session with a CLI in a container.
//!
//! ```text
//! cargo run -p agentwire-remote --example container -- my-image "Describe this folder."
//! ```
#![expect(clippy::print_stdout, reason = "a program for the terminal reports by printing")]

use std::env;
use std::error::Error;

use agentwire::{Session, transport::process::Launch};
use agentwire_remote::Container;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut words = env::args().skip(1);
    let place = words.next().ok_or("container IMAGE [PROMPT]")?;
    let prompt = words.next().unwrap_or_else(|| "Say hello.".to_owned());
    let builder = Session::builder();
    // The far CLI needs a login: pass the key of this machine.
    let mut cli = Launch::new("claude").cwd("/work").args(builder.to_launch_plan()?.args);
    if let Some(key) = env::var_os("ANTHROPIC_API_KEY") {
        cli = cli.env("ANTHROPIC_API_KEY", key);
    }
    let far = Container::docker(place).arg("--volume=.:/work").run(&cli);
    let mut session = builder.transport(far).connect().await?;
    println!("{}", session.ask(prompt).await?.text().await?);
    session.close().await?;
    Ok(())
}
