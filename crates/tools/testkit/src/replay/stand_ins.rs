//! Stand-ins in a recording: redaction has replaced a text that the program under test still sends.

use std::sync::LazyLock;

use regex::Regex;

/// Returns whether redaction may have made the recorded text from ours: each stand-in may have been any text.
pub(super) fn may_stand_for(recorded: &str, ours: &str) -> bool {
    // An id alone is bound by position.
    let is_id = recorded.len() == 36 && recorded.starts_with("00000000-");
    let Some(stand_in) = STAND_IN.as_ref().filter(|_| !is_id) else { return false };
    let mut pieces: Vec<&str> = stand_in.split(recorded).collect();
    let Some(last) = pieces.pop().filter(|_| !pieces.is_empty()) else { return false };
    let Some(middle) = ours.strip_prefix(pieces.remove(0)) else { return false };
    let Some(mut rest) = middle.strip_suffix(last) else { return false };
    pieces.into_iter().all(|piece| {
        let found = rest.split_once(piece);
        rest = found.map_or(rest, |(_, after)| after);
        found.is_some()
    })
}

static STAND_IN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"<(?:redacted-\d+|prose|cwd|home)>|/home/user/tmp/\d+(?:\.\w+)?|/\.claude/plans/plan\.md|\bid\d{7}\b",
        r"|00000000-0000-4000-8000-\d{12}|2026-01-01T\d\d:\d\d:\d\d\.000Z|127\.0\.0\.1:8080|4242\.sock"
    ))
    .ok()
});
