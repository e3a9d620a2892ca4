//! A session with a CLI on another machine, over a custom transport.
//!
//! On the machine of the CLI, a program connects it to the network. Without an address, this example
//! prints the variables and the arguments:
//!
//! ```text
//! socat TCP-LISTEN:7000,bind=127.0.0.1,reuseaddr EXEC:'claude --output-format=stream-json …'
//! ```
//!
//! Here:
//!
//! ```text
//! cargo run -p agentwire --example tcp -- 127.0.0.1:7000 "What is in this folder?"
//! ```
//!
//! Such a connection is neither encrypted nor authenticated: tunnel it through `ssh -L`.

#![expect(clippy::print_stdout, reason = "a program for the terminal speaks by printing")]

mod transport;

use std::error::Error;

use agentwire::Session;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let Some(address) = words.next() else {
        let plan = Session::builder().to_launch_plan()?;
        let variables: Vec<String> = plan.env.iter().map(|(name, value)| format!("{name}={value}")).collect();
        println!("{} claude {}", variables.join(" "), plan.args.join(" "));
        return Ok(());
    };
    let prompt = words.next().unwrap_or_else(|| "Say hello.".to_owned());
    let mut session = Session::builder().transport(transport::Tcp(address)).connect().await?;
    let turn = session.ask(prompt).await?;
    if let Some(result) = turn.finish().await? {
        println!("{}", result.result.as_deref().unwrap_or_default());
    }
    session.close().await?;
    Ok(())
}
