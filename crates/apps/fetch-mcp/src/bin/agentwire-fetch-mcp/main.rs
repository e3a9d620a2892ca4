//! The server as a program: serves MCP on standard input and output until the input ends.

mod arguments;

use std::error::Error;
use std::process::ExitCode;

use agentwire_fetch_mcp::FetchServer;
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;

use arguments::Asked;

fn main() -> ExitCode {
    match arguments::read(std::env::args().skip(1)) {
        Ok(Asked::Text(text)) => say(std::io::stdout(), text, ExitCode::SUCCESS),
        Ok(Asked::Serve(options)) => match serve(options) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => say(std::io::stderr(), &told(error.as_ref()), ExitCode::FAILURE),
        },
        Err(error) => say(std::io::stderr(), &format!("{error}\n\n{}", arguments::USAGE), ExitCode::from(2)),
    }
}

#[tokio::main]
async fn serve(options: agentwire_fetch_mcp::Options) -> Result<(), Box<dyn Error>> {
    let service = FetchServer::new(options)?.serve(rmcp::transport::stdio()).await.map_err(unserved)?;
    service.waiting().await?;
    Ok(())
}

/// Returns an error with its causes, in one line.
fn told(error: &dyn Error) -> String {
    let mut text = format!("agentwire-fetch-mcp: {error}");
    let mut below = error.source();
    while let Some(cause) = below {
        text.push_str(&format!(": {cause}"));
        below = cause.source();
    }
    text
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
