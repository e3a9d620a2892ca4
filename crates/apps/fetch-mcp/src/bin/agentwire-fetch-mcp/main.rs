//! The server as a program: serves MCP on standard input and output until the input ends.
#![expect(clippy::print_stderr, reason = "standard output is the connection, and errors go beside it")]

mod arguments;

use std::error::Error;
use std::process::ExitCode;

use agentwire_fetch_mcp::FetchServer;
use agentwire_net::error_chain;
use clap::Parser as _;
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;

use arguments::Arguments;

fn main() -> ExitCode {
    match run(Arguments::parse().options()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("agentwire-fetch-mcp: {}", error_chain(error.as_ref()));
            ExitCode::FAILURE
        }
    }
}

fn run(options: agentwire_fetch_mcp::FetchOptions) -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = runtime.block_on(serve(options));
    // The lookup of a name can't be cancelled, and takes long if its server is silent.
    runtime.shutdown_background();
    served
}

async fn serve(options: agentwire_fetch_mcp::FetchOptions) -> Result<(), Box<dyn Error>> {
    let service = FetchServer::new(options)?.serve(rmcp::transport::stdio()).await.map_err(unserved)?;
    service.waiting().await?;
    Ok(())
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
