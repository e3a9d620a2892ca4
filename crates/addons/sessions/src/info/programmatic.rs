//! Detects sessions that a program started.

use memchr::memmem;

use crate::ends::Ends;
use crate::fields::{Field, Fields};

/// Returns whether an SDK or a daemon started the session. Like the reference SDK for TypeScript, it searches by field
/// names alone.
pub(crate) fn is_programmatic(ends: &Ends) -> bool {
    let entrypoint = Fields::of(&ends.head).first(Field::Entrypoint);
    let entrypoint = entrypoint.or_else(|| Fields::of(ends.tail()).last(Field::Entrypoint));
    if entrypoint.is_some_and(|entrypoint| SDKS.contains(&&*entrypoint)) {
        return true;
    }
    let mut lines = ends.head.split(|&byte| byte == b'\n');
    let line = lines.find(|line| memmem::find(line, b"\"parentUuid\":").is_some()).unwrap_or(&ends.head);
    Fields::of(line).first(Field::SessionKind).is_some_and(|kind| DAEMONS.contains(&&*kind))
}

const SDKS: [&str; 3] = ["sdk-cli", "sdk-ts", "sdk-py"];
const DAEMONS: [&str; 2] = ["daemon", "daemon-worker"];
