//! Responses to GET requests, line by line.

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::net::TcpStream;

use crate::failure::Failure;

/// The lines of a response's body.
pub(crate) type Body = Lines<BufReader<TcpStream>>;

/// Sends a GET request with these headers, each with its line break, and returns the body of a response with status 200.
pub(crate) async fn get(url: &str, path: &str, headers: &str) -> Result<Body, Failure> {
    let address = url.trim_start_matches("http://").trim_end_matches('/');
    let mut stream = TcpStream::connect(address).await?;
    // A response to HTTP/1.0 is not in chunks.
    stream.write_all(format!("GET {path} HTTP/1.0\r\nHost: {address}\r\n{headers}\r\n").as_bytes()).await?;
    let mut lines = BufReader::new(stream).lines();
    let status = lines.next_line().await?.unwrap_or_default();
    if !status.contains(" 200 ") {
        return Err(Failure::new(format!("{address}{path}: {status}")));
    }
    while lines.next_line().await?.is_some_and(|line| !line.is_empty()) {}
    Ok(lines)
}
