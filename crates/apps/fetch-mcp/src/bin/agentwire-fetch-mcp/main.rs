//! The server as a program: serves MCP on standard input and output until the input ends.
#![expect(clippy::print_stderr, reason = "standard output is the connection, and errors go beside it")]

mod arguments;

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use agentwire_fetch_mcp::FetchServer;
use agentwire_net::error_chain;
use clap::Parser as _;
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use tokio::io::{copy, duplex};
use tokio::time::sleep;

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
    let server = FetchServer::new(options)?;
    let (mut stdin, stdout) = rmcp::transport::stdio();
    let (input, mut sink) = duplex(CHUNK);
    let serving = async {
        let service = server.serve((input, stdout)).await.map_err(unserved)?;
        service.waiting().await?;
        Ok(())
    };
    let reading = async move {
        // An error of reading ends the input too.
        let _ended = copy(&mut stdin, &mut sink).await;
        drop(sink);
        sleep(LAST_ANSWERS).await;
    };
    tokio::select! {
        served = serving => served,
        () = reading => Ok(()),
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

/// The size of the buffer between standard input and the service.
const CHUNK: usize = 64 * 1024;
/// The maximum time from the end of the input to the end of the program. `rmcp` waits five seconds for calls, and then
/// without a limit for a client that does not read an answer.
const LAST_ANSWERS: Duration = Duration::from_secs(6);
