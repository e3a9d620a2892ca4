//! The standard input of `agentwire hub serve`.

use std::io;

use agentwire_codec::{Limits, LineDecoder};
use agentwire_protocol::decode::repair_surrogates;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, DuplexStream, duplex, stdin};

use super::notes::Notes;

/// Returns the lines of the standard input, with U+FFFD for each lone surrogate escape (`"\ud83d"`), and without the
/// parameters of requests that are nested too deeply or too long. Dropped messages are noted. Must be called in a runtime.
///
/// `rmcp` drops a line with such an escape, nesting or length, and the client waits for an answer in vain.
pub(super) fn repaired(notes: Notes) -> DuplexStream {
    let (lines, sink) = duplex(CHUNK);
    // The stream ends with the standard input, or with an error of reading it.
    tokio::spawn(repair(stdin(), sink, notes));
    lines
}

async fn repair(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    notes: Notes,
) -> io::Result<()> {
    let (mut decoder, mut buffer) = (LineDecoder::new(Limits::max_line(LONGEST_READ)), vec![0; CHUNK]);
    while let count @ 1.. = from.read(&mut buffer).await? {
        decoder.push(buffer.get(..count).unwrap_or_default().to_vec().into());
        while let Some(line) = decoder.next() {
            let Ok(line) = line else {
                note_dropped(&notes);
                continue;
            };
            let repaired = line.to_str().ok().and_then(repair_surrogates);
            let line = repaired.as_deref().map_or(line.as_bytes(), str::as_bytes);
            if is_too_long(line) {
                note_dropped(&notes);
            }
            let shortened = shortened(line);
            to.write_all(shortened.as_deref().map_or(line, str::as_bytes)).await?;
            to.write_all(b"\n").await?;
        }
    }
    Ok(())
}

/// Reports a message that is too long: unless it is a request, the client gets no error.
fn note_dropped(notes: &Notes) {
    notes.add(format_args!("a message of the client was dropped: it is longer than {} MiB", LONGEST >> 20));
}

/// Returns whether `rmcp` drops the line for its length, which includes the line end.
fn is_too_long(line: &[u8]) -> bool {
    line.len() >= LONGEST
}

/// Returns a request with only the `_meta` of its parameters, in place of one that is too long, or nested too deeply for
/// `serde_json`. The gateway answers that its parameters do not fit.
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
    let may_be_deep = || line.iter().filter(|byte| matches!(byte, b'[' | b'{')).count() > DEEPEST;
    let is_too_deep = || may_be_deep() && serde_json::from_slice::<Value>(line).is_err();
    if !is_too_long(line) && !is_too_deep() {
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
/// The longest message, over stdio and HTTP, in bytes. `rmcp` drops longer lines.
pub(super) const LONGEST: usize = 16 << 20;
/// The longest line that is read: many clients write the id, which an answer needs, at its end.
const LONGEST_READ: usize = 64 << 20;
