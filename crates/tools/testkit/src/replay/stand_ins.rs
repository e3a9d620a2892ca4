//! Stand-ins in a recording: redaction has replaced a text that the program under test still sends.

use std::sync::LazyLock;

use regex::Regex;

/// Returns whether redaction may have made the recorded text from ours: each stand-in may have been any text, and an id
/// alone any UUID.
///
/// Unless a redactor has seen the recording, only marks such as `<cwd>` are stand-ins: a port may be a port.
pub(super) fn may_stand_for(recorded: &str, ours: &str, redacted: bool) -> bool {
    if recorded.len() == 36 && recorded.starts_with("00000000-0000-4000-8000-") {
        return redacted && ours.split('-').map(str::len).eq([8, 4, 4, 4, 12]);
    }
    let Some(stand_in) = STAND_IN.as_ref() else { return false };
    let (mut pieces, mut last) = (Vec::new(), recorded);
    for found in stand_in.find_iter(recorded).filter(|found| redacted || found.as_str().starts_with('<')) {
        pieces.push(&recorded[recorded.len() - last.len()..found.start()]);
        last = &recorded[found.end()..];
    }
    if pieces.is_empty() {
        return false;
    }
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
        r"<(?:redacted-[0-9]+|prose|cwd|home)>|/home/user/tmp/[0-9]+(?:\.[0-9A-Za-z_]+)?|/\.claude/plans/plan\.md",
        r"|(?-u:\b)id[0-9]{7}(?-u:\b)|00000000-0000-4000-8000-[0-9]{12}|127\.0\.0\.1:8080|4242\.sock",
        r"|2026-01-01T[0-9]{2}:[0-9]{2}:[0-9]{2}\.000Z"
    ))
    .ok()
});
