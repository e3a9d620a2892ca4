//! The CLI's side of a session in the same process, for programs that count what a session does and nothing else.
//!
//! What it says is written down beforehand and what it hears is looked at as little as can be, so that little of what
//! is counted is its own.

use std::error::Error;

use agentwire::{
    Session, SessionBuilder,
    transport::{MemoryPeer, memory},
};
use bytes::Bytes;
use serde_json::Value;

/// A session, and the peer that has shaken hands with it.
///
/// # Errors
///
/// When the handshake goes wrong.
pub async fn connect(builder: SessionBuilder) -> Result<(Session, MemoryPeer), Box<dyn Error>> {
    let (transport, peer) = memory(BLOCK);
    let shake = async {
        let request = line(&peer).await?;
        let request: Value = serde_json::from_slice(&request)?;
        let id = request["request_id"].as_str().ok_or("a handshake without an id")?;
        let reply = format!(
            r#"{{"type":"control_response","response":{{"subtype":"success","request_id":"{id}","response":{{"commands":[],"pid":7}}}}}}"#
        );
        Ok::<_, Box<dyn Error>>(peer.write(reply + "\n").await?)
    };
    let (session, shaken) = tokio::join!(builder.transport(transport).connect(), shake);
    shaken?;
    Ok((session?, peer))
}

/// What the host wrote, at least to the end of a line.
///
/// # Errors
///
/// When the host has ended the input.
pub async fn line(peer: &MemoryPeer) -> Result<Bytes, Box<dyn Error>> {
    let mut line = Bytes::new();
    while line.last() != Some(&b'\n') {
        let piece = peer.read().await.ok_or("the host has ended the input")?;
        line = if line.is_empty() { piece } else { [line, piece].concat().into() };
    }
    Ok(line)
}

/// The line that ends a turn.
pub const RESULT: &str = concat!(
    r#"{"type":"result","subtype":"success","is_error":false,"duration_ms":1,"duration_api_ms":1,"num_turns":1,"#,
    r#""result":"Done.","stop_reason":"end_turn","total_cost_usd":0,"usage":{"input_tokens":1,"output_tokens":1},"#,
    r#""session_id":"00000000-0000-4000-8000-000000000002","uuid":"00000000-0000-4000-8000-000000000003"}"#,
    "\n"
);

/// What a pipe holds by default on Linux, and so what one read gives at most.
pub const BLOCK: usize = 64 << 10;
