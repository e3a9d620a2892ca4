//! Detects sessions that a program started.

use memchr::memmem;

use crate::ends::Ends;

/// Returns whether an SDK or a daemon started the session. Like the published TypeScript SDK, it searches by field
/// names alone.
pub(crate) fn is_programmatic(ends: &Ends) -> bool {
    let entrypoint = first(&ends.head, "entrypoint").or_else(|| last(ends.tail(), "entrypoint"));
    if entrypoint.is_some_and(|entrypoint| SDKS.contains(&entrypoint)) {
        return true;
    }
    let lines = || ends.head.split(|&byte| byte == b'\n');
    let line = lines().find(|line| memmem::find(line, b"\"parentUuid\":").is_some()).unwrap_or(&ends.head);
    first(line, "sessionKind").is_some_and(|kind| DAEMONS.contains(&kind))
}

/// Returns the first value of a field; values without a space after the colon come first.
fn first<'a>(text: &'a [u8], name: &str) -> Option<&'a [u8]> {
    starts(name).iter().find_map(|start| value(text, memmem::find(text, start)? + start.len()))
}

/// Returns the last value of a field.
fn last<'a>(text: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let found = starts(name).into_iter().filter_map(|start| Some(memmem::rfind(text, &start)? + start.len()));
    value(text, found.max()?)
}

fn starts(name: &str) -> [Vec<u8>; 2] {
    [format!("\"{name}\":\""), format!("\"{name}\": \"")].map(String::into_bytes)
}

/// Returns the inside of a string that starts here. The expected values contain no escapes.
fn value(text: &[u8], start: usize) -> Option<&[u8]> {
    let rest = text.get(start..)?;
    Some(&rest[..memchr::memchr(b'"', rest)?])
}

const SDKS: [&[u8]; 3] = [b"sdk-cli", b"sdk-ts", b"sdk-py"];
const DAEMONS: [&[u8]; 2] = [b"daemon", b"daemon-worker"];
