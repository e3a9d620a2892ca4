//! The processes of durable sessions on Restate: any number of each kind, on any machines.
//!
//! ```text
//! agents handlers SETTINGS ADDRESS    the services that Restate calls; register the address with Restate
//! agents worker SETTINGS ADDRESS      runs the CLI; SIGTERM drains it
//! agents board SETTINGS ADDRESS       the web page
//! ```
//!
//! `SETTINGS` is a JSON file of [`Settings`], and `ADDRESS` is an IP address with a port, at which the others
//! reach the process. Each process prints its URL when it is ready. The CLI inherits the environment of the worker.
//!
//! `cargo xtask durable` starts all of them with Restate, Redis and a scripted model.
#![expect(clippy::print_stdout, reason = "it is a program for people")]

mod board;
mod settings;
mod worker;

use std::process::ExitCode;

use agentwire_restate::{handlers, serve};
use settings::Settings;
use tokio::{net::TcpListener, signal};

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [kind @ ("handlers" | "worker" | "board"), settings, address] = arguments[..] else {
        println!("usage: agents handlers|worker|board SETTINGS ADDRESS");
        return ExitCode::from(2);
    };
    match run(kind, settings, address).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(kind: &str, settings: &str, address: &str) -> Outcome {
    let text = std::fs::read(settings).map_err(|error| format!("reading {settings}: {error}"))?;
    let parsed = serde_json::from_slice(&text);
    let settings: Settings = parsed.map_err(|error| format!("reading {settings}: {error}"))?;
    tracing_subscriber::fmt()
        .with_max_level(settings.log.parse::<tracing::Level>()?)
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .init();
    let listener = TcpListener::bind(address).await?;
    // The port may have been 0.
    let url = format!("http://{}", listener.local_addr()?);
    match kind {
        "worker" => worker::run(&settings, listener, &url).await,
        "board" => board::run(&settings, listener, &url).await,
        _ => {
            println!("{url}");
            tokio::select! {
                served = serve(handlers(settings.ingress()?, POOL), listener) => served?,
                () = ended() => {}
            }
            Ok(())
        }
    }
}

/// Waits for SIGTERM or Ctrl-C.
async fn ended() {
    let terminate = async {
        match signal::unix::signal(signal::unix::SignalKind::terminate()) {
            Ok(mut terminate) => terminate.recv().await,
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        _ = signal::ctrl_c() => {}
        _ = terminate => {}
    }
}

/// The pool of all workers.
const POOL: &str = "agents";
