//! The server as a program: serves MCP on standard input and output until the input ends or a signal arrives.
#![expect(clippy::print_stderr, reason = "standard output is the connection, and errors go beside it")]

mod arguments;

use std::error::Error;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::time::Duration;

use agentwire_jupyter_mcp::{JupyterOptions, JupyterServer, installed};
use clap::Parser as _;
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use tokio::signal::unix::{SignalKind, signal};

use arguments::Arguments;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.list_kernels {
        let kernels = installed().to_string().replace("), ", ")\n");
        return writeln!(io::stdout(), "{kernels}").map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS);
    }
    match arguments.options().map_err(Into::into).and_then(run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("agentwire-jupyter-mcp: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: JupyterOptions) -> Result<(), Box<dyn Error>> {
    // With one thread, calls reach the kernel in the order in which they arrived.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(serve(options));
    // A thread may be blocked on standard input.
    runtime.shutdown_timeout(Duration::ZERO);
    served
}

async fn serve(options: JupyterOptions) -> Result<(), Box<dyn Error>> {
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
async fn came(signal: &mut io::Result<tokio::signal::unix::Signal>) {
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
