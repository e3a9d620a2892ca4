//! The standard input of `agentwire hub serve`.

use std::io;

use agentwire_codec::{Limits, LineDecoder};
use agentwire_protocol::decode::repair_surrogates;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, DuplexStream, duplex, stdin};

/// Returns the lines of the standard input, with U+FFFD for each lone surrogate escape (`"\ud83d"`). Must be called in a
/// runtime.
///
/// `rmcp` drops a line with such an escape, and the client waits for an answer in vain.
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
            to.write_all(repaired.as_deref().map_or(line.as_bytes(), str::as_bytes)).await?;
            to.write_all(b"\n").await?;
        }
    }
    Ok(())
}

/// The maximum number of bytes of one read.
const CHUNK: usize = 64 * 1024;
/// The longest line: `rmcp` drops longer ones too.
const LONGEST: usize = 16 << 20;
