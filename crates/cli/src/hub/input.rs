//! The standard input of `agentwire hub serve`.

use std::io;

use agentwire_codec::{Limits, LineDecoder};
use agentwire_protocol::decode::repair_surrogates;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, DuplexStream, duplex, stdin};

/// Returns the lines of the standard input, with U+FFFD for each lone surrogate escape (`"\ud83d"`), and without the
/// parameters of requests that are nested too deeply. Must be called in a runtime.
///
/// `rmcp` drops a line with such an escape or nesting, and the client waits for an answer in vain.
pub(super) fn repaired() -> DuplexStream {
    let (lines, sink) = duplex(CHUNK);
    // The stream ends with the standard input, or with an error of reading it.
    tokio::spawn(repair(stdin(), sink));
    lines
}

async fn repair(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin) -> io::Result<()> {
    let (mut decoder, mut buffer) = (LineDecoder::new(Limits::max_line(LONGEST)), vec![0; CHUNK]);
    while let count @ 1.. = from.read(&mut buffer).await? {
        decoder.push(buffer.get(..count).unwrap_or_default().to_vec().into());
        while let Some(line) = decoder.next() {
            let Ok(line) = line else { continue };
            let repaired = line.to_str().ok().and_then(repair_surrogates);
            let line = repaired.as_deref().map_or(line.as_bytes(), str::as_bytes);
            let shortened = shortened(line);
            to.write_all(shortened.as_deref().map_or(line, str::as_bytes)).await?;
            to.write_all(b"\n").await?;
        }
    }
    Ok(())
}

/// Returns a request with only the `_meta` of its parameters, in place of one that is nested too deeply for `serde_json`.
/// The gateway answers that its parameters do not fit.
fn shortened(line: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Request {
        id: Value,
        method: String,
        params: Params,
    }
    #[derive(Deserialize)]
    struct Params {
        #[serde(rename = "_meta")]
        meta: Option<Value>,
    }
    // Only lines that may be too deep are parsed twice.
    let brackets = line.iter().filter(|byte| matches!(byte, b'[' | b'{')).count();
    if brackets <= DEEPEST || serde_json::from_slice::<Value>(line).is_ok() {
        return None;
    }
    // Members that are not read may have any depth.
    let Request { id, method, params } = serde_json::from_slice(line).ok()?;
    let params = json!({"_meta": params.meta});
    Some(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string())
}

/// The deepest nesting that `serde_json` reads.
const DEEPEST: usize = 127;
/// The maximum number of bytes of one read.
const CHUNK: usize = 64 * 1024;
/// The longest line: `rmcp` drops longer ones too.
const LONGEST: usize = 16 << 20;
