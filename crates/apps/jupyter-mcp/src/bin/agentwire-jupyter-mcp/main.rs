//! The server as a program: serves MCP on standard input and output until the input ends or a signal arrives.

mod arguments;

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use agentwire_jupyter_mcp::{JupyterServer, Options, installed};
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use tokio::signal::unix::{SignalKind, signal};

use arguments::Asked;

fn main() -> ExitCode {
    match arguments::read(std::env::args().skip(1)) {
        Ok(Asked::Text(text)) => say(std::io::stdout(), text, ExitCode::SUCCESS),
        Ok(Asked::Kernels) => {
            say(std::io::stdout(), &installed().to_string().replace("), ", ")\n"), ExitCode::SUCCESS)
        }
        Ok(Asked::Serve(options)) => match run(options) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                say(std::io::stderr(), &format!("agentwire-jupyter-mcp: {error}"), ExitCode::FAILURE)
            }
        },
        Err(error) => say(std::io::stderr(), &format!("{error}\n\n{}", arguments::USAGE), ExitCode::from(2)),
    }
}

fn run(options: Options) -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Runtime::new()?;
    let served = runtime.block_on(serve(options));
    // A thread may be blocked on standard input.
    runtime.shutdown_timeout(Duration::ZERO);
    served
}

async fn serve(options: Options) -> Result<(), Box<dyn Error>> {
    let mut ending = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()].map(signal);
    let server = JupyterServer::new(options);
    let serving = async {
        let service = server.clone().serve(rmcp::transport::stdio()).await.map_err(unserved)?;
        service.waiting().await?;
        Ok(())
    };
    let [terminate, interrupt, hangup] = &mut ending;
    let served = tokio::select! {
        served = serving => served,
        () = came(terminate) => Ok(()),
        () = came(interrupt) => Ok(()),
        () = came(hangup) => Ok(()),
    };
    server.close().await;
    served
}

/// Waits for a signal; waits forever if the handler could not be installed.
async fn came(signal: &mut std::io::Result<tokio::signal::unix::Signal>) {
    match signal {
        Ok(signal) => drop(signal.recv().await),
        Err(_) => std::future::pending().await,
    }
}

/// Explains a missing client, for users that start the program by hand.
fn unserved(error: ServerInitializeError) -> Box<dyn Error> {
    match error {
        ServerInitializeError::ConnectionClosed(_) => {
            "the input ended before the handshake: an MCP client has to be at the other end; see --help"
                .into()
        }
        other => other.into(),
    }
}

/// Writes a line; fails if the stream is closed.
fn say(mut to: impl std::io::Write, text: &str, code: ExitCode) -> ExitCode {
    writeln!(to, "{text}").map_or(ExitCode::FAILURE, |()| code)
}
